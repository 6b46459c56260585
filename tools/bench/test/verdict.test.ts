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

test('a ratio below its target is a finding, a ratio at its target is not', () => {
  expect(findings(row({ cpuRatio: 3, rateRatio: 1 }), 1)).toEqual([]);
  expect(findings(row({ cpuRatio: 2.99, rateRatio: 0.8 }), 1)).toEqual([
    'ping@16: The ratio of CPU time is 2.99, below its target of 3.',
    'ping@16: The ratio of rates is 0.80, below its target of 1.',
  ]);
});

test('a row may be below its target by its tolerance', () => {
  expect(findings(row({ target: 1, tolerance: 0.1, cpuRatio: 0.91 }), 1)).toEqual([]);
  expect(findings(row({ target: 1, tolerance: 0.1, cpuRatio: 0.89 }), 1)).toHaveLength(1);
});

test('a comparison with only the pool and the connection checks the added promises, not the rates', () => {
  const against = { name: 'stack-findOne', against: 'bare', target: 0.625, cpuRatio: 0.7, rateRatio: 0.7 } as const;
  const made = (promises: number) => ({ ...bounds['stack-findOne']!, promises });
  expect(findings(row({ ...against, counters: { ours: made(3.5), theirs: made(1.5) } }), 1)).toEqual([]);
  expect(findings(row({ ...against, counters: { ours: made(3.5), theirs: made(1.4) } }), 1)).toEqual([
    'The whole driver creates 2.1 more promises per operation than the pool and the connection, above the bound of 2.',
  ]);
});

test('a short run requires half of the target and does not check rates', () => {
  expect(findings(row({ cpuRatio: 1.6, rateRatio: 0.1 }), short.share)).toEqual([]);
  expect(findings(row({ cpuRatio: 1.4 }), short.share)).toEqual([
    'ping@16: The ratio of CPU time is 1.40, below the minimum of 1.5 for a short run.',
  ]);
});

test('a short run requires half of the ratio that a row reaches, if that is below its target', () => {
  expect(findings(row({ reached: 2, cpuRatio: 1 }), short.share)).toEqual([]);
  expect(findings(row({ reached: 2, cpuRatio: 0.9 }), short.share)).toEqual([
    'ping@16: The ratio of CPU time is 0.90, below the minimum of 1 for a short run.',
  ]);
  expect(findings(row({ reached: 2, cpuRatio: 2 }), 1)).toEqual([
    'ping@16: The ratio of CPU time is 2.00, below its target of 3.',
  ]);
});

test('the rates of a row have a target of their own', () => {
  expect(findings(row({ rateTarget: 3.2, rateRatio: 3.2 }), 1)).toEqual([]);
  expect(findings(row({ rateTarget: 3.2, rateRatio: 3.1 }), 1)).toEqual([
    'ping@16: The ratio of rates is 3.10, below its target of 3.2.',
  ]);
});

test('idle connections that use more memory than those of the official driver are findings', () => {
  expect(findings({ ...row({ idleHeapRatio: 0.8, idleResidentRatio: 0.5, target: 1 }), name: 'idle' }, 1)).toEqual([
    'idle@16: The ratio of heap per idle connection is 0.80, below its target of 1.',
    'idle@16: The ratio of memory per idle connection is 0.50, below its target of 1.',
  ]);
});

test('a slower recovery than that of the official driver is a finding, and so is a retry that waits', () => {
  const times = { reset: 500, manyResets: 900, stepDown: 30 };
  const recovery = { ours: times, theirs: { ...times, reset: 10 } };
  const recoveryRatios = { reset: 0.02, manyResets: 1, stepDown: 1 };
  expect(findings({ name: 'recover', target: 1, tolerance: 0.1, wrong: [], recovery, recoveryRatios }, 1)).toEqual([
    'recover: An operation that loses its connection takes 500 ms, above the bound of 100 ms.',
    'recover: The ratio of recovery after a lost connection is 0.02, below its target of 1.',
  ]);
});

test('a counter above its bound is a finding, even in a short run', () => {
  const ours = { ...bounds['ping']!, writes: 2, listeners: 1 };
  expect(findings(row({ counters: { ours } }), short.share)).toEqual([
    'ping: 2 socket writes per operation, above the bound of 1 in tools/bench/src/bounds.ts.',
    'ping: 1 remaining listeners per operation, above the bound of 0 in tools/bench/src/bounds.ts.',
  ]);
});

test('every row that repeats an operation has bounds, and all bounds belong to a row', () => {
  const repeated = rows.filter(({ is }) => is === 'codec' || is === 'driver').map(({ name }) => name);
  expect(Object.keys(bounds).sort()).toEqual([...new Set(repeated)].sort());
});

test('tallyOf counts each row as passed, failed with all its findings, or skipped with the reason', () => {
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
