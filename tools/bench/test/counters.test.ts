import { expect, test } from 'vitest';
import { promisesDuring } from '../src/counters/promises.js';

const creating = (count: number) => async (): Promise<void> => {
  for (let number = 0; number < count; number += 1) void Promise.resolve();
};

test('promises are counted one by one', async () => {
  // Whoever else runs in this thread may create some meanwhile.
  expect((await promisesDuring(creating(100_000))) / 100_000).toBeCloseTo(1, 2);
});
