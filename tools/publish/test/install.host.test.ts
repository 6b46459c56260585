import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesUnder, installPacked, runIn } from '../src/index.js';

const fixture = (name: string): string => join(import.meta.dirname, 'fixtures', name);

test('a project holds the packages that were asked for and what they depend on, and nothing of the workspace', async () => {
  const project = await installPacked(['@tessera/contracts']);
  expect(readdirSync(join(project, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
    '@tessera',
    'bson',
  ]);
  expect(readdirSync(join(project, 'node_modules', '@tessera'))).toEqual(['contracts']);
  expect(existsSync(join(project, 'node_modules', '@tessera', 'contracts', 'src'))).toBe(false);
  expect(await installPacked(['@tessera/contracts'])).toBe(project);
});

test('what is not installed in a project is not found, though the workspace around it has it', async () => {
  const { stdout } = await runIn(await installPacked(['@tessera/contracts']), fixture('absent.mjs'));
  expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
});

test('a script that ends well gives back what it printed', async () => {
  const { stdout } = await runIn(await installPacked(['@tessera/contracts']), fixture('stack.mjs'));
  expect(stdout).toBe('outer inner\n');
});

test('a script that fails is an error that says what it said', async () => {
  const project = await installPacked(['@tessera/contracts']);
  await expect(runIn(project, fixture('fails.mjs'))).rejects.toThrow(/exit code 3: no such luck/);
});

test('the bytes of a folder are those of all files under it', () => {
  const sizes = ['absent.mjs', 'fails.mjs', 'stack.mjs'].map(name => statSync(fixture(name)).size);
  expect(bytesUnder(join(import.meta.dirname, 'fixtures'))).toBe(sizes.reduce((sum, size) => sum + size, 0));
});
