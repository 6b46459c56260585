import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../client.js';
import { all, increment, one, Session, set, transient } from './session.js';

describe('a transaction', () => {
  test('reads the data of its first statement and its own writes; others see its writes after the commit', async () => {
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

  test('leaves no writes after an abort', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1));
    await session.run({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    await session.run({ findAndModify: 'e', query: { _id: 1 }, update: { $set: { a: 1 } }, upsert: true });
    expect(await session.abort()).toMatchObject({ ok: 1 });
    expect([await all(client), await all(client, 'e')]).toEqual([[one], []]);
  });

  test('is one oplog entry, and so has one operationTime', async () => {
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

  test('commits with a write concern, and a repeated commit returns the same outcome', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [{ _id: 1 }] });
    for (const writeConcern of [{ w: 'majority' }, { w: 'majority', wtimeout: 10_000 }, { w: 1 }])
      expect(await session.commit({ writeConcern })).toMatchObject({ ok: 1 });
    expect(await all(client)).toEqual([{ _id: 1 }]);
  });

  test('without writes commits as well', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run({ find: 'c' });
    expect([await session.commit(), await session.commit()]).toMatchObject([{ ok: 1 }, { ok: 1 }]);
  });

  test('can move unique keys between documents', async () => {
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

  test('can contain bulkWrite and findAndModify', async () => {
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

describe('write conflicts of transactions', () => {
  const two = async (): Promise<{ client: Client; first: Session; second: Session }> => {
    const { client } = set();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { k: 1 }, name: 'k_1', unique: true, sparse: true }] });
    await client.plain({ insert: 'c', documents: [one, { _id: 2, x: 2, k: 'k' }] });
    return { client, first: new Session(client, 1).start(), second: new Session(client, 2).start() };
  };

  test.each([
    ['the same document', increment(1), increment(1)],
    [
      'the same document, the second one by a delete',
      increment(1),
      { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] },
    ],
    [
      'a new document with the same _id',
      { insert: 'c', documents: [{ _id: 7 }] },
      { insert: 'c', documents: [{ _id: 7 }] },
    ],
    [
      'the same key of a unique index',
      { insert: 'c', documents: [{ _id: 7, k: 'q' }] },
      { update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { k: 'q' } } }] },
    ],
    ['the same new collection', { insert: 'new', documents: [{}] }, { insert: 'new', documents: [{}] }],
  ])(
    'two transactions write %s: the second one fails at once with code 112 and TransientTransactionError',
    async (_what, mine, theirs) => {
      const { client, first, second } = await two();
      await second.run({ find: 'c' });
      expect(await first.run(mine)).toMatchObject({ ok: 1 });
      expect(await second.refusal(theirs)).toBe(`112 ${transient}`);
      expect(await second.refusal({ find: 'c' })).toBe(`251 ${transient}`);
      expect(await first.commit()).toMatchObject({ ok: 1 });
      expect(await client.plain({ validate: 'c' })).toMatchObject({ valid: true });
    },
  );

  test.each([
    ['changed since', increment(1)],
    ['removed since', { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }],
    ['inserted since', { insert: 'c', documents: [{ _id: 7 }] }],
    ['in a collection that was dropped since', { drop: 'c' }],
    ['in a collection that got an index since', { createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x' }] }],
  ])('writing a document %s the transaction began fails with code 112', async (_how, command) => {
    const { client, first } = await two();
    await first.run({ find: 'elsewhere' });
    await client.plain(command);
    const mine = 'insert' in command ? command : increment(1);
    expect(await first.refusal(mine)).toBe(`112 ${transient}`);
  });

  test('before version 7.0, writing to a collection dropped since the transaction began fails with code 246', async () => {
    const { client } = set({ version: '5.0.0' });
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run({ find: 'elsewhere' });
    await client.plain({ drop: 'c' });
    expect(await session.refusal(increment(1))).toBe(`246 ${transient}`);
  });

  test('different documents of one collection can be written concurrently', async () => {
    const { client, first, second } = await two();
    await first.run(increment(1, 10));
    await second.run(increment(2, 10));
    await first.run({ insert: 'c', documents: [{ _id: 3 }] });
    await second.run({ insert: 'c', documents: [{ _id: 4 }] });
    expect([await second.commit(), await first.commit()]).toMatchObject([{ ok: 1 }, { ok: 1 }]);
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }, { _id: 2, x: 12, k: 'k' }, { _id: 3 }, { _id: 4 }]);
  });
});

