import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { kept, recipes } from '../../folders.js';
import { digest, installOnce } from '../../outside/install.js';
import { fetching } from '../../outside/program.js';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * Installs the packages of a recipe on first use, exactly as in its lock file and without install scripts.
 * @returns the folder `node_modules`
 * @throws Unavailable if the registry cannot be reached
 */
export async function npmPackages(recipe: string, signal: AbortSignal): Promise<string> {
  const files = ['package.json', 'package-lock.json'].map(name => join(recipes, recipe, name));
  const folder = await installOnce(join(kept, 'npm', `${recipe}-${digest([], files)}`), async unfinished => {
    for (const file of files) copyFileSync(file, join(unfinished, basename(file)));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await fetching(recipe, npm, args, { cwd: unfinished, signal });
  });
  return join(folder, 'node_modules');
}
