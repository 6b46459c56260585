import { expect, test } from 'vitest';
import { difference } from '../src/difference.js';
import type { Machine, RowReport } from '../src/report.js';
import { figure, plainTable, readmeTable } from '../src/table.js';

const machine: Machine = { cpu: 'Some Processor', cores: 2, platform: 'linux x64', node: 'v20.19.0' };

const counters = { promises: 5, writes: 1, heapBytes: 4321, listeners: 0 };
const rows: RowReport[] = [
  {
    name: 'findOne',
    inFlight: 16,
    target: 3,
    tolerance: 0,
    cpuRatio: 9.876,
    rateRatio: 5,
    figures: { ours: { cpuMicros: 12.34, perSecond: 54_321 }, theirs: { cpuMicros: 121.9, perSecond: 10_864 } },
    counters: { ours: counters },
    wrong: [],
  },
  { name: 'encode-flat', target: 1.5, tolerance: 0, skipped: 'no data', wrong: [] },
];

test('figure formats three significant digits', () => {
  expect([0, 0.1234, 1.234, 12.34, 123.4, 1234.5].map(figure)).toEqual(['0', '0.123', '1.23', '12.3', '123', '1,235']);
});

test('plainTable shows the ratios, figures and counters of a row, and the reason of a skipped row', () => {
  expect(plainTable(machine, rows).split('\n')).toEqual([
    'row         CPU ratio  target  rate ratio  CPU µs per op            ops/s  promises  writes  heap bytes  listeners',
    'findOne@16       9.88       3        5.00     12.3 / 122  54,321 / 10,864     5 / –   1 / –   4,321 / –      0 / –',
    'encode-flat: skipped: no data',
    'Some Processor, 2 cores, linux x64, Node.js v20.19.0',
    'CPU ratio: official / Tessera, rate ratio: Tessera / official; 2 means half the cost or twice the rate. Pairs: Tessera / official. Counters are per operation.',
  ]);
});

test('plainTable shows the memory of idle connections below the table', () => {
  const idle: RowReport = {
    ...{ name: 'idle', target: 1, tolerance: 0.1, idleHeapRatio: 2, idleResidentRatio: 1.5, wrong: [] },
    idle: {
      ours: { heapBytes: 5_000, residentBytes: 20_480 },
      theirs: { heapBytes: 10_000, residentBytes: 30_720 },
    },
  };
  expect(plainTable(machine, [idle]).split('\n')[1]).toBe(
    'idle: heap per connection 5,000 / 10,000 bytes, ratio 2.00; memory of the process per connection 20 / 30 KiB, ratio 1.50',
  );
});

test('plainTable shows the times of recovery below the table', () => {
  const recover: RowReport = {
    ...{ name: 'recover', target: 1, tolerance: 0.1, wrong: [] },
    recovery: {
      ours: { reset: 5, manyResets: 300, stepDown: 20 },
      theirs: { reset: 10, manyResets: 900, stepDown: 30 },
    },
    recoveryRatios: { reset: 2, manyResets: 3, stepDown: 1.5 },
  };
  expect(plainTable(machine, [recover]).split('\n')[1]).toBe(
    'recover: an operation that loses its connection 5 / 10 ms, ratio 2.00; many of them 300 / 900 ms, ratio 3.00; an insert at a step-down 20 / 30 ms, ratio 1.50',
  );
});

test('readmeTable omits the rates and shows their ratio', () => {
  expect(readmeTable(machine, rows).split('\n').slice(2)).toEqual([
    '| row        | CPU ratio | target | rate ratio | CPU µs per op | promises | writes | heap bytes | listeners |',
    '| ---------- | --------: | -----: | ---------: | ------------: | -------: | -----: | ---------: | --------: |',
    '| findOne@16 |      9.88 |      3 |       5.00 |    12.3 / 122 |    5 / – |  1 / – |  4,321 / – |     0 / – |',
    '',
    '- encode-flat: skipped: no data',
  ]);
});

test('difference names the first different character and quotes both texts', () => {
  expect(difference('{"a":1,"b":2}', '{"a":1,"b":3}')).toBe(
    'at character 11, Tessera has «{"a":1,"b":2}», the official driver «{"a":1,"b":3}»',
  );
});
