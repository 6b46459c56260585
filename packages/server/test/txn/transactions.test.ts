import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../client.js';
import { all, increment, one, Session, set, transient } from './session.js';

describe('a transaction', () => {
  test('sees the data as it was at its first statement, and what it wrote itself; others see it when it is committed', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    expect((await session.run({ find: 'c', filter: {} })).cursor.firstBatch).toEqual([one]);
    await client.plain({ insert: 'c', documents: [{ _id: 2, x: 2 }] });
    await client.plain({ insert: 'd', documents: [{ _id: 'other' }] });
    await session.run(increment(1, 10));
    await session.run({ insert: 'c', documents: [{ _id: 3, x: 3 }] });
    expect((await session.run({ find: 'c', filter: {}, sort: { _id: 1 } })).cursor.firstBatch).toEqual([
      { _id: 1, x: 11 },
      { _id: 3, x: 3 },
    ]);
    expect((await session.run({ aggregate: 'c', pipeline: [{ $count: 'n' }], cursor: {} })).cursor.firstBatch).toEqual([
      { n: 2 },
    ]);
    expect((await session.run({ distinct: 'd', key: '_id' })).values).toEqual([]);
    expect(await all(client)).toEqual([one, { _id: 2, x: 2 }]);
    expect(await session.commit()).toMatchObject({ ok: 1 });
    expect(await all(client)).toEqual([
      { _id: 1, x: 11 },
      { _id: 2, x: 2 },
      { _id: 3, x: 3 },
    ]);
  });

  test('that is aborted has written nothing', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1));
    await session.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    await session.run({ findAndModify: 'e', query: { _id: 1 }, update: { $set: { a: 1 } }, upsert: true });
    expect(await session.abort()).toMatchObject({ ok: 1 });
    expect([await all(client), await all(client, 'e')]).toEqual([[one], []]);
  });

  test('is one place in the history, and so one time for all that it did', async () => {
    const { client } = set();
    await client.plain({ create: 'c' });
    const session = new Session(client).start();
    const timeOf = ({ operationTime }: Document): Timestamp => operationTime as Timestamp;
    const before = timeOf(await session.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }));
    await session.run({ insert: 'c', documents: [{ _id: 3 }] });
    const after = timeOf(await session.commit());
    expect(after).toEqual(new Timestamp({ t: before.t, i: before.i + 1 }));
    expect(timeOf(await session.commit())).toEqual(after);
  });

  test('commits with write concern; a commit that comes again has the same outcome', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [{ _id: 1 }] });
    for (const writeConcern of [{ w: 'majority' }, { w: 'majority', wtimeout: 10_000 }, { w: 1 }])
      expect(await session.commit({ writeConcern })).toMatchObject({ ok: 1 });
    expect(await all(client)).toEqual([{ _id: 1 }]);
  });

  test('that has only read, or read nothing, commits as well', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ find: 'c' });
    expect([await session.commit(), await session.commit()]).toMatchObject([{ ok: 1 }, { ok: 1 }]);
  });

  test('deletes, updates and inserts around keys that a unique index may have once', async () => {
    const { client } = set();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true }] });
    await client.plain({ insert: 'c', documents: ['a', 'b', 'c'].map((k, _id) => ({ _id, k })) });
    const session = new Session(client).start();
    const give = (_id: number, k: string): Document => ({ update: 'c', updates: [{ q: { _id }, u: { $set: { k } } }] });
    for (const [id, k] of [
      [0, 'z'],
      [1, 'a'],
      [0, 'b'],
    ] as const)
      await session.run(give(id, k));
    await session.run({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    await session.run({ insert: 'c', documents: [{ _id: 3, k: 'c' }] });
    await client.plain({ insert: 'c', documents: [{ _id: 9, k: 'y' }] });
    expect(await session.commit()).toMatchObject({ ok: 1 });
    expect(await all(client)).toEqual([
      { _id: 0, k: 'b' },
      { _id: 1, k: 'a' },
      { _id: 3, k: 'c' },
      { _id: 9, k: 'y' },
    ]);
    expect(await client.plain({ validate: 'c' })).toMatchObject({ valid: true });
    expect((await client.plain({ find: 'c', filter: { k: 'b' } })).cursor.firstBatch).toEqual([{ _id: 0, k: 'b' }]);
  });

  test('bulkWrite and findAndModify are statements like others', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: { _id: 2 } }], nsInfo: [{ ns: 'db.c' }] };
    expect(await session.run(bulk, 'admin')).toMatchObject({ ok: 1, nInserted: 1 });
    const found = await session.run({ findAndModify: 'c', query: { _id: 1 }, update: { $inc: { x: 1 } }, new: true });
    expect(found.value).toEqual({ _id: 1, x: 2 });
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 2 }, { _id: 2 }]);
  });
});

