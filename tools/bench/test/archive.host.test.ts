import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readArchive } from '../src/documents/archive.js';

/** An archive entry: header, content, and zeros up to a multiple of 512 bytes. */
const entry = (name: string, content: string): Buffer => {
  const header = Buffer.alloc(512);
  header.write(name, 0, 'latin1');
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc(-content.length & 511)]);
};

test('readArchive returns ustar files of all lengths by name, and stops at the empty block', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const path = join(folder, 'some.tgz');
  const contents = { 'data/': '', 'data/one.json': '{"a":1}', 'data/long.json': 'x'.repeat(1024), last: '.' };
  const entries = Object.entries(contents).map(([name, content]) => entry(name, content));
  writeFileSync(path, gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])));
  const files = [...readArchive(path)].map(([name, bytes]) => [name, bytes.toString()]);
  rmSync(folder, { recursive: true });
  expect(Object.fromEntries(files)).toEqual(contents);
});
