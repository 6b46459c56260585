import { describe, expect, test } from 'vitest';
import type { Attempt, AttemptRecord, Dispatch, Lease, Session } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createWrite, Cursor, find, writeMany } from '@tessera/operations';
import type { CursorOptions, FindFields } from '@tessera/operations';
import { cursorReply, scripted, targetOf } from './scripted.js';

const target = targetOf();
const open = (script: ReturnType<typeof scripted>, options: CursorOptions = {}, command: FindFields = {}): Cursor =>
  new Cursor(script, target, take => find(target, {}, command, take), options);
const documents = (...ids: readonly number[]): { _id: number }[] => ids.map(_id => ({ _id }));
const drain = async (cursor: Cursor): Promise<unknown[]> => {
  const all: unknown[] = [];
  do for (let document = cursor.take(); document !== undefined; document = cursor.take()) all.push(document);
  while (await cursor.fetch());
  return all;
};

describe('a cursor', () => {
  test.each([NaN, Infinity, 0.5, -0.5, 2 ** 53, '5', {}, 5n])(
    'rejects the limit %s before it starts a session or sends a command',
    limit => {
      let sessions = 0;
      const script = scripted([]);
      const implicitSession = (): Session => (sessions++, script.implicitSession());
      expect(() => open({ ...script, implicitSession }, { limit: limit as number })).toThrow(
        expect.objectContaining({
          kind: 'usage',
          message: `The option "limit" must be a whole number, but is ${String(limit)}.`,
        }),
      );
      expect([sessions, script.requests]).toEqual([0, []]);
    },
  );

  test('ends its own session when its first command cannot be built', async () => {
    const script = scripted([]);
    const failure = new Error('cannot be built');
    for (const run of [(cursor: Cursor) => cursor.toArray(), (cursor: Cursor) => cursor.fetch()]) {
      const before = script.ended();
      const cursor = new Cursor(
        script,
        target,
        () => {
          throw failure;
        },
        {},
      );
      await expect(run(cursor)).rejects.toBe(failure);
      expect([cursor.closed, script.ended() - before]).toEqual([true, 1]);
    }
  });

  test('reads batch after batch from the same server until the cursor is exhausted', async () => {
    const script = scripted([
      cursorReply('firstBatch', 9n, documents(1, 2)),
      cursorReply('nextBatch', 9n, documents(3)),
      cursorReply('nextBatch', 0n, documents(4)),
    ]);
    expect(await open(script, { more: { batchSize: 2 } }).toArray()).toEqual(documents(1, 2, 3, 4));
    expect(script.asked.slice(1)).toEqual([
      { getMore: 9, collection: 'films', batchSize: 2, $db: 'db' },
      { getMore: 9, collection: 'films', batchSize: 2, $db: 'db' },
    ]);
    expect(script.requests.map(({ pin, id }) => ({ pin, id }))).toEqual([
      { pin: undefined, id: 1 },
      { pin: { address: 'db1:27017' }, id: 1 },
      { pin: { address: 'db1:27017' }, id: 1 },
    ]);
  });

  test('decodes a document when it is taken, one batch after the other', async () => {
    const script = scripted([
      cursorReply('firstBatch', 9n, documents(1, 2)),
      cursorReply('nextBatch', 0n, documents(3)),
    ]);
    const cursor = open(script);
    expect(cursor.take()).toBeUndefined();
    expect(await cursor.fetch()).toBe(true);
    expect([cursor.buffered, cursor.id, cursor.namespace]).toEqual([2, 9n, 'db.films']);
    expect([cursor.take(), cursor.take(), cursor.take()]).toEqual([{ _id: 1 }, { _id: 2 }, undefined]);
    expect(await drain(cursor)).toEqual([{ _id: 3 }]);
    expect(await cursor.fetch()).toBe(false);
    expect([cursor.closed, cursor.killed, cursor.id]).toEqual([true, false, 0n]);
  });

  test('reports whether it has started and whether its result is complete', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, documents(1, 2)), { cursorsKilled: [9n] }]);
    const cursor = open(script);
    const state = (): readonly unknown[] => [
      cursor.started,
      cursor.closed,
      cursor.killed,
      cursor.broken,
      cursor.pinned,
    ];
    expect([state(), cursor.namespace, cursor.id, cursor.buffered]).toEqual([
      [false, false, false, false, false],
      '',
      undefined,
      0,
    ]);
    await cursor.fetch();
    expect(state()).toEqual([true, false, false, false, false]);
    await cursor.close();
    expect([state(), cursor.buffered]).toEqual([[true, true, true, true, false], 0]);
    const whole = open(scripted([cursorReply('firstBatch', 0n, documents(1))]));
    await whole.fetch();
    await whole.close();
    expect([whole.closed, whole.broken, whole.killed]).toEqual([true, false, false]);
    const unused = open(scripted([]));
    await unused.close();
    expect([unused.closed, unused.broken, unused.killed]).toEqual([true, false, false]);
  });

  test('returns at most as many documents as its limit', async () => {
    const script = (): ReturnType<typeof scripted> => scripted([cursorReply('firstBatch', 0n, documents(1, 2, 3))]);
    expect(await open(script(), { limit: 2 }).toArray()).toEqual(documents(1, 2));
    const cursor = open(script(), { limit: -2 });
    await cursor.fetch();
    expect([cursor.buffered, cursor.take(), cursor.take(), cursor.take()]).toEqual([2, ...documents(1, 2), undefined]);
  });

  test('has no deadline with iteration and without timeoutMS', async () => {
    const cursor = open(scripted([]), { iteration: true, deadline: 5 });
    cursor.step();
    expect(cursor.deadline).toBeUndefined();
    const renewed = open(scripted([]), { iteration: true, deadline: 5, renew: () => 9 });
    renewed.step();
    expect(renewed.deadline).toBe(9);
    const whole = open(scripted([]), { deadline: 5, renew: () => 9 });
    whole.step();
    expect(whole.deadline).toBe(5);
  });

  test("Driver Sessions: ends its implicit session with the server's cursor, before the last batch is read", async () => {
    const script = scripted([cursorReply('firstBatch', 0n, documents(1))]);
    const cursor = open(script);
    await cursor.fetch();
    expect(script.ended()).toBeGreaterThan(0);
    expect(cursor.take()).toEqual({ _id: 1 });
  });

  test('Find, "limit": requests at most the remaining documents, and kills the cursor after the last one', async () => {
    const script = scripted([
      cursorReply('firstBatch', 9n, documents(1, 2, 3)),
      cursorReply('nextBatch', 9n, documents(4)),
      { cursorsKilled: [9n] },
    ]);
    expect(await open(script, { limit: 4, more: { batchSize: 3 } }, { limit: 4, batchSize: 3 }).toArray()).toEqual(
      documents(1, 2, 3, 4),
    );
    expect(script.asked.slice(1)).toEqual([
      { getMore: 9, collection: 'films', batchSize: 1, $db: 'db' },
      { killCursors: 'films', cursors: [9], $db: 'db' },
    ]);
  });

  test('Find, "Behavior of Limit": immediately kills a cursor that the server keeps after the limit is reached', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, documents(1, 2)), { cursorsKilled: [9n] }]);
    const cursor = open(script, { limit: 2 }, { limit: 2 });
    expect(await cursor.fetch()).toBe(true);
    expect([cursor.take(), cursor.take()]).toEqual(documents(1, 2));
    expect(script.asked[1]).toEqual({ killCursors: 'films', cursors: [9], $db: 'db' });
    expect([await cursor.fetch(), cursor.killed, script.ended()]).toEqual([false, true, 1]);
  });

  test('continues after an empty batch while the server keeps the cursor', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, []), cursorReply('nextBatch', 0n, documents(1))]);
    expect(await open(script).toArray()).toEqual(documents(1));
  });

  test('"killCursors": close kills the server\'s cursor once and ignores errors', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), new MongoError('network', 'gone')]);
    const cursor = open(script);
    await cursor.fetch();
    await cursor.close();
    await cursor.close();
    expect(script.asked).toHaveLength(2);
    expect([cursor.take(), await cursor.fetch(), await cursor.toArray()]).toEqual([undefined, false, []]);
  });

  test('throws an error, kills the cursor and returns the session', async () => {
    const gone = new MongoError('network', 'gone');
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), gone, { cursorsKilled: [9n] }]);
    const cursor = open(script);
    await cursor.fetch();
    cursor.take();
    await expect(cursor.fetch()).rejects.toBe(gone);
    expect(script.asked[2]).toMatchObject({ killCursors: 'films' });
    await Promise.resolve();
    expect(script.ended()).toBe(1);
  });

  test('throws an error without waiting for the kill if the server may be down', async () => {
    const gone = new MongoError('network', 'gone');
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), gone, 'silence']);
    const cursor = open(script);
    await cursor.fetch();
    await expect(cursor.toArray()).rejects.toBe(gone);
    expect(script.requests.map(({ deadline }) => deadline)).toEqual([Infinity, Infinity, 500]);
  });

  test('does not kill a cursor after CursorNotFound', async () => {
    const lost = new MongoError('server', 'cursor id 9 not found', { code: 43 });
    const script = scripted([cursorReply('firstBatch', 9n, []), lost]);
    await expect(open(script).toArray()).rejects.toBe(lost);
    expect(script.asked).toHaveLength(2);
  });

  test('a second fetch during a command waits for this command', async () => {
    const script = scripted([
      cursorReply('firstBatch', 9n, documents(1, 2)),
      cursorReply('nextBatch', 0n, documents(3)),
    ]);
    const cursor = open(script);
    const [first, second, all] = [cursor.fetch(), cursor.fetch(), cursor.toArray()];
    expect([await first, await second, await all]).toEqual([true, true, documents(1, 2, 3)]);
    expect(script.asked).toHaveLength(2);
  });

  test('kills the cursor after its first reply if it was closed before, without an error', async () => {
    for (const [answer, asked] of [
      [cursorReply('firstBatch', 9n, documents(1)), ['find', 'killCursors']],
      [cursorReply('firstBatch', 0n, documents(1)), ['find']],
      [new MongoError('server', 'cursor was killed', { code: 237 }), ['find']],
    ] as const) {
      const script = scripted([answer, { cursorsKilled: [9n] }]);
      const cursor = open(script);
      const waiting = cursor.fetch();
      const closing = cursor.close();
      expect(script.ended()).toBe(0);
      await closing;
      expect([await waiting, cursor.take()]).toEqual([false, undefined]);
      await new Promise(resolve => setImmediate(resolve));
      expect(script.requests.map(({ operation }) => operation.name)).toEqual(asked);
      expect(script.ended()).toBe(1);
    }
  });
});

