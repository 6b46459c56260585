// The paths of the workspace, and a digest that shows whether the installed packages are up to date.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @param {string} file */
const json = file => JSON.parse(readFileSync(file, 'utf8'));

/** The version of pnpm in package.json. @type {string} */
export const pnpmVersion = json(join(root, 'package.json'))
  .packageManager.replace(/^pnpm@/, '')
  .split('+')[0];

/** Returns the folders of all packages, tools and examples. @returns {string[]} */
export const members = () =>
  ['packages', 'tools', 'examples']
    .map(group => join(root, group))
    .filter(group => existsSync(group))
    .flatMap(group =>
      readdirSync(group)
        .sort()
        .map(name => join(group, name)),
    )
    .filter(folder => existsSync(join(folder, 'package.json')));

/** Returns a digest that changes whenever the installed packages may be out of date. */
export function installDigest() {
  const digest = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch} ${pnpmVersion}`);
  const shared = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'].map(name => join(root, name));
  for (const file of [...shared, ...members().map(folder => join(folder, 'package.json'))]) {
    digest.update(file.slice(root.length)).update(existsSync(file) ? readFileSync(file) : '');
  }
  return digest.digest('hex');
}

/** Returns whether every folder that needs a node_modules has one. */
export const allInstalled = () =>
  members().every(folder => {
    const { dependencies = {}, devDependencies = {} } = json(join(folder, 'package.json'));
    const needsFolder = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
    return !needsFolder || existsSync(join(folder, 'node_modules'));
  });
