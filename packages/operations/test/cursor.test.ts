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

  test('asks for batch after batch until the server has told everything, always of the server that has it', async () => {
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

  test('decodes a document when it is asked for, and one batch after the other', async () => {
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

  test('tells whether it has started, and whether what came of it is all', async () => {
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

  test('takes no more documents than its limit, however many come', async () => {
    const script = (): ReturnType<typeof scripted> => scripted([cursorReply('firstBatch', 0n, documents(1, 2, 3))]);
    expect(await open(script(), { limit: 2 }).toArray()).toEqual(documents(1, 2));
    const cursor = open(script(), { limit: -2 });
    await cursor.fetch();
    expect([cursor.buffered, cursor.take(), cursor.take(), cursor.take()]).toEqual([2, ...documents(1, 2), undefined]);
  });

  test('under iteration a step without a time limit has none', async () => {
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

  test("Driver Sessions: its implicit session ends when the server's cursor does, before the last batch is read", async () => {
    const script = scripted([cursorReply('firstBatch', 0n, documents(1))]);
    const cursor = open(script);
    await cursor.fetch();
    expect(script.ended()).toBeGreaterThan(0);
    expect(cursor.take()).toEqual({ _id: 1 });
  });

  test('Find, "limit": it never asks for more than is left, and ends the cursor once it has all', async () => {
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

  test('Find, "Behavior of Limit": a cursor that the server keeps although it has told all is ended at once', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, documents(1, 2)), { cursorsKilled: [9n] }]);
    const cursor = open(script, { limit: 2 }, { limit: 2 });
    expect(await cursor.fetch()).toBe(true);
    expect([cursor.take(), cursor.take()]).toEqual(documents(1, 2));
    expect(script.asked[1]).toEqual({ killCursors: 'films', cursors: [9], $db: 'db' });
    expect([await cursor.fetch(), cursor.killed, script.ended()]).toEqual([false, true, 1]);
  });

  test('an empty batch is no end while the server keeps the cursor', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, []), cursorReply('nextBatch', 0n, documents(1))]);
    expect(await open(script).toArray()).toEqual(documents(1));
  });

  test('"killCursors": closing early ends the server\'s cursor once, and a failure to do so is passed over', async () => {
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), new MongoError('network', 'gone')]);
    const cursor = open(script);
    await cursor.fetch();
    await cursor.close();
    await cursor.close();
    expect(script.asked).toHaveLength(2);
    expect([cursor.take(), await cursor.fetch(), await cursor.toArray()]).toEqual([undefined, false, []]);
  });

  test('an error ends it: the error is told, the cursor killed, the session given back', async () => {
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

  test('an error is told at once: nobody waits until the cursor is killed on a server that may be gone', async () => {
    const gone = new MongoError('network', 'gone');
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), gone, 'silence']);
    const cursor = open(script);
    await cursor.fetch();
    await expect(cursor.toArray()).rejects.toBe(gone);
    expect(script.requests.map(({ deadline }) => deadline)).toEqual([Infinity, Infinity, 500]);
  });

  test('a cursor that the server does not know is not killed', async () => {
    const lost = new MongoError('server', 'cursor id 9 not found', { code: 43 });
    const script = scripted([cursorReply('firstBatch', 9n, []), lost]);
    await expect(open(script).toArray()).rejects.toBe(lost);
    expect(script.asked).toHaveLength(2);
  });

  test('a second call while one is under way waits for the same command', async () => {
    const script = scripted([
      cursorReply('firstBatch', 9n, documents(1, 2)),
      cursorReply('nextBatch', 0n, documents(3)),
    ]);
    const cursor = open(script);
    const [first, second, all] = [cursor.fetch(), cursor.fetch(), cursor.toArray()];
    expect([await first, await second, await all]).toEqual([true, true, documents(1, 2, 3)]);
    expect(script.asked).toHaveLength(2);
  });

  test('closed while its first reply is on its way, it is killed when that has come, and nobody is told an error', async () => {
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

  test('its connection is held with the first batch, used for all that follows, and given back once with the last', async () => {
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
    test(`close ${usable ? 'kills it on its connection' : 'does not kill it over a lost connection'}, and gives that back`, async () => {
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

  test('within a transaction that has a connection it holds none', async () => {
    const { log, lease, more } = held(true);
    const script = scripted([cursorReply('firstBatch', 9n, documents(1)), { cursorsKilled: [9n] }], {}, more);
    const session = { ...script.implicitSession(), pin: { lease } } as unknown as Session;
    const cursor = open(script, { session });
    await cursor.fetch();
    await cursor.close();
    expect(log).toEqual([]);
  });
});

describe('many writes', () => {
  const insert = createWrite({ newId: undefined }, target, 'insert');
  const many = documents(0, 1, 2, 3, 4);

  test("Server Write Commands: they go in as few commands as the server's limits allow, counted over all", async () => {
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

  test('ordered: the first error ends them, its index counted from the first statement of all', async () => {
    const script = scripted([{ n: 2 }, { n: 1, writeErrors: [{ index: 1, code: 11_000, errmsg: 'twice' }] }], {
      maxWriteBatchSize: 2,
    });
    const outcome = await writeMany(script, insert, many, {}, {});
    expect([outcome.n, outcome.errors]).toEqual([3, [{ index: 3, code: 11_000, errmsg: 'twice' }]]);
    expect(script.asked).toHaveLength(2);
  });

  test('unordered: errors of statements and of write concerns are gathered, and the rest is tried', async () => {
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

  test('reports a million write errors of one command', { timeout: 60_000 }, async () => {
    const writeErrors = new Array(1_000_000).fill({ index: 0, code: 11_000, errmsg: 'twice' });
    const { errors } = await writeMany(scripted([{ n: 0, writeErrors }]), insert, many, { ordered: false }, {});
    expect([errors.length, errors[0], errors.at(-1)]).toEqual([1_000_000, writeErrors[0], writeErrors[0]]);
  });

  test('a lost connection ends them: what was done before is told', async () => {
    const gone = new MongoError('network', 'gone');
    const script = scripted([{ n: 2 }, gone], { maxWriteBatchSize: 2 });
    expect(await writeMany(script, insert, many, { ordered: false }, {})).toMatchObject({ n: 2, failure: gone });
  });

  test('unacknowledged writes that cannot be sent on are told as failed', async () => {
    const insertUnheard = createWrite({ newId: undefined }, targetOf({ writeConcern: { w: 0 } }), 'insert');
    const gone = new MongoError('network', 'gone');
    const script = scripted(['unanswered', gone], { maxWriteBatchSize: 2 });
    expect(await writeMany(script, insertUnheard, many, {}, {})).toMatchObject({ acknowledged: false, failure: gone });
  });

  test('what bytes end before a statement that touches many documents is made anew, whatever an attempt before failed with', async () => {
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

  test('upserts keep their places', async () => {
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