describe('Load Balancers, "Behaviour With Cursors"', () => {
  const held = (usable: boolean) => {
    const log: string[] = [];
    const lease = {
      connection: { detach: () => Promise.resolve(usable) },
      release: () => log.push('release'),
    } as unknown as Lease;
    const hold = (by: string): Lease => {
      log.push(`held by ${by}`);
      return lease;
    };
    return { log, lease, more: { topology: 'LoadBalanced', hold } as Partial<Attempt> };
  };

  test('keeps its connection from the first to the last batch, and releases it once', async () => {
    const { log, lease, more } = held(true);
    const script = scripted(
      [cursorReply('firstBatch', 9n, documents(1)), cursorReply('nextBatch', 0n, documents(2))],
      {},
      more,
    );
    const cursor = open(script);
    expect(await cursor.toArray()).toEqual(documents(1, 2));
    await cursor.close();
    expect([log, script.requests.map(({ pin }) => pin)]).toEqual([
      ['held by cursor', 'release'],
      [undefined, { lease }],
    ]);
  });

  for (const usable of [true, false])
    test(`close ${usable ? 'kills it on its connection' : 'does not kill it on a lost connection'}, and releases the connection`, async () => {
      const { log, lease, more } = held(usable);
      const script = scripted([cursorReply('firstBatch', 9n, documents(1)), { cursorsKilled: [9n] }], {}, more);
      const cursor = open(script);
      await cursor.fetch();
      await Promise.all([cursor.close(), cursor.close()]);
      await cursor.close();
      expect(log).toEqual(['held by cursor', 'release']);
      expect(script.requests.slice(1).map(({ operation, pin }) => [operation.name, pin])).toEqual(
        usable ? [['killCursors', { lease }]] : [],
      );
    });

  test('keeps no connection in a transaction that has one', async () => {
    const { log, lease, more } = held(true);
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), { cursorsKilled: [9n] }], {}, more);
    const session = { ...script.implicitSession(), pin: { lease } } as unknown as Session;
    const cursor = open(script, { session });
    await cursor.fetch();
    await cursor.close();
    expect(log).toEqual([]);
  });
});

