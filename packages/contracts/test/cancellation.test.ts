import { Cancellation } from '@tessera/contracts';
import { expect, test } from 'vitest';

test('abort sets the reason and calls each listener once, except for removed listeners', () => {
  const cancellation = new Cancellation();
  const calls: unknown[] = [];
  const removed = (): void => void calls.push('removed');
  cancellation.addEventListener('abort', removed);
  cancellation.addEventListener('abort', () => calls.push([cancellation.aborted, cancellation.reason]));
  cancellation.removeEventListener('abort', removed);
  expect([cancellation.aborted, cancellation.reason]).toEqual([false, undefined]);
  cancellation.abort('enough');
  cancellation.abort('more');
  expect([calls, cancellation.reason]).toEqual([[[true, 'enough']], 'enough']);
});

test('abort does not call listeners that an earlier listener removed or added', () => {
  const cancellation = new Cancellation();
  const calls: string[] = [];
  const removed = (): void => void calls.push('removed');
  cancellation.addEventListener('abort', () => {
    calls.push('first');
    cancellation.removeEventListener('abort', removed);
    cancellation.addEventListener('abort', () => calls.push('added'));
  });
  cancellation.addEventListener('abort', removed);
  cancellation.addEventListener('abort', () => calls.push('last'));
  cancellation.abort('enough');
  expect(calls).toEqual(['first', 'last']);
});
