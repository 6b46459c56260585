import { expect, test } from 'vitest';
import { promisesDuring } from '../src/counters/promises.js';

const creating = (count: number) => async (): Promise<void> => {
  for (let number = 0; number < count; number += 1) void Promise.resolve();
};

test('promisesDuring counts every promise', async () => {
  // Other code in this thread may create a few promises meanwhile.
  expect((await promisesDuring(creating(100_000))) / 100_000).toBeCloseTo(1, 2);
});
