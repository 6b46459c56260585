// Finds what `npm test -- --changed` checks: the files that differ from a revision, their packages, and the packages
// that import these.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runQuietly } from './child.mjs';
import { Failure } from './failure.mjs';
import { members, root } from './workspace.mjs';

/**
 * `packages`: folders with changed files, such as `packages/pool`. `importers`: folders of the packages that import
 * them.
 * @typedef {{ files: readonly string[], packages: readonly string[], importers: readonly string[] }} Changed
 * @typedef {{ folder: string, name: string, imports: readonly string[] }} Package
 */

/** Returns the output lines of a git command. @param {readonly string[]} args */
async function git(...args) {
  const { code, log } = await runQuietly('git', args, { cwd: root });
  if (code !== 0) throw new Failure(`git ${args.join(' ')} failed.`, log);
  return log.split('\n').filter(text => text !== '');
}

/** @param {readonly string[]} files @param {readonly Package[]} packages @returns {Changed} */
export function affected(files, packages) {
  const changed = packages.filter(({ folder }) => files.some(file => file.startsWith(`${folder}/`)));
  const names = new Set(changed.map(({ name }) => name));
  const importers = packages.filter(one => !changed.includes(one) && one.imports.some(imported => names.has(imported)));
  return { files, packages: changed.map(({ folder }) => folder), importers: importers.map(({ folder }) => folder) };
}

/** @returns {readonly Package[]} */
const readPackages = () =>
  members().map(folder => {
    const {
      name,
      dependencies = {},
      devDependencies = {},
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return {
      folder: relative(root, folder).replaceAll('\\', '/'),
      name,
      imports: Object.keys({ ...dependencies, ...devDependencies }),
    };
  });

/** Returns what differs from a revision, including untracked files. @param {string} revision */
export async function changedSince(revision) {
  const different = await git('diff', '--name-only', '--diff-filter=d', revision, '--');
  const unknown = await git('ls-files', '--others', '--exclude-standard');
  return affected([...different, ...unknown].sort(), readPackages());
}
