import { expect, test } from 'vitest';
import type { Case } from '../../src/differential/operation.js';
import { smallerCases } from '../../src/differential/smaller.js';
import { shrink } from '../../src/shrink.js';

const start: Case = {
  documents: [
    { _id: 1, a: [1, { x: 2 }], b: 'text' },
    { _id: 2, a: { $numberLong: '5' } },
  ],
  foreign: [{ _id: 1 }],
  operation: {
    family: 'a test',
    command: { find: 'c', filter: { $or: [{ a: { $gt: 1 } }, { b: { $in: ['x', 'y'] } }] } },
  },
};

test('removes everything that the failure does not need', async () => {
  const fails = (candidate: Case): Promise<boolean> =>
    Promise.resolve(JSON.stringify(candidate.operation).includes('"$in"'));
  expect(await shrink(start, smallerCases, fails, 500)).toEqual({
    documents: [],
    foreign: [],
    operation: { family: 'a test', command: { find: 'c', filter: { $in: [] } } },
  });
});

test('keeps a case whose smaller cases do not fail', async () => {
  expect(await shrink(start, smallerCases, () => Promise.resolve(false), 500)).toEqual(start);
});

test('tries no more cases than allowed', async () => {
  let tried = 0;
  const fails = (): Promise<boolean> => Promise.resolve(++tried > 0);
  await shrink(start, smallerCases, fails, 7);
  expect(tried).toBeLessThanOrEqual(7);
});
