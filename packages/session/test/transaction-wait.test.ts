/** Tests of waiting for a transaction's connection, and of call sites. */
import { Cancellation, MongoError, noLimit } from '@tessera/contracts';
import type { Millis, Request, Signal } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { firstOutside } from '../src/call-site.js';
import { waitForTransaction } from '../src/transaction-wait.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Wait {
  readonly deadline?: Millis;
  readonly signal?: Signal;
  /** When the connection becomes free. Undefined: never. */
  readonly freeAt?: Millis;
}

/** Returns how and when the wait ended, and checks that no timer is left. */
const wait = async (
  { deadline = Infinity, signal, freeAt }: Wait,
  meanwhile: () => void = () => undefined,
): Promise<readonly unknown[]> => {
  const world = createWorld({ turn });
  const { clock } = world.runtime;
  const seen: unknown[] = [];
  await world.run(async () => {
    await clock.sleep(1000);
    const free = freeAt === undefined ? new Promise<void>(() => undefined) : clock.sleep(freeAt - clock.now());
    const request = { operation: { name: 'find' }, deadline, signal } as unknown as Request<unknown>;
    clock.startTimer(50, meanwhile);
    await waitForTransaction(request, free, clock).then(
      () => seen.push('free', clock.now()),
      (error: unknown) => seen.push(error, clock.now()),
    );
    await clock.sleep(1000);
  });
  expect(world.leftovers()).toEqual([]);
  return seen;
};

const origin = { phase: 'checkOut', sent: false };
const failed = (kind: string, how: string, cause?: unknown): unknown =>
  expect.objectContaining({
    ...{ kind, origin, ...(cause === undefined ? {} : { cause }) },
    message: `find ${how} while it waited for an earlier operation of its transaction.`,
  });

describe('Client Side Operations Timeout: waiting for an earlier operation of the transaction', () => {
  test('ends when the connection is free', async () => {
    for (const deadline of [1600, Infinity, noLimit])
      expect(await wait({ deadline, freeAt: 1500 })).toEqual(['free', 1500]);
  });

  test('ends at the deadline, or at once if that has passed', async () => {
    const error = failed('timeout', 'timed out');
    expect(await wait({ deadline: 1300, freeAt: 1500 })).toEqual([error, 1300]);
    expect(await wait({ deadline: 900, freeAt: 1500 })).toEqual([error, 1000]);
  });

  test('ends when the signal aborts, or at once if it has', async () => {
    const reason = new MongoError('closed', 'enough');
    const error = failed('aborted', 'was aborted by its signal', reason);
    const signal = new Cancellation();
    expect(
      await wait({ deadline: 5000, signal }, () => {
        signal.abort(reason);
      }),
    ).toEqual([error, 1050]);
    expect(await wait({ deadline: 5000, signal })).toEqual([error, 1000]);
  });

  test('leaves no listener on the signal', async () => {
    const listeners: string[] = [];
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (type: string) => listeners.push(`add ${type}`),
      removeEventListener: (type: string) => listeners.push(`remove ${type}`),
    };
    await wait({ signal, freeAt: 1500 });
    expect(listeners).toEqual(['add abort', 'remove abort']);
  });
});

describe('the first line of a stack outside of the driver', () => {
  const own = '    at take (file:///app/packages/session/src/call-site.ts:1:1)';
  const sibling = '    at find (file:///app/packages/client/src/collection.ts:2:2)';
  const program = '    at createUser (file:///app/users.js:12:5)';
  const installed = '    at find (/app/node_modules/@tessera/mongodb/dist/package.js:3:3)';

  test.each<readonly [string, readonly string[], string]>([
    ['is that of the program', ['Error', own, sibling, program, '    at main (file:///x.js:1:1)'], program],
    ['skips packages under @tessera', ['Error', installed, installed, program], program],
    [
      'is the outermost line if all code is in one file',
      ['Error', program, '    at main (file:///x.js:1:1)'],
      '    at main (file:///x.js:1:1)',
    ],
    ['is the outermost line if all lines belong to the driver', ['Error', own, sibling], sibling],
    ['skips the words of the message', ['Error: look at this', own, program], program],
    ['is unknown without a stack', ['Error'], 'at an unknown place'],
    ['is unknown without anything', [''], 'at an unknown place'],
  ])('%s', (_, lines, expected) => {
    expect(firstOutside(lines.join('\n'))).toBe(expected.trim());
  });
});
