import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { specificationFolders } from '@tessera-tools/house';
import type { Fixture } from './suite.js';

/** The folder with fixtures from the packages of other drivers. `npm run fixtures` fills it. */
export const cachedSpecifications: string = specificationFolders()[1];

/** The index of the fixtures cache. */
export interface Contents {
  /** Names, versions and digests of the packages. */
  readonly pins: readonly string[];
  /** The package of each file, by the file's path among the specifications. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns `SPECIFICATIONS_DIR`, or by default a folder beside the repository. The folder may be absent. */
export const specifications = (): string => specificationFolders()[0];

/**
 * The existing folders with fixtures. If several contain the same file, the first one wins: `SPECIFICATIONS_DIR` has
 * the newest fixtures.
 */
const folders = (): readonly string[] => specificationFolders().filter(folder => existsSync(folder));

/** Advice for a user who has no fixtures. */
export const advice = 'run `npm run fixtures`, or set SPECIFICATIONS_DIR';

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.name.endsWith('.json') ? [path] : [];
  });

const packagesOf = (): Contents['files'] => {
  const file = join(cachedSpecifications, 'contents.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Contents).files : {};
};

/** Returns the folder names of the suites that have fixtures; empty if the specifications are absent. */
export const suiteNames = (): readonly string[] => {
  const names = folders().flatMap(folder =>
    readdirSync(folder).filter(name => existsSync(join(folder, name, 'tests'))),
  );
  return [...new Set(names)].sort();
};

/** Reads every JSON file of the suite's `tests` folder, sorted by name; undefined if the folder is absent. */
export const readFixtures = (suite: string): readonly Fixture[] | undefined => {
  const packages = packagesOf();
  const found = new Map<string, Fixture>();
  const present = folders().filter(folder => existsSync(join(folder, suite, 'tests')));
  for (const folder of present) {
    const tests = join(folder, suite, 'tests');
    for (const path of filesBelow(tests)) {
      const name = relative(tests, path).replaceAll(sep, '/');
      if (found.has(name)) continue;
      const from = folder === cachedSpecifications ? packages[`${suite}/tests/${name}`] : 'SPECIFICATIONS_DIR';
      found.set(name, { name, json: JSON.parse(readFileSync(path, 'utf8')) as unknown, from });
    }
  }
  if (present.length === 0) return undefined;
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** Reads a file by its path in the specifications' folder; undefined if it is absent. */
export const readText = (path: string): string | undefined => {
  const file = folders()
    .map(folder => join(folder, path))
    .find(candidate => existsSync(candidate));
  return file === undefined ? undefined : readFileSync(file, 'utf8');
};
