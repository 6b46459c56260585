import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fixture } from './suite.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Where the specifications' fixtures lie: `SPECIFICATIONS_DIR`, else a folder beside the repository. */
export const specifications = (): string =>
  resolve(repository, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications'));

const jsonFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return jsonFiles(path);
    return entry.name.endsWith('.json') ? [path] : [];
  });

/** The suites that have fixtures, by the names of their folders; none if the specifications are absent. */
export const suiteNames = (): readonly string[] => {
  const folder = specifications();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => existsSync(join(folder, name, 'tests')))
    .sort();
};

/** Every JSON file of the suite's `tests` folder, in order; undefined if the folder is absent. */
export const readFixtures = (suite: string): readonly Fixture[] | undefined => {
  const folder = join(specifications(), suite, 'tests');
  if (!existsSync(folder)) return undefined;
  return jsonFiles(folder)
    .map(path => ({ name: relative(folder, path), json: JSON.parse(readFileSync(path, 'utf8')) as unknown }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** A file beside the fixtures, by its path from the specifications' folder; undefined if it is absent. */
export const readText = (path: string): string | undefined => {
  const file = join(specifications(), path);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};
