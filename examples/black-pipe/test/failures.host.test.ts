import { expect, test } from 'vitest';
import { lostAnswer, lostRead, refusedWrite } from '../src/failures.js';

test('the example reports how the driver handles each server failure', async () => {
  expect([await lostRead(), await refusedWrite(), await lostAnswer()]).toEqual([
    'The driver retried the find on another connection and found M.',
    'The driver retried the insert with the same txnNumber, and it was acknowledged.',
    'The update was sent twice and executed 1 time.',
  ]);
});
