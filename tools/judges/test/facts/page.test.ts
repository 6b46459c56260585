import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { expect, test } from 'vitest';
import { parseFacts, readFacts } from '../../src/facts/fact-file.js';
import { tableOf } from '../../src/facts/page.js';

const cellsOf = (page: string): readonly string[][] =>
  page
    .split('\n')
    .filter(line => line.startsWith('|') && !line.startsWith('| --'))
    .map(line => line.split('|').map(cell => cell.trim()));

test('the table counts the files and facts of each folder', () => {
  const text =
    '{"source":"jstests/a/b.js"}\n[{"create":"t"}]\n[{"ping":1},{"ok":true}]\n[{"pong":1},{"code":1},"Absent."]';
  expect(cellsOf(tableOf([parseFacts('a/b', text), parseFacts('a/c', text), parseFacts('d/e', text)]))).toEqual([
    ['', 'Folder', 'Files', 'Facts', 'Not held', ''],
    ['', '`jstests/a`', '2', '4', '2', ''],
    ['', '`jstests/d`', '1', '2', '1', ''],
    ['', 'all', '3', '6', '3', ''],
  ]);
});

test('docs/facts.md has the numbers that `npm run facts -- --write` writes', () => {
  const page = readFileSync(join(root, 'docs', 'facts.md'), 'utf8');
  expect(cellsOf(page)).toEqual(cellsOf(tableOf(readFacts([]))));
});
