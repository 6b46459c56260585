import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { groups, tablesOf } from '../../src/mistakes/page.js';
import { startDeployments } from '../../src/mistakes/run.js';

/** Returns the cells of all rows, without the padding of the formatter. */
const cellsOf = (page: string): readonly string[][] =>
  page
    .split('\n')
    .filter(line => line.startsWith('|') && !line.startsWith('| --'))
    .map(line => line.split(/(?<!\\)\|/).map(cell => cell.trim()));

test(
  'docs/errors.md has the errors of both drivers that `npm run mistakes -- --write` finds',
  { timeout: 120_000 },
  async () => {
    await using deployments = await startDeployments();
    const page = readFileSync(join(root, 'docs', 'errors.md'), 'utf8');
    expect(cellsOf(page)).toEqual(cellsOf(await tablesOf(deployments)));
  },
);

test('the page has at least forty mistakes', () => {
  expect(Object.values(groups).flat().length).toBeGreaterThanOrEqual(40);
});
