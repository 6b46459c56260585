import { readFileSync } from 'node:fs';
import { withContent } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { reasons, tableOf } from '../../src/rough/reasons.js';

const cells = (page: string): string[] => page.split('\n').map(row => row.replace(/[ -]+/g, ' '));

test('docs/rough.md contains the table that `npm run rough -- --write` writes', () => {
  const page = readFileSync(new URL('../../../../docs/rough.md', import.meta.url), 'utf8');
  expect(cells(page)).toEqual(cells(withContent(page, 'rough', tableOf(reasons))));
});
