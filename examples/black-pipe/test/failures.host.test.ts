import { expect, test } from 'vitest';
import { lostAnswer, lostRead, refusedWrite } from '../src/failures.js';

test('the example tells what the driver does when its server fails', async () => {
  expect([await lostRead(), await refusedWrite(), await lostAnswer()]).toEqual([
    'the find came again on another connection, and found M',
    'the insert came again with the same txnNumber, and was acknowledged',
    'the update was sent twice and carried out 1 time',
  ]);
});
