import { expect, test } from 'vitest';
import { draw } from '../../src/resilience/drawing.js';
import { findingsOf } from '../../src/resilience/findings.js';
import { measure } from '../../src/resilience/measure.js';
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

test('a counter that was incremented twice is an overcount, whatever else was right', () => {
  expect(verdict('transient', {}, { counted: 2 })).toBe('may overcount');
  expect(verdict('outage', { counted: 2, spent: 120_000 })).toBe('may overcount');
});

test('an event that was not counted is an undercount where another try would have counted it', () => {
  expect(verdict('transient', {}, { counted: 0 })).toBe('may undercount');
  expect(verdict('overload', {}, { counted: 0 })).toBe('may undercount');
  expect(verdict('outage', { counted: 0, acknowledged: false, spent: 30_000 })).toBe('correct');
  expect(verdict('command', { counted: 0, acknowledged: false })).toBe('correct');
});

test('time is wasted by waiting for a lost server more than once, and by repeating what was refused for good', () => {
  expect(verdict('outage', { spent: 60_000 })).toBe('wastes time');
  expect(verdict('command', { commands: 2 })).toBe('wastes time');
});

test('retries that come at once add to the load of a server that has too much of it', () => {
  expect(verdict('overload', { commands: 2, pauses: [1] })).toBe('adds load');
  expect(verdict('overload', { commands: 2, pauses: [80] })).toBe('correct');
});

test('an increment that was acknowledged and is not there is lost', () => {
  const cell = judge('transient', dontRetry!, [outcome({ counted: 0 }), outcome({ acknowledged: false })], 30_000);
  expect([cell.lost, cell.missing, cell.doubled, cell.counted]).toEqual([1, 1, 0, 1]);
});

test('every cell is as the document of old states, and the same seed gives the same bytes', async () => {
  const [first, second] = [await measure(simulated(7), 10, 7), await measure(simulated(7), 10, 7)];
  expect(findingsOf(first)).toEqual([]);
  expect([textOf(second), draw(second)]).toEqual([textOf(first), draw(first)]);
  expect(textOf(await measure(simulated(8), 10, 8))).not.toEqual(textOf(first));
}, 120_000);
