import { expect, test } from 'vitest';
import { linesOfFolders, linesReport, sourceLines, tooLong } from '../../src/docs/lines.js';

const files = sourceLines();

test('every source file has at most 500 lines, and every package at most 25000', () => {
  expect(tooLong(files)).toEqual([]);
});

test('tooLong reports a file of 501 lines', () => {
  const added = { path: 'tools/house/src/planted.ts', lines: 501 };
  expect(tooLong([...files, added])).toEqual(['tools/house/src/planted.ts has 501 lines. The limit is 500.']);
});

test('tooLong reports a package of 25001 lines in short files, but no tool', () => {
  const filled = (folder: string): { path: string; lines: number }[] => {
    const { lines } = linesOfFolders(files).find(({ path }) => path === folder)!;
    const rest = 25_001 - lines;
    return Array.from({ length: Math.ceil(rest / 500) }, (_, index) => ({
      path: `${folder}/src/planted/${index}.ts`,
      lines: Math.min(500, rest - 500 * index),
    }));
  };
  expect(tooLong([...files, ...filled('packages/server'), ...filled('tools/judges')])).toEqual([
    'packages/server has 25001 lines. The limit is 25000.',
  ]);
});

test('linesReport lists the lines of packages, tools and examples, the largest first', () => {
  const some = [
    { path: 'packages/pool/src/pool.ts', lines: 400 },
    { path: 'tools/judges/src/engines/main.ts', lines: 300 },
    { path: 'packages/pool/src/lease.ts', lines: 50 },
    { path: 'tools/judges/src/peers/main.ts', lines: 250 },
    { path: 'examples/custom-client/src/client.ts', lines: 20 },
  ];
  expect(linesReport(some)).toEqual([
    'tools/judges: 550 lines',
    'packages/pool: 450 of 25000 lines',
    'examples/custom-client: 20 lines',
  ]);
});