describe('who writes something first wins', () => {
  const two = async (): Promise<{ client: Client; first: Session; second: Session }> => {
    const { client } = set();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true, sparse: true }] });
    await client.plain({ insert: 'c', documents: [one, { _id: 2, x: 2, k: 'k' }] });
    return { client, first: new Session(client, 1).start(), second: new Session(client, 2).start() };
  };

  test.each([
    ['the same document', increment(1), increment(1)],
    ['the same document, one by removing it', increment(1), { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }],
    [
      'a new document with the same _id',
      { insert: 'c', documents: [{ _id: 7 }] },
      { insert: 'c', documents: [{ _id: 7 }] },
    ],
    [
      'a key of a unique index',
      { insert: 'c', documents: [{ _id: 7, k: 'q' }] },
      { update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { k: 'q' } } }] },
    ],
    ['a collection that nobody has made', { insert: 'new', documents: [{}] }, { insert: 'new', documents: [{}] }],
  ])('%s: the second transaction fails with 112 and has to begin anew, at once', async (_what, mine, theirs) => {
    const { client, first, second } = await two();
    await second.run({ find: 'c' });
    expect(await first.run(mine)).toMatchObject({ ok: 1 });
    expect(await second.refusal(theirs)).toBe(`112 ${transient}`);
    expect(await second.refusal({ find: 'c' })).toBe(`251 ${transient}`);
    expect(await first.commit()).toMatchObject({ ok: 1 });
    expect(await client.plain({ validate: 'c' })).toMatchObject({ valid: true });
  });

  test.each([
    ['changed', increment(1)],
    ['removed', { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }],
    ['put where there was none', { insert: 'c', documents: [{ _id: 7 }] }],
    ['of a collection that was dropped', { drop: 'c' }],
    ['of a collection that got an index', { createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x' }] }],
  ])('what was %s since the transaction began is not written by it', async (_how, command) => {
    const { client, first } = await two();
    await first.run({ find: 'elsewhere' });
    await client.plain(command);
    const mine = 'insert' in command ? command : increment(1);
    expect(await first.refusal(mine)).toBe(`112 ${transient}`);
  });

  test('before 7.0 a collection that is another than it was is told by 246', async () => {
    const { client } = set({ version: '5.0.0' });
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run({ find: 'elsewhere' });
    await client.plain({ drop: 'c' });
    expect(await session.refusal(increment(1))).toBe(`246 ${transient}`);
  });

  test('different documents of one collection are written side by side', async () => {
    const { client, first, second } = await two();
    await first.run(increment(1, 10));
    await second.run(increment(2, 10));
    await first.run({ insert: 'c', documents: [{ _id: 3 }] });
    await second.run({ insert: 'c', documents: [{ _id: 4 }] });
    expect([await second.commit(), await first.commit()]).toMatchObject([{ ok: 1 }, { ok: 1 }]);
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }, { _id: 2, x: 12, k: 'k' }, { _id: 3 }, { _id: 4 }]);
  });
});

describe('a write outside of transactions that meets one of a transaction', () => {
  const blocked = async (): Promise<{ client: Client; other: Client; session: Session; clock: Document }> => {
    const { client, server, clock } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1, 10));
    return { client, other: new Client(server), session, clock };
  };

  test('waits until it is committed, and goes on from there', async () => {
    const { client, other, session } = await blocked();
    const waiting = other.plain(increment(1, 100));
    await settled();
    expect(other.received).toEqual([]);
    await session.commit();
    expect(await waiting).toMatchObject({ n: 1, nModified: 1 });
    expect(await all(client)).toEqual([{ _id: 1, x: 111 }]);
  });

  test('goes on as if nothing had been when it is aborted', async () => {
    const { client, other, session } = await blocked();
    const waiting = other.plain({ drop: 'c' });
    await session.abort();
    expect(await waiting).toMatchObject({ ok: 1, ns: 'db.c' });
    expect(await all(client)).toEqual([]);
  });

  test('fails with 50 after its maxTimeMS', async () => {
    const { other, clock, client } = await blocked();
    const waiting = other.plain({ ...increment(1, 100), maxTimeMS: 50 });
    await clock['advance'](49);
    expect(other.received).toEqual([]);
    await clock['advance'](1);
    expect(await waiting).toMatchObject({ ok: 0, code: 50 });
    expect(await all(client)).toEqual([one]);
  });

  test('waits as well with making what a transaction makes', async () => {
    const { client, server } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'new', documents: [{ _id: 1 }] });
    const other = new Client(server);
    const waiting = other.plain({ insert: 'new', documents: [{ _id: 2 }] });
    await settled();
    expect(other.received).toEqual([]);
    await session.commit();
    expect(await waiting).toMatchObject({ n: 1 });
    expect(await all(client, 'new')).toEqual([{ _id: 1 }, { _id: 2 }]);
  });

  test('ends with its connection', async () => {
    const { other, session, client } = await blocked();
    void other.plain(increment(1, 100)).catch(() => undefined);
    await settled();
    other.hangUp();
    await settled();
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }]);
  });

  test('is not there where it writes something else', async () => {
    const { other, session, client } = await blocked();
    expect(await other.plain({ insert: 'c', documents: [{ _id: 5 }] })).toMatchObject({ n: 1 });
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }, { _id: 5 }]);
  });
});

