import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesUnder, installPacked, runIn } from '../src/index.js';

const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name);

test('installPacked installs the packages and their dependencies, and nothing else of the workspace', async () => {
  const project = await installPacked(['@tessera/contracts']);
  expect(readdirSync(join(project, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    '@tessera',
    'bson',
  ]);
  expect(readdirSync(join(project, 'node_modules', '@tessera'))).toEqual(['contracts']);
  expect(existsSync(join(project, 'node_modules', '@tessera', 'contracts', 'src'))).toBe(false);
  expect(await installPacked(['@tessera/contracts'])).toBe(project);
});

test('a package that is not installed in the project is not found in the workspace', async () => {
  const { stdout } = await runIn(await installPacked(['@tessera/contracts']), fixture('absent.mjs'));
  expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
});

test('runIn returns the output of a script that exits with code 0', async () => {
  const { stdout } = await runIn(await installPacked(['@tessera/contracts']), fixture('stack.mjs'));
  expect(stdout).toBe('outer inner\n');
});

test('runIn throws an error with the output of a script that fails', async () => {
  const project = await installPacked(['@tessera/contracts']);
  await expect(runIn(project, fixture('fails.mjs'))).rejects.toThrow(/exited with code 3: no such luck/);
});

test('bytesUnder returns the total size of all files below a folder', () => {
  const sizes = ['absent.mjs', 'fails.mjs', 'stack.mjs'].map(name => statSync(fixture(name)).size);
  expect(bytesUnder(join(import.meta.dirname, 'fixtures'))).toBe(sizes.reduce((sum, size) => sum + size, 0));
});