describe('writeMany', () => {
  const insert = createWrite({ newId: undefined }, target, 'insert');
  const many = documents(0, 1, 2, 3, 4);

  test("Server Write Commands: sends as few commands as the server's limits allow, and adds up their counts", async () => {
    const script = scripted([{ n: 2 }, { n: 2 }, { n: 1 }], { maxWriteBatchSize: 2 });
    expect(await writeMany(script, insert, many, {}, {})).toEqual({
      acknowledged: true,
      n: 5,
      nModified: 0,
      upserted: [],
      errors: [],
      failure: undefined,
      unsafe: [],
    });
    expect(script.asked.map(({ documents: sent }) => (sent as unknown[]).length)).toEqual([2, 2, 1]);
    expect(new Set(script.requests.map(({ id }) => id)).size).toBe(1);
  });

  test('ordered: ends at the first error, with its index over all statements', async () => {
    const script = scripted([{ n: 2 }, { n: 1, writeErrors: [{ index: 1, code: 11_000, errmsg: 'twice' }] }], {
      maxWriteBatchSize: 2,
    });
    const outcome = await writeMany(script, insert, many, {}, {});
    expect([outcome.n, outcome.errors]).toEqual([3, [{ index: 3, code: 11_000, errmsg: 'twice' }]]);
    expect(script.asked).toHaveLength(2);
  });

  test('unordered: continues after write errors and write concern errors, and collects them', async () => {
    const script = scripted(
      [
        { n: 1, writeErrors: [{ index: 0, code: 11_000, errmsg: 'twice' }] },
        { n: 2, writeConcernError: { code: 64, errmsg: 'slow' } },
        { n: 1 },
      ],
      { maxWriteBatchSize: 2 },
    );
    const outcome = await writeMany(script, insert, many, { ordered: false }, {});
    expect([outcome.n, outcome.errors.length, outcome.unsafe.map(({ code }) => code)]).toEqual([4, 1, [64]]);
  });

  test('reports 600,000 write errors of one command, more than a call can have arguments', async () => {
    const writeErrors = new Array(600_000).fill({ index: 0, code: 11_000, errmsg: 'twice' });
    const { errors } = await writeMany(scripted([{ n: 0, writeErrors }]), insert, many, { ordered: false }, {});
    expect([errors.length, errors[0], errors.at(-1)]).toEqual([600_000, writeErrors[0], writeErrors[0]]);
  });

  test('ends at a lost connection, with the results before it', async () => {
    const gone = new MongoError('network', 'gone');
    const script = scripted([{ n: 2 }, gone], { maxWriteBatchSize: 2 });
    expect(await writeMany(script, insert, many, { ordered: false }, {})).toMatchObject({ n: 2, failure: gone });
  });

  test('reports a failure if a further unacknowledged command cannot be sent', async () => {
    const insertUnheard = createWrite({ newId: undefined }, targetOf({ writeConcern: { w: 0 } }), 'insert');
    const gone = new MongoError('network', 'gone');
    const script = scripted(['unanswered', gone], { maxWriteBatchSize: 2 });
    expect(await writeMany(script, insertUnheard, many, {}, {})).toMatchObject({ acknowledged: false, failure: gone });
  });

  test('rebuilds a command that a byte limit ends before a statement on many documents, regardless of earlier errors', async () => {
    const update = createWrite({ newId: undefined }, target, 'update');
    const script = scripted([{ n: 1 }, { n: 1 }], { maxMessageSizeBytes: 300 });
    const dispatch: Dispatch = async request => {
      try {
        return await script.dispatch(request);
      } catch (newest) {
        const error = new MongoError('network', 'the first attempt found no connection');
        error.attempts = [error, newest].map(failure => ({ error: failure })) as unknown as AttemptRecord[];
        throw error;
      }
    };
    const statements = [false, true].map(multi => ({ q: { a: 'x'.repeat(100) }, u: { $set: { a: 1 } }, multi }));
    expect(await writeMany({ ...script, dispatch }, update, statements, {}, {})).toMatchObject({
      n: 2,
      failure: undefined,
    });
    expect(script.requests.map(({ operation }) => operation.retryable)).toEqual([false, true, false]);
  });

  test('keeps the indexes of upserts', async () => {
    const update = createWrite({ newId: undefined }, target, 'update');
    const script = scripted(
      [
        { n: 2, upserted: [{ index: 1, _id: 'a' }] },
        { n: 1, nModified: 1, upserted: [{ index: 0, _id: 'b' }] },
      ],
      { maxWriteBatchSize: 2 },
    );
    const statements = many.map(q => ({ q, u: { $set: { a: 1 } } })).slice(0, 3);
    expect(await writeMany(script, update, statements, {}, {})).toMatchObject({
      n: 3,
      nModified: 1,
      upserted: [
        { index: 1, _id: 'a' },
        { index: 2, _id: 'b' },
      ],
    });
  });
});
