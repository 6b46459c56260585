import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { members, root } from '../workspace.mjs';

test('the test script of every package runs the unit tests of its own folder', () => {
  const wrong = members().filter(folder => {
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    const { scripts = {} } = JSON.parse(manifest) as { scripts?: { test?: string } };
    const own = `vitest run --root ../.. --project unit ${relative(root, folder).replaceAll('\\', '/')}/`;
    return scripts.test !== undefined && scripts.test !== own;
  });
  expect(wrong).toEqual([]);
});
