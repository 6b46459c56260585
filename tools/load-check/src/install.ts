import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mustRun, npm, run } from './program.js';
import type { Outcome } from './program.js';
import { pack, packOutside } from './pack.js';
import { closure, publishedPackages, root } from './workspace.js';

const projects = join(root, '.cache', 'load-check');

/** Name → tarball, for these packages and all that they depend on. */
async function tarballsOf(names: readonly string[]): Promise<Record<string, string>> {
  const { ours, outside } = closure(names);
  const tarballs: Record<string, string> = {};
  for (const name of ours) tarballs[name] = await pack(name);
  for (const name of outside) {
    const dependent = publishedPackages().find(each => name in each.dependencies)!;
    tarballs[name] = await packOutside(name, dependent.name);
  }
  return tarballs;
}

/**
 * A project with these packages installed from their tarballs, by npm and without network, as a user would have it:
 * nothing of this repository is in it. The same names in the same state share one project, so write only files of your own
 * names into it.
 * @returns its folder
 * @throws Error if a package is not built or npm cannot install it
 */
export async function installPacked(names: readonly string[]): Promise<string> {
  const tarballs = await tarballsOf(names);
  const id = createHash('sha256')
    .update(JSON.stringify(Object.values(tarballs)))
    .digest('hex')
    .slice(0, 16);
  const project = join(projects, id);
  if (existsSync(project)) return project;
  const unfinished = `${project}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const dependencies = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]));
  writeFileSync(
    join(unfinished, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }, null, 2),
  );
  try {
    const [program, ...args] = npm();
    const quietly = [
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
      '--loglevel=error',
    ];
    await mustRun(program, [...args, 'install', ...quietly], unfinished);
    if (!existsSync(project)) renameSync(unfinished, project);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return project;
}

/**
 * Runs a script with Node.js in such a project; a path is relative to where the caller runs, and the script is copied in, so
 * that its imports resolve to what is installed there and to nothing else.
 * @throws Error with what it said, unless it ended with exit code 0 within 20 seconds
 */
export async function runIn(project: string, file: string): Promise<Outcome> {
  const source = resolve(file);
  const copy = join(
    project,
    `${createHash('sha256').update(source).digest('hex').slice(0, 8)}-${source.split(/[\\/]/).at(-1)!}`,
  );
  writeFileSync(copy, readFileSync(source));
  const outcome = await run(process.execPath, [copy], project, 20_000);
  if (outcome.code === 0) return outcome;
  throw new Error(`${file} ended with exit code ${outcome.code}: ${outcome.stderr || outcome.stdout}`);
}

/** Bytes on the disk under that folder. */
export const bytesUnder = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
