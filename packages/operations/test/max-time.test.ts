import { noLimit } from '@tessera/contracts';
import type { Attempt, BodyWriter, Document, Millis, Operation, ServerDescription } from '@tessera/contracts';
import {
  Aggregate,
  count,
  createMaxTime,
  createWrite,
  Cursor,
  dropDatabase,
  find,
  FindAndModify,
  runCommand,
} from '@tessera/operations';
import type { CursorOptions } from '@tessera/operations';
import { describe, expect, test } from 'vitest';
import { attemptOn, cursorReply, commandOf, scripted, targetOf } from './scripted.js';

/** Returns the command with the fields of the exchange, at the time 1000. */
const timed = (
  deadline: Millis,
  given: { maxTime?: Millis | 'none'; roundTrip?: Millis; otherwise?: 'none' } = {},
): Document => {
  const { maxTime, roundTrip = 0, otherwise } = given;
  const operation = { ...runCommand(targetOf(), { ping: 1 }), maxTime } as Operation<unknown>;
  const server = { address: 'db1:27017', minRoundTripTime: roundTrip } as ServerDescription;
  const exchange = createMaxTime({ clock: { now: () => 1000 } }, otherwise);
  const attempt: Attempt = attemptOn({}, undefined, { deadline, server });
  const body = (writer: BodyWriter): void => {
    exchange.append(writer, attempt, operation);
  };
  const { $db: _, ...appended } = commandOf({ ...operation, name: 'ping', db: 'db', answer: 'one', body });
  return appended;
};

describe('Client Side Operations Timeout, "Command Execution"', () => {
  test('sends the remaining time minus the minimum round-trip time, in whole milliseconds', () => {
    expect(timed(1500)).toEqual({ maxTimeMS: 500 });
    expect(timed(1500.9, { roundTrip: 20.4 })).toEqual({ maxTimeMS: 480 });
    expect(timed(1001)).toEqual({ maxTimeMS: 1 });
  });

  test('sends nothing if less than a millisecond would remain', () => {
    for (const deadline of [1020.9, 1020, 1000, 900])
      expect(() => timed(deadline, { roundTrip: 20 })).toThrow(
        expect.objectContaining({ name: 'MongoError', kind: 'timeout' }),
      );
    expect(() => timed(1015, { roundTrip: 20 })).toThrow(
      "'ping' was not sent to db1:27017: 15 ms of timeoutMS are left, but the minimum round-trip time is 20 ms.",
    );
  });

  test('limits maxTimeMS to the maximum of servers', () => {
    expect(timed(2 ** 40)).toEqual({ maxTimeMS: 2 ** 31 - 1 });
  });

  test('sends no maxTimeMS with timeoutMS=0', () => {
    expect(timed(noLimit)).toEqual({});
    expect(timed(noLimit, { maxTime: 70 })).toEqual({ maxTimeMS: 70 });
  });

  test('obeys the maxTime of the operation, else the default of its cursor', () => {
    expect(timed(1500, { maxTime: 70 })).toEqual({ maxTimeMS: 70 });
    expect(timed(1050, { maxTime: 70 })).toEqual({ maxTimeMS: 50 });
    expect(timed(1500, { maxTime: 'none' })).toEqual({});
    expect(timed(1500, { otherwise: 'none' })).toEqual({});
    expect(timed(1500, { otherwise: 'none', maxTime: 70 })).toEqual({ maxTimeMS: 70 });
    expect(() => timed(1000, { maxTime: 'none' })).toThrow('was not sent');
  });
});

