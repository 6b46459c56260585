import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '@tessera-tools/house';
import { mustRun, npm, run } from './program.js';
import type { Outcome } from './program.js';
import { forgetOlder } from './forget.js';
import { pack, packOutside } from './pack.js';
import { closure } from './workspace.js';

const projects = join(root, '.cache', 'publish');

/** Name → tarball, for these packages and all that they depend on. */
async function tarballsOf(names: readonly string[]): Promise<Record<string, string>> {
  const { ours, outside } = closure(names);
  const tarballs = await packOutside(outside);
  for (const name of ours) tarballs[name] = await pack(name);
  return tarballs;
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/**
 * Node.js looks for a package in every folder above the one that asks, up to the repository's own `node_modules`. A package of
 * the same name that exports nothing ends that search, so that what is not installed in a project is not found.
 */
function hideWorkspace(): void {
  for (const folder of readdirSync(join(root, 'node_modules')).filter(name => !name.startsWith('.'))) {
    const within = folder.startsWith('@') ? readdirSync(join(root, 'node_modules', folder)) : [''];
    for (const name of within.map(each => join(folder, each))) {
      const hidden = join(projects, 'node_modules', name);
      if (existsSync(join(hidden, 'package.json'))) continue;
      mkdirSync(hidden, { recursive: true });
      writeFileSync(join(hidden, 'package.json'), JSON.stringify({ name, exports: {} }));
    }
  }
}

/**
 * A project with these packages installed from their tarballs, by npm and without network, as a user would have it:
 * nothing of this repository is in it. What is the same in the same state shares one project, so write only files of your own
 * names into it. A name that is not one of ours is a development dependency of the repository.
 * @returns its folder
 * @throws Error if a package is not built or npm cannot install it
 */
export async function installPacked(names: readonly string[]): Promise<string> {
  const tarballs = await tarballsOf(names);
  const group = `${hash(Object.keys(tarballs))}-`;
  const id = `${group}${hash(Object.values(tarballs))}`;
  const project = join(projects, id);
  if (existsSync(project)) return project;
  hideWorkspace();
  forgetOlder(projects, id, name => name.startsWith(group));
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
    const quietly = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    await mustRun(program, [...args, 'install', '--offline', '--ignore-scripts', ...quietly], unfinished);
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

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

/** Bytes on the disk under that folder. */
export const bytesUnder = (folder: string): number =>
  filesUnder(folder).reduce((total, file) => total + statSync(file).size, 0);

/** What an installation takes on the disk: its files and their bytes, but for npm's own notes. */
export interface InstalledSize {
  readonly bytes: number;
  readonly files: number;
}

/** Of these packages, installed together with all that they depend on and with nothing else. */
export async function installedSize(names: readonly string[]): Promise<InstalledSize> {
  const modules = join(await installPacked(names), 'node_modules');
  const folders = readdirSync(modules).filter(name => !name.startsWith('.'));
  const files = folders.flatMap(name => filesUnder(join(modules, name)));
  return { bytes: files.reduce((total, file) => total + statSync(file).size, 0), files: files.length };
}
