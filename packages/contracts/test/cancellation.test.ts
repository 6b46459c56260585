import { Cancellation } from '@tessera/contracts';
import { expect, test } from 'vitest';

test('a cancellation tells each listener once that it is aborted, and why; who has gone is not told', () => {
  const cancellation = new Cancellation();
  const calls: unknown[] = [];
  const gone = (): void => void calls.push('gone');
  cancellation.addEventListener('abort', gone);
  cancellation.addEventListener('abort', () => calls.push([cancellation.aborted, cancellation.reason]));
  cancellation.removeEventListener('abort', gone);
  expect([cancellation.aborted, cancellation.reason]).toEqual([false, undefined]);
  cancellation.abort('enough');
  cancellation.abort('more');
  expect([calls, cancellation.reason]).toEqual([[[true, 'enough']], 'enough']);
});
