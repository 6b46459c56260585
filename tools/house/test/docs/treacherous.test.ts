import { expect, test } from 'vitest';
import { textOf } from '../../src/docs/repository.js';
import { missingTests, treacherousPage } from '../../src/docs/treacherous/page.js';
import { readPoints } from '../../src/docs/treacherous/points.js';

const points = readPoints();

test('there are twenty treacherous points, each with existing tests', () => {
  expect(points.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(missingTests(points, textOf)).toEqual([]);
});

test('docs/treacherous-points.md is up to date (`npm run docs`)', () => {
  const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
  expect(plain(textOf('docs/treacherous-points.md'))).toEqual(plain(treacherousPage(points)));
});

test('missingTests reports a listed test that does not exist, and a point without tests', () => {
  const some = [
    { number: 1, rule: 'a', tests: [['server/x', "it's so"] as const, ['server/x', 'it is not'] as const] },
    { number: 2, rule: 'b', tests: [] },
  ];
  expect(missingTests(some, () => "test('it\\'s so, always', () => {});")).toEqual([
    'Point 1: packages/server/test/x.test.ts has no test "it is not".',
    'Point 2 has no test.',
  ]);
});
