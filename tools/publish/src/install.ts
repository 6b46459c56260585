import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '@tessera-tools/house';
import { mustRun, npm, pnpm, run } from './program.js';
import type { Outcome } from './program.js';
import { forgetOlder } from './forget.js';
import { packAll, packOutside } from './pack.js';
import { closure } from './workspace.js';

const projects = join(root, '.cache', 'publish');

/** Returns the tarballs of these packages and all their dependencies, by package name. */
async function packedOf(names: readonly string[]): Promise<Record<string, string>> {
  const { ours, outside } = closure(names);
  return { ...(await packOutside(outside)), ...(await packAll(ours)) };
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/**
 * Hides the packages of the workspace from projects. Node.js searches for a package in all parent folders, up to the
 * repository's
 * `node_modules`. An empty package of the same name stops the search, so that only installed packages are found.
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

/** Returns the tarballs of these packages and of the packages of this repository that they depend on, by name. */
export const tarballsOf = (names: readonly string[]): Promise<Record<string, string>> => packAll(closure(names).ours);

/** Installs the packages of a project with npm, without network. */
async function installWithNpm(project: string): Promise<void> {
  const [program, ...args] = npm();
  const quietly = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  await mustRun(program, [...args, 'install', '--offline', '--ignore-scripts', ...quietly], project);
}

/** Installs the packages of a project with pnpm, without network, into a flat `node_modules` as npm does. */
async function installWithPnpm(project: string, tarballs: Readonly<Record<string, string>>): Promise<void> {
  // Packages that depend on each other use these tarballs, too.
  const overrides = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]));
  writeFileSync(join(project, 'pnpm-workspace.yaml'), JSON.stringify({ nodeLinker: 'hoisted', overrides }));
  const store = ['--store-dir', join(root, '.cache', 'pnpm-store')];
  await mustRun(await pnpm(), ['install', '--offline', '--ignore-scripts', ...store], project);
}

/**
 * Creates a project with these packages, installed from their tarballs and without network, as a user would have it.
 * Calls with the same packages share a project, so files that callers write into it need unique names. Names of other
 * projects' packages must be development dependencies of the repository.
 * @param aliases the names under which packages are installed, by their own names. npm installs them; pnpm, which takes
 * a quarter of the time, installs projects without aliases.
 * @returns the folder of the project
 * @throws Error if a package is not built or cannot be installed
 */
export async function installPacked(
  names: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): Promise<string> {
  const packed = await packedOf(names);
  const tarballs = Object.fromEntries(Object.entries(packed).map(([name, file]) => [aliases[name] ?? name, file]));
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
    await (Object.keys(aliases).length > 0 ? installWithNpm(unfinished) : installWithPnpm(unfinished, packed));
    if (!existsSync(project)) renameSync(unfinished, project);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return project;
}

/**
 * Runs a script with Node.js in a project of {@link installPacked}. It copies the script into the project, so that
 * imports resolve
 * only to installed packages.
 * @param file the path of the script, relative to the working directory
 * @throws Error with the output, if the script does not exit with code 0 within 20 seconds
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
  throw new Error(`${file} exited with code ${outcome.code}: ${outcome.stderr || outcome.stdout}`);
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));

/** Returns the total size of all files below a folder, in bytes. */
export const bytesUnder = (folder: string): number =>
  filesUnder(folder).reduce((total, file) => total + statSync(file).size, 0);

/** The disk space of an installation, without npm's metadata. */
export interface InstalledSize {
  readonly bytes: number;
  readonly files: number;
}

/** Measures an installation of these packages and their dependencies. */
export async function installedSize(names: readonly string[]): Promise<InstalledSize> {
  const modules = join(await installPacked(names), 'node_modules');
  const folders = readdirSync(modules).filter(name => !name.startsWith('.'));
  const files = folders.flatMap(name => filesUnder(join(modules, name)));
  return { bytes: files.reduce((total, file) => total + statSync(file).size, 0), files: files.length };
}
