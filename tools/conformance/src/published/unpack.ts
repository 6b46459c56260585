import { gunzipSync } from 'node:zlib';
import { applyPatch, parsePatch } from 'diff';
import { unzipSync } from 'fflate';
import { parseTar } from 'nanotar';
import type { DriverPackage, Move } from './packages.js';

type Files = ReadonlyMap<string, Uint8Array>;

const readArchive = ({ registry }: DriverPackage, bytes: Uint8Array): Files => {
  if (registry === 'Go') return new Map(Object.entries(unzipSync(bytes)));
  return new Map(parseTar(gunzipSync(bytes)).flatMap(({ name, data }) => (data === undefined ? [] : [[name, data]])));
};

const text = (bytes: Uint8Array | undefined): string => (bytes === undefined ? '' : new TextDecoder().decode(bytes));

/** Removes the `a/` or `b/` that git puts before the file names in a patch. */
const patched = (name: string): string => name.replace(/^[ab]\//, '');

/** Applies the package's patches to its files. @throws Error if a patch does not apply */
const officialFiles = ({ name, root, patches }: DriverPackage, files: Files): Files => {
  if (patches === undefined) return files;
  const all = new Map(files);
  const top = root.slice(0, root.indexOf('/'));
  for (const [path, bytes] of files) {
    if (!path.startsWith(`${patches}/`) || !path.endsWith('.patch')) continue;
    for (const patch of parsePatch(text(bytes))) {
      const target = `${top}/${patched(patch.newFileName ?? '')}`;
      const result = applyPatch(text(all.get(target)), patch);
      if (result === false) throw new Error(`The patch ${path} of ${name} does not apply to ${target}.`);
      all.set(target, new TextEncoder().encode(result));
    }
  }
  return all;
};

/** Returns a package file's path in the specifications' folder; undefined if the file is not a fixture. */
const placeOf = (path: string, moves: readonly Move[]): string | undefined => {
  for (const { from, to, prefix = '' } of moves)
    if (path.startsWith(`${from}/${prefix}`)) return `${to}${path.slice(from.length)}`;
  return undefined;
};

/** Returns the official fixtures of a package, by their paths in the specifications' folder. */
export const unpack = (one: DriverPackage, archive: Uint8Array): Files => {
  const fixtures = new Map<string, Uint8Array>();
  for (const [path, bytes] of officialFiles(one, readArchive(one, archive))) {
    const isFixture = path.startsWith(`${one.root}/`) && /\.json(?:\.gz)?$/.test(path);
    const place = isFixture ? placeOf(path.slice(one.root.length + 1), one.moves) : undefined;
    if (place === undefined) continue;
    const isZipped = place.endsWith('.gz');
    fixtures.set(isZipped ? place.slice(0, -3) : place, isZipped ? gunzipSync(bytes) : bytes);
  }
  return fixtures;
};
