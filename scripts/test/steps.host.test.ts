import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepOnly, moduleFolder, testEnvironment } from '../steps.mjs';

test('tests run on the build if it succeeded', () => {
  expect(testEnvironment(true)).toEqual({ MODULES: moduleFolder(), TESTED: 'build' });
  expect(testEnvironment(false)).toEqual({ MODULES: moduleFolder() });
});

test('compiled modules of other packages or settings are removed', () => {
  const modules = mkdtempSync(join(tmpdir(), 'modules-'));
  const kept = join(modules, 'kept');
  for (const name of ['old', 'kept']) {
    mkdirSync(join(modules, name));
    writeFileSync(join(modules, name, 'module.js'), '');
  }
  keepOnly(kept);
  expect([readdirSync(modules), readdirSync(kept)]).toEqual([['kept'], ['module.js']]);
  rmSync(modules, { recursive: true });
});
