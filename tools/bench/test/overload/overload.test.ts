import { expect, test } from 'vitest';
import { figuresOf, percentile } from '../../src/overload/figures.js';
import { findingsOf } from '../../src/overload/findings.js';
import { readParameters } from '../../src/overload/parameters.js';
import { policies } from '../../src/overload/policies.js';
import { draw, textOf } from '../../src/overload/report.js';
import { runPolicy } from '../../src/overload/run.js';
import type { Second } from '../../src/overload/run.js';

const parameters = { ...readParameters(), overloadFrom: 2, overloadTo: 4 };

const second = (began: number, done: number, commands = began): Second => ({
  began,
  latencies: Array.from({ length: done }, (_, index) => index + 1),
  failed: began - done,
  commands,
});

test('a system has recovered when nearly all operations succeed for five consecutive seconds', () => {
  const healthy = Array.from({ length: 10 }, () => second(100, 100));
  const overloaded = [second(100, 40), second(100, 100), second(100, 60)];
  const start = [second(100, 100), second(100, 100), second(300, 150), second(300, 150)];
  expect(figuresOf([...start, ...healthy], parameters).recovery).toBe(0);
  expect(figuresOf([...start, ...overloaded, ...healthy], parameters).recovery).toBe(3);
  expect(figuresOf([...start, ...overloaded, ...overloaded], parameters).recovery).toBeUndefined();
});

test('goodput counts successful operations, and retries the commands beyond the first of each operation', () => {
  const { during } = figuresOf([second(1, 1), second(1, 1), second(300, 150, 500), second(300, 150, 700)], parameters);
  expect(during).toEqual({ arrival: 300, goodput: 150, median: 76, percentile99: 149, retries: 300 });
});

test('the percentile of an empty list is NaN', () => {
  expect(percentile([], 0.5)).toBeNaN();
  expect(percentile([3, 1, 2], 0.5)).toBe(2);
});

test('a system that does not recover is a finding for the policies that must recover', () => {
  const figures = { ...figuresOf([second(1, 1), second(1, 1), second(1, 1)], parameters), recovery: undefined };
  const ran = policies.map(policy => ({ policy, seconds: [], figures }));
  expect(findingsOf(ran).map(({ title }) => title)).toEqual([
    'overload: no retries',
    'overload: the default',
    'overload: token bucket of 10',
  ]);
});

test('the same seed gives the same table and charts', async () => {
  const small = { ...readParameters(), clients: 10, seconds: 8, normalRate: 40, overloadFrom: 2, overloadTo: 4 };
  const once = async (seed: number) => {
    const policy = policies.find(({ name }) => name === 'the default')!;
    const seconds = await runPolicy(policy, { ...small, seed });
    return [{ policy, seconds, figures: figuresOf(seconds, small) }];
  };
  const [first, second_, other] = [await once(3), await once(3), await once(4)];
  expect([textOf(second_, small), draw(second_, small)]).toEqual([textOf(first, small), draw(first, small)]);
  expect(draw(other, small)).not.toEqual(draw(first, small));
}, 60_000);
