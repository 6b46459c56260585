import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNode } from '@tessera/node';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { host } = createNode();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-log-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('Logging, "Configurable Log Destination": appends to a file, creates it if needed, and allows moving it', () => {
  const path = join(folder, 'driver.log');
  const first = host.openLog?.(path);
  expect(readFileSync(path, 'utf8')).toBe('');
  first?.('one');
  const write = host.openLog?.(path);
  write?.('two');
  renameSync(path, `${path}.1`);
  write?.('three');
  expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['one\ntwo\n', 'three\n']);
});

test('Logging, "Configurable Log Destination": throws at once if a file cannot be written', () => {
  expect(() => host.openLog?.(join(folder, 'no', 'such', 'folder'))).toThrow('ENOENT');
});
