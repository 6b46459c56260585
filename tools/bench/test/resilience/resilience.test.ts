import { beforeAll, describe, expect, test } from 'vitest';
import { draw } from '../../src/resilience/drawing.js';
import { findingsOf } from '../../src/resilience/findings.js';
import { measure } from '../../src/resilience/measure.js';
import type { Measured } from '../../src/resilience/measure.js';
import { simulated } from '../../src/resilience/place.js';
import { strategies } from '../../src/resilience/strategies.js';
import { textOf } from '../../src/resilience/table.js';
import type { Outcome } from '../../src/resilience/trial.js';
import { judge } from '../../src/resilience/verdict.js';

const outcome = (rest: Partial<Outcome>): Outcome => ({
  counted: 1,
  acknowledged: true,
  spent: 2,
  commands: 1,
  pauses: [],
  ...rest,
});
const [dontRetry] = strategies;
const verdict = (fault: Parameters<typeof judge>[0], ...outcomes: Partial<Outcome>[]): string =>
  judge(fault, dontRetry!, outcomes.map(outcome), 30_000).verdict;

test('a counter that was incremented twice gives the verdict "may overcount" for every fault', () => {
  expect(verdict('transient', {}, { counted: 2 })).toBe('may overcount');
  expect(verdict('outage', { counted: 2, spent: 120_000 })).toBe('may overcount');
});

test('a missing increment gives "may undercount" if a retry would have applied it', () => {
  expect(verdict('transient', {}, { counted: 0 })).toBe('may undercount');
  expect(verdict('overload', {}, { counted: 0 })).toBe('may undercount');
  expect(verdict('outage', { counted: 0, acknowledged: false, spent: 30_000 })).toBe('correct');
  expect(verdict('command', { counted: 0, acknowledged: false })).toBe('correct');
});

test('waiting more than once for a server, or retrying a permanent error, gives "wastes time"', () => {
  expect(verdict('outage', { spent: 60_000 })).toBe('wastes time');
  expect(verdict('command', { commands: 2 })).toBe('wastes time');
});

test('immediate retries under overload give "adds load"', () => {
  expect(verdict('overload', { commands: 2, pauses: [1] })).toBe('adds load');
  expect(verdict('overload', { commands: 2, pauses: [80] })).toBe('correct');
});

test('an acknowledged increment that is missing counts as lost', () => {
  const cell = judge('transient', dontRetry!, [outcome({ counted: 0 }), outcome({ acknowledged: false })], 30_000);
  expect([cell.lost, cell.missing, cell.doubled, cell.counted]).toEqual([1, 1, 0, 1]);
});

/** Few counters are enough for every verdict with this seed; the step `resilience` of `npm test` measures more. */
const measured = (seed: number): Promise<Measured> => measure(simulated(seed), 3, seed);

describe('a measurement', { timeout: 120_000 }, () => {
  let first: Measured;
  beforeAll(async () => {
    first = await measured(1);
  }, 120_000);

  test('has the expected verdict in every cell', () => {
    expect(findingsOf(first)).toEqual([]);
  });

  test('has the same table and chart with the same seed, and another table with another seed', async () => {
    const second = await measured(1);
    expect([textOf(second), draw(second)]).toEqual([textOf(first), draw(first)]);
    expect(textOf(await measured(2))).not.toEqual(textOf(first));
  });
});