describe('a write outside of transactions that conflicts with an open transaction', () => {
  const blocked = async (): Promise<{ client: Client; other: Client; session: Session; clock: Document }> => {
    const { client, server, clock } = set();
    await client.plain({ insert: 'c', documents: [one] });
    const session = new Session(client).start();
    await session.run(increment(1, 10));
    return { client, other: new Client(server), session, clock };
  };

  test('waits for the commit, and then applies to the committed data', async () => {
    const { client, other, session } = await blocked();
    const waiting = other.plain(increment(1, 100));
    await settled();
    expect(other.received).toEqual([]);
    await session.commit();
    expect(await waiting).toMatchObject({ n: 1, nModified: 1 });
    expect(await all(client)).toEqual([{ _id: 1, x: 111 }]);
  });

  test('continues after an abort as if the transaction never existed', async () => {
    const { client, other, session } = await blocked();
    const waiting = other.plain({ drop: 'c' });
    await session.abort();
    expect(await waiting).toMatchObject({ ok: 1, ns: 'db.c' });
    expect(await all(client)).toEqual([]);
  });

  test('fails with code 50 after its maxTimeMS', async () => {
    const { other, clock, client } = await blocked();
    const waiting = other.plain({ ...increment(1, 100), maxTimeMS: 50 });
    await clock['advance'](49);
    expect(other.received).toEqual([]);
    await clock['advance'](1);
    expect(await waiting).toMatchObject({ ok: 0, code: 50 });
    expect(await all(client)).toEqual([one]);
  });

  test('waits if the transaction creates the same collection', async () => {
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

  test('is dropped if its connection closes', async () => {
    const { other, session, client } = await blocked();
    void other.plain(increment(1, 100)).catch(() => undefined);
    await settled();
    other.hangUp();
    await settled();
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }]);
  });

  test('does not wait if it writes another document', async () => {
    const { other, session, client } = await blocked();
    expect(await other.plain({ insert: 'c', documents: [{ _id: 5 }] })).toMatchObject({ n: 1 });
    await session.commit();
    expect(await all(client)).toEqual([{ _id: 1, x: 11 }, { _id: 5 }]);
  });
});

describe('an open transaction', () => {
  test('is aborted by an error in a statement, even in one of several writes', async () => {
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

  test('is aborted by a higher transaction number, of a transaction or of a retryable write', async () => {
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

  test('is aborted after 60 seconds, even if idle', async () => {
    const { client, clock } = set();
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [one] });
    await clock.advance(59_999);
    expect(await session.run({ find: 'c' })).toMatchObject({ ok: 1 });
    await clock.advance(1);
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
    expect(await client.plain({ insert: 'c', documents: [one] })).toMatchObject({ n: 1 });
  });

  test('is aborted after transactionLifetimeLimitSeconds', async () => {
    const { client, clock } = set();
    await client.plain({ setParameter: 1, transactionLifetimeLimitSeconds: 2 }, 'admin');
    const session = new Session(client).start();
    await session.run({ insert: 'c', documents: [one] });
    await clock.advance(2_000);
    expect(await session.refusal({ find: 'c' })).toBe(`251 ${transient}`);
  });

  test.each(['endSessions', 'killSessions', 'killAllSessions', 'killAllSessionsByPattern'])(
    'is aborted by %s, which closes its cursors',
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

  test('is aborted by a step-down', async () => {
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

  test('is undone by a crash if its commit was not journaled, and a repeated commit fails', async () => {
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

  test('survives a crash if its commit was journaled, and a repeated commit succeeds', async () => {
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

  test('leaves no timer when the server closes', async () => {
    const { client, clock, server } = set();
    await new Session(client).start().run({ insert: 'c', documents: [one] });
    await server.close();
    expect(clock.pending).toBe(0);
  });
});
