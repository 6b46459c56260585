import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const block = 512;

const textAt = (bytes: Buffer, at: number, length: number): string =>
  bytes
    .toString('latin1', at, at + length)
    .split('\0', 1)[0]!
    .trim();

/** Returns the files of a `.tgz` archive by name. Rule: POSIX `ustar`, a header of 512 bytes before each file. */
export const readArchive = (path: string): ReadonlyMap<string, Buffer> => {
  const bytes = gunzipSync(readFileSync(path));
  const files = new Map<string, Buffer>();
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0;) {
    const size = Number.parseInt(textAt(bytes, at + 124, 12), 8);
    files.set(textAt(bytes, at, 100), bytes.subarray(at + block, at + block + size));
    at += block + Math.ceil(size / block) * block;
  }
  return files;
};
