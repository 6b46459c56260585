import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, specificationFolders } from '@tessera-tools/house';
import { EJSON, serialize } from 'bson';
import { readArchive } from './archive.js';
import type { Document } from './varied.js';

/** The archive and the file of each data set of the specification "Benchmarking". */
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

/** Returns the path of a data set's archive, or of its file if unpacked; undefined if neither exists. */
const placeOf = (name: OfficialName): string | undefined => {
  const [archive, file] = places[name];
  return specificationFolders()
    .flatMap(folder => [`${archive}.tgz`, join(archive, file)].map(path => join(folder, 'benchmarking', 'data', path)))
    .find(path => existsSync(path));
};

/** Returns the reason if the data sets are not available; else undefined. */
export const absence = (): string | undefined => {
  const missing = officialNames.find(name => placeOf(name) === undefined);
  return missing === undefined
    ? undefined
    : `the official data set ${missing} is absent; run \`npm run fixtures\`, or set SPECIFICATIONS_DIR`;
};

const cache = join(root, '.cache', 'bench');
const unpacked = (name: OfficialName): string => join(cache, `${name}.bson`);

const isFresh = (name: OfficialName): boolean =>
  existsSync(unpacked(name)) && statSync(unpacked(name)).mtimeMs > statSync(placeOf(name)!).mtimeMs;

/** Parses Extended JSON of version 1 or 2. The data sets in driver packages use version 1: `$binary` with `$type`. */
export const parseDocument = (json: string): Document =>
  EJSON.parse(json, { relaxed: false, legacy: json.includes('"$type"') }) as Document;

/**
 * Converts the data sets to BSON files in the cache, once, because the archives are large. Numbers keep their types.
 */
export const unpackOfficial = (): void => {
  if (absence() !== undefined || officialNames.every(isFresh)) return;
  mkdirSync(cache, { recursive: true });
  const archives = new Map<string, ReadonlyMap<string, Buffer>>();
  for (const name of officialNames) {
    const path = placeOf(name)!;
    if (path.endsWith('.tgz') && !archives.has(path)) archives.set(path, readArchive(path));
    const json = (archives.get(path)?.get(places[name].join('/')) ?? readFileSync(path)).toString();
    const own = `${unpacked(name)}.${process.pid}`;
    writeFileSync(own, serialize(parseDocument(json)));
    renameSync(own, unpacked(name));
  }
};

/** Reads the data sets as BSON. Call `unpackOfficial` first. Empty if the archives are absent. */
export const officialBytes = (): ReadonlyMap<OfficialName, Uint8Array> =>
  absence() === undefined ? new Map(officialNames.map(name => [name, readFileSync(unpacked(name))])) : new Map();
