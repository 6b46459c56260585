import { expect, test } from 'vitest';
import { compare, median } from '../src/ratio.js';
import type { Round } from '../src/ratio.js';

const slice = (operations: number, cpuMicros: number, wallMicros: number) => ({ operations, cpuMicros, wallMicros });

test('median returns the middle value, or the mean of the two middle values', () => {
  expect(median([9, 1, 4])).toBe(4);
  expect(median([10, 1, 4, 2])).toBe(3);
});

test('the CPU ratio is official / Tessera, the rate ratio is Tessera / official, both per operation', () => {
  const rounds: Round[] = [{ ours: slice(10, 100, 200), theirs: slice(5, 200, 400) }];
  expect(compare(rounds)).toEqual({
    cpuRatio: 4,
    rateRatio: 4,
    figures: { ours: { cpuMicros: 10, perSecond: 50_000 }, theirs: { cpuMicros: 40, perSecond: 12_500 } },
  });
});

test('ratios are medians over rounds, so a slow round does not change them', () => {
  const rounds: Round[] = [
    { ours: slice(1, 10, 10), theirs: slice(1, 30, 30) },
    { ours: slice(1, 1000, 1000), theirs: slice(1, 3000, 3000) },
    { ours: slice(1, 20, 20), theirs: slice(1, 60, 60) },
  ];
  expect(compare(rounds)).toMatchObject({ cpuRatio: 3, rateRatio: 3 });
});
