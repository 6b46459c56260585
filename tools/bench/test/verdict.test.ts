import { expect, test } from 'vitest';
import { bounds } from '../src/bounds.js';
import type { RowReport } from '../src/report.js';
import { rows } from '../src/rows.js';
import { short } from '../src/effort.js';
import { findings, tallyOf } from '../src/verdict.js';

const row = (rest: Partial<RowReport>): RowReport => ({
  name: 'ping',
  inFlight: 16,
  target: 3,
  tolerance: 0,
  wrong: [],
  ...rest,
});

test('a ratio at its target is no finding, one under it is a sentence', () => {
  expect(findings(row({ cpuRatio: 3, rateRatio: 1 }), 1)).toEqual([]);
  expect(findings(row({ cpuRatio: 2.99, rateRatio: 0.8 }), 1)).toEqual([
    'ping@16: the ratio of CPU time is 2.99, under its target of 3.',
    'ping@16: the ratio of rates is 0.80, under its target of 1.',
  ]);
});

test('a row may fall below its target by its tolerance', () => {
  expect(findings(row({ target: 1, tolerance: 0.1, cpuRatio: 0.91 }), 1)).toEqual([]);
  expect(findings(row({ target: 1, tolerance: 0.1, cpuRatio: 0.89 }), 1)).toHaveLength(1);
});

test('beside pool and connection alone neither rates count nor how few promises they make, but how many more', () => {
  const against = { name: 'stack-findOne', against: 'bare', target: 0.625, cpuRatio: 0.7, rateRatio: 0.7 } as const;
  const made = (promises: number) => ({ ...bounds['stack-findOne']!, promises });
  expect(findings(row({ ...against, counters: { ours: made(5.5), theirs: made(1.5) } }), 1)).toEqual([]);
  expect(findings(row({ ...against, counters: { ours: made(5.5), theirs: made(1.4) } }), 1)).toEqual([
    'The whole driver makes 4.1 promises more per operation than pool and connection alone, over the bound of 4.',
  ]);
});

test('a short run asks for half of the target, and nothing of real time', () => {
  expect(findings(row({ cpuRatio: 1.6, rateRatio: 0.1 }), short.share)).toEqual([]);
  expect(findings(row({ cpuRatio: 1.4 }), short.share)).toEqual([
    'ping@16: the ratio of CPU time is 1.40, under the floor of a short run, 1.5.',
  ]);
});

test('idle connections that take more than those of the official driver are a finding each', () => {
  expect(findings({ ...row({ idleHeapRatio: 0.8, idleResidentRatio: 0.5, target: 1 }), name: 'idle' }, 1)).toEqual([
    'idle@16: the ratio of heap per idle connection is 0.80, under its target of 1.',
    'idle@16: the ratio of memory per idle connection is 0.50, under its target of 1.',
  ]);
});

test('a counter over its bound is a sentence, in a short run, too', () => {
  const ours = { ...bounds['ping']!, writes: 2, listeners: 1 };
  expect(findings(row({ counters: { ours } }), short.share)).toEqual([
    'ping: 2 socket writes per operation, over the bound of 1 in tools/bench/src/bounds.ts.',
    'ping: 1 listeners left behind per operation, over the bound of 0 in tools/bench/src/bounds.ts.',
  ]);
});

test('every row that repeats an operation has bounds, and no bounds stand for nothing', () => {
  const repeated = rows.filter(({ is }) => is === 'codec' || is === 'driver').map(({ name }) => name);
  expect(Object.keys(bounds).sort()).toEqual([...new Set(repeated)].sort());
});

test('each row is one check: passed, failed with all its findings, or skipped with the reason', () => {
  const judged = [
    { row: row({}), findings: [] },
    { row: row({ inFlight: 1 }), findings: ['One.', 'Two.'] },
    { row: row({ name: 'encode-flat', skipped: 'no data' }), findings: [] },
  ];
  expect(tallyOf(judged)).toEqual({
    passed: 1,
    failed: [{ title: 'bench ping@1', reason: 'One. Two.' }],
    skipped: [{ title: 'bench encode-flat@16', reason: 'no data' }],
  });
});