describe('how a transaction ends', () => {
  test('a statement that fails aborts it, one of several too', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [{ _id: 2 }] });
    expect(
      await session.run({ insert: 'c', documents: [{ _id: 3 }, { _id: 1 }, { _id: 4 }], ordered: false }),
    ).toMatchObject({ ok: 1, n: 1, writeErrors: [{ index: 1, code: 11000 }] });
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
    expect(await session.commit()).toMatchObject({ code: 251, errorLabels: [transient] });
    expect(await all(client)).toEqual([one]);
    session.start();
    expect(await session.refusal({ find: 'c', filter: { $bad: 1 } })).toBe('2');
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
  });

  test('a higher number aborts it, be it of a transaction or of a retryable write', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client);
    await session.start().run(increment(1));
    await session.start().run(increment(1, 5));
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 6 }]);
    await session.start().run(increment(1));
    const { lsid } = session;
    expect(await client.plain({ ...increment(1, 7), lsid, txnNumber: 9n })).toMatchObject({ ok: 1, n: 1 });
    expect(await session.refusal({ find: 'c' })).toBe('225');
    expect(await all(client)).toEqual([{ _id: 1, x: 13 }]);
  });

  test('after a minute it is aborted, also while it does nothing', async () => {
    const { client, clock } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [one] });
    await clock.advance(59_999);
    expect(await session.run({ find: 'c' })).toMatchObject({ ok: 1 });
    await clock.advance(1);
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
    expect(await client.plain({ insert: 'c', documents: [one] })).toMatchObject({ n: 1 });
  });

  test('transactionLifetimeLimitSeconds is how long it may take', async () => {
    const { client, clock } = set();
    await client.plain({ setParameter: 1, transactionLifetimeLimitSeconds: 2 }, 'admin');
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [one] });
    await clock.advance(2_000);
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
  });

  test.each(['endSessions', 'killSessions', 'killAllSessions', 'killAllSessionsByPattern'])(
    '%s aborts it and closes its cursors',
    async name => {
      const { client } = set();
      await client.plain({ insert: 'd', documents: [{}, {}, {}] });
      const session = new Session(client).start();
      await session.run({ insert: 'c', documents: [one] });
      const { id } = (await session.run({ find: 'd', batchSize: 1 })).cursor;
      expect(await client.plain({ [name]: name.startsWith('killAll') ? [] : [session.lsid] })).toMatchObject({ ok: 1 });
      expect(await session.refusal({ getMore: id, collection: 'd' })).toBe(`251 ${transient}`);
      expect(await client.plain({ insert: 'c', documents: [one] })).toMatchObject({ n: 1 });
    },
  );

  test('a step-down aborts it', async () => {
    const { client, clock } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1));
    await client.plain({ replSetStepDown: 5, force: true }, 'admin');
    expect(await session.refusal(increment(1))).toBe(`10107 ${transient}`);
    expect(await session.commit()).toMatchObject({ code: 10107, errorLabels: ['RetryableWriteError'] });
    await clock.advance(5_000);
    expect(await session.commit()).toMatchObject({ code: 251, errorLabels: [transient] });
    expect(await all(client)).toEqual([one]);
  });

  test('a crash before the journal is written takes a commit back, and it is known to be gone', async () => {
    const { client, server } = set();
    await client.plain({ insert: 'c', documents: [one], writeConcern: { w: 'majority' } });
    const session = new Session(client).start();
    await session.run(increment(1));
    await session.commit({ writeConcern: { w: 1, j: false } });
    server.crash();
    await server.restart();
    const later = new Client(server);
    const admin = { ...session.number, autocommit: false };
    expect(await later.plain({ commitTransaction: 1, ...admin }, 'admin')).toMatchObject({ code: 251 });
    expect(await all(later)).toEqual([one]);
  });

  test('a commit that was journaled is known after a crash', async () => {
    const { client, server } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1));
    await session.commit({ writeConcern: { w: 'majority' } });
    server.crash();
    await server.restart();
    const later = new Client(server);
    const admin = { ...session.number, autocommit: false };
    expect(await later.plain({ commitTransaction: 1, ...admin }, 'admin')).toMatchObject({ ok: 1 });
    expect(await all(later)).toEqual([{ _id: 1, x: 2 }]);
  });

  test('is counted by serverStatus', async () => {
    const { client } = set();
    await client.plain({ create: 'c' });
    const sessions = [1, 2, 3].map(n => new Session(client, n).start());
    for (const [i, session] of sessions.entries()) await session.run({ insert: 'c', documents: [{ _id: i }] });
    await sessions[0]!.commit();
    await sessions[0]!.commit();
    await sessions[1]!.abort();
    expect((await client.plain({ serverStatus: 1 }, 'admin'))['transactions']).toEqual({
      currentOpen: 1,
      totalAborted: 1,
      totalCommitted: 1,
      totalStarted: 3,
    });
  });

  test('nothing is left that would keep the clock going', async () => {
    const { client, clock, server } = set();
    await new Session(client).start().run({ insert: 'c', documents: [one] });
    await server.close();
    expect(clock.pending).toBe(0);
  });
});
