import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { tarballsOf } from '@tessera-tools/publish';
import { programs } from '../folders.js';
import { digest, installOnce } from '../outside/install.js';
import { fetching } from '../outside/program.js';
import type { Dependent } from './dependent.js';

/** The drivers that are compared. */
export type Driver = 'official' | 'tessera';

/** The version of npm `mongodb` that is compared. */
export const officialVersion = '7.9.0';

const installed = join(root, '.cache', 'dependents');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Returns the versions or tarballs of the driver, and of the packages that it needs from this repository. */
async function sourcesOf(driver: Driver): Promise<{ readonly mongodb: string; readonly [name: string]: string }> {
  if (driver === 'official') return { mongodb: officialVersion };
  const { '@tessera/mongodb': mongodb = '', ...others } = await tarballsOf(['@tessera/mongodb']);
  const files = Object.entries(others).map(([name, file]) => [name, `file:${file}`] as const);
  return { ...Object.fromEntries(files), mongodb: `file:${mongodb}` };
}

/**
 * Installs a dependent with one of the drivers under the name `mongodb`, and copies its program into the installation.
 * @returns the path of the program
 * @throws Unavailable if the registry cannot be reached
 */
export async function installDependent(dependent: Dependent, driver: Driver, signal: AbortSignal): Promise<string> {
  const { mongodb, ...ours } = await sourcesOf(driver);
  const manifest = JSON.stringify({
    private: true,
    dependencies: { ...dependent.packages, mongodb },
    overrides: { mongodb: '$mongodb', ...ours },
  });
  const name = `${dependent.name}-${driver}`;
  const folder = await installOnce(join(installed, `${name}-${digest([manifest])}`), async unfinished => {
    writeFileSync(join(unfinished, 'package.json'), manifest);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    if (dependent.ignoresPeers === true) args.push('--legacy-peer-deps');
    await fetching(name, npm, args, { cwd: unfinished, signal });
  });
  const copy = join(folder, 'programs');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  cpSync(join(programs, 'dependents'), copy, { recursive: true });
  return join(copy, dependent.program);
}
