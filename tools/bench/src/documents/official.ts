import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '@tessera-tools/house';
import { EJSON, serialize } from 'bson';
import { readArchive } from './archive.js';
import type { Document } from './varied.js';

/** The data sets of the specification "Benchmarking": archive, file. */
const places = {
  flat: ['extended_bson', 'flat_bson.json'],
  deep: ['extended_bson', 'deep_bson.json'],
  full: ['extended_bson', 'full_bson.json'],
  tweet: ['single_and_multi_document', 'tweet.json'],
  small: ['single_and_multi_document', 'small_doc.json'],
  large: ['single_and_multi_document', 'large_doc.json'],
} as const;

export type OfficialName = keyof typeof places;
export const officialNames: readonly OfficialName[] = Object.keys(places) as OfficialName[];

/** Where the archives lie: in `SPECIFICATIONS_DIR`, else in a folder beside the repository. */
const specifications = (): string =>
  resolve(root, process.env['SPECIFICATIONS_DIR'] ?? join('..', 'shared', 'specifications'));

const archiveOf = (name: OfficialName): string =>
  join(specifications(), 'benchmarking', 'data', `${places[name][0]}.tgz`);

/** Why the data sets cannot be read, if they cannot. */
export const absence = (): string | undefined => {
  const missing = officialNames.map(archiveOf).find(archive => !existsSync(archive));
  return missing === undefined ? undefined : `there is no ${missing}; set SPECIFICATIONS_DIR`;
};

const cache = join(root, '.cache', 'bench');
const unpacked = (name: OfficialName): string => join(cache, `${name}.bson`);

const isFresh = (name: OfficialName): boolean =>
  existsSync(unpacked(name)) && statSync(unpacked(name)).mtimeMs > statSync(archiveOf(name)).mtimeMs;

/** Unpacks the archives, once: one of them holds 50 MB of something else. Numbers become the types that the files name. */
export const unpackOfficial = (): void => {
  if (absence() !== undefined || officialNames.every(isFresh)) return;
  mkdirSync(cache, { recursive: true });
  const archives = new Map([...new Set(officialNames.map(archiveOf))].map(path => [path, readArchive(path)]));
  for (const name of officialNames) {
    const json = archives.get(archiveOf(name))!.get(places[name].join('/'))!.toString();
    const own = `${unpacked(name)}.${process.pid}`;
    writeFileSync(own, serialize(EJSON.parse(json, { relaxed: false }) as Document));
    renameSync(own, unpacked(name));
  }
};

/** The data sets as BSON, after `unpackOfficial`; none if the archives are absent. */
export const officialBytes = (): ReadonlyMap<OfficialName, Uint8Array> =>
  absence() === undefined ? new Map(officialNames.map(name => [name, readFileSync(unpacked(name))])) : new Map();