describe('Client Side Operations Timeout, "Validation and Overrides": under timeoutMS', () => {
  const target = targetOf({ writeConcern: { w: 2, wtimeout: 5 } });
  const noBatch = (): void => undefined;
  const operations: readonly (readonly [title: string, operation: Operation<unknown>])[] = [
    ['find', find(target, {}, { maxTimeMS: 5, skip: 1 }, noBatch)],
    ['aggregate', new Aggregate(target, [{ $out: 'x' }], { maxTimeMS: 5 }, noBatch)],
    ['insert', createWrite({ newId: undefined }, target, 'insert')([{}], 0, { maxTimeMS: 5 })],
    ['findAndModify', new FindAndModify(target, { query: {}, remove: true, maxTimeMS: 5 })],
    ['count', count(target, { maxTimeMS: 5 })],
    ['dropDatabase', dropDatabase(target, { maxTimeMS: 5 })],
  ];

  test.each(operations)('%s omits maxTimeMS and wtimeout, and keeps the other options', (_, operation) => {
    const without: Document = commandOf(operation);
    const { maxTimeMS, ...rest } = without;
    expect(maxTimeMS).toBe(5);
    const expected = 'writeConcern' in rest ? { ...rest, writeConcern: { w: 2 } } : rest;
    expect(commandOf(operation, attemptOn({}, undefined, { deadline: 9 }))).toEqual(expected);
  });

  test('omits a write concern that has only wtimeout', () => {
    const write = dropDatabase(targetOf({ writeConcern: { wtimeout: 5 } }), {});
    expect(commandOf(write, attemptOn({}, undefined, { deadline: 9 }))).not.toHaveProperty('writeConcern');
  });

  test('does not change a command of the user', () => {
    const own = runCommand(target, { ping: 1, maxTimeMS: 5 });
    expect(commandOf(own, attemptOn({}, undefined, { deadline: 9 }))).toEqual({ ping: 1, maxTimeMS: 5, $db: 'db' });
  });
});

describe('Client Side Operations Timeout, "Cursors"', () => {
  /** The deadline and maxTime of each command, and whether it has the exchange of maxTimeMS. */
  const played = async (
    options: CursorOptions,
    play: (cursor: Cursor) => Promise<unknown>,
  ): Promise<readonly unknown[]> => {
    const target = targetOf();
    const answers = [
      cursorReply('firstBatch', 7n, [{ _id: 1 }]),
      cursorReply('nextBatch', 7n, [{ _id: 2 }]),
      cursorReply('nextBatch', 0n, []),
    ];
    const dispatcher = scripted(answers);
    const cursor = new Cursor(dispatcher, target, take => find(target, {}, undefined, take), options);
    await play(cursor);
    return dispatcher.requests.map(({ operation, deadline, exchanges }) => [
      ...[operation.name, deadline, operation.maxTime, exchanges.length],
    ]);
  };
  const exchanges = [createMaxTime({ clock: { now: () => 0 } })];
  const anew = (): (() => Millis) => {
    let times = 0;
    return () => 1000 * ++times;
  };

  test('uses one deadline for all commands, and sends no maxTimeMS with getMore', async () => {
    expect(await played({ deadline: 100, renew: anew(), exchanges }, cursor => cursor.toArray())).toEqual([
      ['find', 100, undefined, 1],
      ['getMore', 100, 'none', 1],
      ['getMore', 100, 'none', 1],
    ]);
  });

  test('uses a new deadline for each step with iteration', async () => {
    const options = { deadline: 100, renew: anew(), exchanges, iteration: true };
    expect(await played(options, cursor => cursor.toArray())).toEqual([
      ['find', 1000, undefined, 1],
      ['getMore', 2000, 'none', 1],
      ['getMore', 3000, 'none', 1],
    ]);
  });

  test('sends maxTimeMS with a getMore that waits for documents', async () => {
    const options = { deadline: 100, renew: anew(), exchanges, more: { maxTimeMS: 40 } };
    expect((await played(options, cursor => cursor.toArray())).slice(1)).toEqual([
      ['getMore', 100, 40, 1],
      ['getMore', 100, 40, 1],
    ]);
  });

  test('uses a new or given deadline for killCursors and sends it; half a second without timeoutMS', async () => {
    const ended = async (options: CursorOptions, deadline?: Millis): Promise<unknown> =>
      (
        await played(options, async cursor => {
          await cursor.fetch();
          await cursor.close(deadline);
        })
      ).at(-1);
    expect(await ended({ deadline: 100, renew: anew(), exchanges })).toEqual(['killCursors', 1000, Infinity, 1]);
    expect(await ended({ deadline: 100, renew: anew(), exchanges }, 70)).toEqual(['killCursors', 70, Infinity, 1]);
    expect(await ended({})).toEqual(['killCursors', 500, Infinity, 0]);
  });
});
