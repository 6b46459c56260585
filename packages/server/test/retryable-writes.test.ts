import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reply, World } from './client.js';
import { Client, world } from './client.js';

const set = (options = {}): World => world({ replicaSet: 'rs0', testCommands: true, ...options });

const lsidOf = (n: number): Document => ({ id: new UUID(`00112233-4455-6677-8899-${String(n).padStart(12, '0')}`) });

const numbered = (number: number, session = 1): Document => ({
  lsid: lsidOf(session),
  txnNumber: Long.fromNumber(number),
});

/** Removes the fields whose values differ from reply to reply. */
const plainly = ({ $clusterTime: _, operationTime: __, electionId: ___, opTime: ____, ...reply }: Document): Document =>
  reply;

const all = async (client: Client, name = 'c'): Promise<readonly unknown[]> =>
  (await client.plain({ find: name, sort: { _id: 1 } })).cursor.firstBatch;

const fill = (client: Client, ...documents: readonly Document[]): Promise<Reply> =>
  client.plain({ insert: 'c', documents });

const twice = async (client: Client, command: Document, db?: string): Promise<readonly [Document, Document]> => [
  plainly(await client.plain(command, db)),
  plainly(await client.plain(command, db)),
];

describe('a repeated retryable write is executed once and gets the same reply', () => {
  test('insert', async () => {
    const { client } = set();
    const [first, again] = await twice(client, { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], ...numbered(1) });
    expect(first).toEqual({ n: 2, ok: 1 });
    expect(again).toEqual({ n: 2, retriedStmtIds: [0, 1], ok: 1 });
    expect(await all(client)).toEqual([{ _id: 1 }, { _id: 2 }]);
  });

  test('update, including an upsert', async () => {
    const { client } = set();
    await fill(client, { _id: 1, n: 0 });
    const updates = [
      { q: { _id: 1 }, u: { $inc: { n: 1 } } },
      { q: { _id: 2 }, u: { $inc: { n: 5 } }, upsert: true },
    ];
    const [first, again] = await twice(client, { update: 'c', updates, ...numbered(1) });
    const done = { n: 2, upserted: [{ index: 1, _id: 2 }], nModified: 1, ok: 1 };
    expect([first, again]).toEqual([done, { ...done, retriedStmtIds: [0, 1] }]);
    expect(await all(client)).toEqual([
      { _id: 1, n: 1 },
      { _id: 2, n: 5 },
    ]);
  });

  test('delete', async () => {
    const { client } = set();
    await fill(client, { _id: 1 }, { _id: 2 });
    const deletes = [{ q: {}, limit: 1 }];
    const [first, again] = await twice(client, { delete: 'c', deletes, ...numbered(1) });
    expect([first, again]).toEqual([
      { n: 1, ok: 1 },
      { n: 1, retriedStmtIds: [0], ok: 1 },
    ]);
    expect(await all(client)).toEqual([{ _id: 2 }]);
  });

  const one = { _id: 1, n: 1, m: 1 };

  test.each([
    ['returns the document before the change', { update: { $inc: { n: 1 } } }, { n: 1, updatedExisting: true }, one],
    [
      'returns the document after the change',
      { update: { $inc: { n: 1 } }, new: true },
      { n: 1, updatedExisting: true },
      { ...one, n: 2 },
    ],
    [
      'returns a projection',
      { update: { $inc: { n: 1 } }, fields: { n: 1, _id: 0 } },
      { n: 1, updatedExisting: true },
      { n: 1 },
    ],
    ['returns the removed document', { remove: true }, { n: 1 }, one],
    [
      'returns null for an upsert',
      { query: { _id: 3 }, update: { $inc: { n: 1 } }, upsert: true },
      { n: 1, updatedExisting: false, upserted: 3 },
      null,
    ],
    [
      'returns the upserted document',
      { query: { _id: 3 }, update: { $inc: { n: 1 } }, upsert: true, new: true },
      { n: 1, updatedExisting: false, upserted: 3 },
      { _id: 3, n: 1 },
    ],
  ])('findAndModify that %s', async (_what, change, lastErrorObject, value) => {
    const { client } = set();
    await fill(client, one, { _id: 2, n: 2 });
    const command = { findAndModify: 'c', query: { _id: 1 }, ...change, ...numbered(7) };
    const [first, again] = await twice(client, command);
    const after = await all(client);
    expect([first, again]).toEqual([
      { lastErrorObject, value, ok: 1 },
      { lastErrorObject, value, retriedStmtId: 0, ok: 1 },
    ]);
    await client.plain(command);
    expect(await all(client)).toEqual(after);
  });

  test('bulkWrite on several collections', async () => {
    const { client } = set();
    await fill(client, { _id: 1, n: 0 });
    const command = {
      bulkWrite: 1,
      ops: [
        { insert: 1, document: { _id: 1 } },
        { update: 0, filter: { _id: 1 }, updateMods: { $inc: { n: 1 } } },
        { update: 0, filter: { _id: 2 }, updateMods: { $inc: { n: 1 } }, upsert: true },
        { delete: 0, filter: { _id: 1 } },
      ],
      nsInfo: [{ ns: 'db.c' }, { ns: 'db.d' }],
      ...numbered(1),
    };
    const [first, again] = await twice(client, command, 'admin');
    expect(first).toMatchObject({ nErrors: 0, nInserted: 1, nMatched: 1, nModified: 1, nUpserted: 1, nDeleted: 1 });
    expect(again).toEqual({ ...first, retriedStmtIds: [0, 1, 2, 3] });
    expect([await all(client), await all(client, 'd')]).toEqual([[{ _id: 2, n: 1 }], [{ _id: 1 }]]);
  });
});

describe('retrying a partly executed command', () => {
  test('executes the remaining statements, and the reply counts all', async () => {
    const { client } = set();
    await fill(client, { _id: 2 });
    const insert = { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }], ...numbered(1) };
    expect(await client.plain(insert)).toMatchObject({ n: 1, writeErrors: [{ index: 1, code: 11000 }] });
    await client.plain({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    expect(plainly(await client.plain(insert))).toEqual({ n: 3, retriedStmtIds: [0], ok: 1 });
    expect(await all(client)).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  });

  test('recognizes statements by their stmtId or stmtIds', async () => {
    const { client } = set();
    const base = { insert: 'c', ordered: false, ...numbered(1) };
    await client.plain({ ...base, documents: [{ _id: 5 }, { _id: 6 }], stmtId: 5 });
    const again = await client.plain({ ...base, documents: [{ _id: 6 }, { _id: 9 }], stmtIds: [6, 9] });
    expect(plainly(again)).toEqual({ n: 2, retriedStmtIds: [6], ok: 1 });
    expect(await client.plain({ ...base, documents: [{ _id: 9 }], stmtIds: [9] })).toMatchObject({
      retriedStmtIds: [9],
    });
    expect(await all(client)).toEqual([{ _id: 5 }, { _id: 6 }, { _id: 9 }]);
  });

  test('executes a statement again if it matched nothing', async () => {
    const { client } = set();
    const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], ...numbered(1) };
    expect(plainly(await client.plain(update))).toEqual({ n: 0, nModified: 0, ok: 1 });
    await fill(client, { _id: 1, n: 0 });
    expect(plainly(await client.plain(update))).toEqual({ n: 1, nModified: 1, ok: 1 });
  });

  test('does not repeat a write whose write concern failed', async () => {
    const { client } = set();
    const insert = { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 2 }, ...numbered(1) };
    const [first, again] = await twice(client, insert);
    expect(first).toMatchObject({ n: 1, writeConcernError: { code: 100 } });
    expect(again).toEqual({ ...first, retriedStmtIds: [0] });
  });
});

describe('a transaction number', () => {
  test('lower than the latest one is rejected with code 225, even if the latest write changed nothing', async () => {
    const { client } = set();
    await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }], ...numbered(5) });
    expect(await client.refusal({ insert: 'c', documents: [{}], ...numbered(4) })).toMatch(/^225 .*txnNumber 4 .*5/);
    expect(plainly(await client.plain({ insert: 'c', documents: [{}], ...numbered(4, 2) }))).toEqual({ n: 1, ok: 1 });
  });

  test.each([
    [{ stmtId: 1, stmtIds: [1] }, '72 May not specify both stmtId and stmtIds in write command'],
    [
      { stmtIds: [1, 2] },
      '16 Number of statement ids must match the number of batch entries. Got 2 statement ids but 1 operations.',
    ],
  ])('with %j is rejected', async (ids, refusal) => {
    expect(await set().client.refusal({ insert: 'c', documents: [{}], ...numbered(1), ...ids })).toBe(refusal);
  });

  test('is rejected by a standalone with code 20', async () => {
    expect(await world().client.refusal({ insert: 'c', documents: [{}], ...numbered(1) })).toBe(
      '20 Transaction numbers are only allowed on a replica set member or mongos',
    );
  });

  test.each([
    [{ remove: true }, { update: { $set: { a: 1 } } }, 40606],
    [{ update: { $set: { a: 1 } } }, { update: { $set: { a: 1 } }, new: true }, 40611],
    [{ update: { $set: { a: 1 } }, new: true }, { update: { $set: { a: 1 } } }, 40612],
  ])('in findAndModify with %j, repeated with %j, is rejected with code %d', async (first, other, code) => {
    const { client } = set();
    await fill(client, { _id: 1 });
    await client.plain({ findAndModify: 'c', ...first, ...numbered(1) });
    expect(await client.plain({ findAndModify: 'c', ...other, ...numbered(1) })).toMatchObject({ ok: 0, code });
  });

  test('is removed with its session, 30 minutes after its last use', async () => {
    const { client, clock } = set();
    const insert = { insert: 'c', documents: [{ _id: 1 }], ...numbered(3) };
    await client.plain(insert);
    await clock.advance(29 * 60_000);
    expect(await client.plain(insert)).toMatchObject({ retriedStmtIds: [0] });
    await clock.advance(36 * 60_000);
    const local = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} };
    expect((await client.plain(local)).cursor.firstBatch).toHaveLength(1);
    expect(await client.plain({ ...insert, ...numbered(2) })).toMatchObject({ writeErrors: [{ code: 11000 }] });
  });

  test('stays valid after endSessions, because a retry may arrive late', async () => {
    const { client } = set();
    const insert = { insert: 'c', documents: [{ _id: 1 }], ...numbered(3) };
    await client.plain(insert);
    await client.plain({ endSessions: [lsidOf(1)] }, 'admin');
    expect(await client.plain(insert)).toMatchObject({ n: 1, retriedStmtIds: [0] });
  });
});

describe('sessions', () => {
  const listed = async (client: Client, command: Document, db: string): Promise<number> =>
    (await client.plain(command, db)).cursor.firstBatch.length;

  test('are listed by $listLocalSessions and $listSessions until they are ended or killed', async () => {
    const { client } = set();
    const local = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} };
    const stored = { aggregate: 'system.sessions', pipeline: [{ $listSessions: { allUsers: true } }], cursor: {} };
    const count = async (): Promise<readonly number[]> => [
      await listed(client, local, 'admin'),
      await listed(client, stored, 'config'),
    ];
    for (const n of [1, 2, 3, 4]) await client.plain({ ping: 1, lsid: lsidOf(n) });
    expect(await count()).toEqual([4, 4]);
    await client.plain({ endSessions: [lsidOf(1)] }, 'admin');
    await client.plain({ killSessions: [lsidOf(2)] }, 'admin');
    await client.plain({ killAllSessionsByPattern: [{ lsid: lsidOf(3) }] }, 'admin');
    expect(await count()).toEqual([1, 1]);
    await client.plain({ killAllSessions: [] }, 'admin');
    expect(await count()).toEqual([0, 0]);
    expect(await client.refusal({ ...stored, aggregate: 'c' })).toBe(
      '73 $listSessions may only be run against config.system.sessions',
    );
  });

  test('stay open while they are refreshed; others expire with their cursors', async () => {
    const { client, clock } = set();
    await fill(client, { _id: 1 }, { _id: 2 });
    const open = async (n: number): Promise<unknown> =>
      (await client.run({ find: 'c', batchSize: 1, noCursorTimeout: true, lsid: lsidOf(n) })).cursor.id;
    const cursors = [await open(1), await open(2)];
    for (let minutes = 0; minutes < 40; minutes += 10) {
      await clock.advance(10 * 60_000);
      await client.plain({ refreshSessions: [lsidOf(1)] }, 'admin');
    }
    const more = async (n: number): Promise<number> =>
      (await client.plain({ getMore: cursors[n - 1], collection: 'c', lsid: lsidOf(n) })).code;
    expect([await more(1), await more(2)]).toEqual([undefined, 43]);
  });
});

describe('the fail point onPrimaryTransactionalWrite', () => {
  const arm = (client: Client, mode: unknown, data?: Document): Promise<Reply> =>
    client.plain({ configureFailPoint: 'onPrimaryTransactionalWrite', mode, ...(data && { data }) }, 'admin');

  const dropped = async ({ server }: World, command: Document): Promise<boolean> => {
    const other = new Client(server);
    await expect(other.plain(command)).rejects.toThrow('The connection was closed');
    return other.closed;
  };

  test('without data executes the write and closes the connection', async () => {
    const set1 = set();
    await arm(set1.client, { times: 1 });
    const insert = { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], ...numbered(1) };
    expect(await dropped(set1, insert)).toBe(true);
    expect(plainly(await set1.client.plain(insert))).toEqual({ n: 2, retriedStmtIds: [0, 1], ok: 1 });
  });

  test('with failBeforeCommitExceptionCode does not execute the write', async () => {
    const set1 = set();
    const { client } = set1;
    await fill(client, { _id: 1, n: 0 });
    await arm(client, { skip: 1 }, { failBeforeCommitExceptionCode: 1 });
    const updates = [1, 2].map(() => ({ q: { _id: 1 }, u: { $inc: { n: 1 } } }));
    const update = { update: 'c', updates, ...numbered(1) };
    expect(await dropped(set1, update)).toBe(true);
    expect(await all(client)).toEqual([{ _id: 1, n: 1 }]);
    await arm(client, 'off');
    expect(plainly(await client.plain(update))).toEqual({ n: 2, nModified: 2, retriedStmtIds: [0], ok: 1 });
    expect(await all(client)).toEqual([{ _id: 1, n: 2 }]);
  });

  test.each([
    { insert: 'c', documents: [{ _id: 2 }] },
    { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] },
    { findAndModify: 'c', query: { _id: 1 }, remove: true },
    { findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } } },
    { findAndModify: 'c', query: { _id: 3 }, update: { $inc: { n: 1 } }, upsert: true },
  ])(
    'failBeforeCommitExceptionCode leaves no trace of %j, and with closeConnection: false returns the error',
    async command => {
      const { client } = set();
      await fill(client, { _id: 1, n: 0 });
      await arm(client, 'alwaysOn', { failBeforeCommitExceptionCode: 91, closeConnection: false });
      const reply = await client.plain({ ...command, ...numbered(1) });
      expect(reply.ok === 0 ? reply.code : reply.writeErrors[0]!.code).toBe(91);
      expect(await all(client)).toEqual([{ _id: 1, n: 0 }]);
    },
  );

  test('applies only to writes that have a transaction number and change something', async () => {
    const { client } = set();
    await arm(client, 'alwaysOn', { failBeforeCommitExceptionCode: 91 });
    expect(plainly(await fill(client, { _id: 1 }))).toEqual({ n: 1, ok: 1 });
    const update = { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { a: 1 } } }], ...numbered(1) };
    expect(plainly(await client.plain(update))).toEqual({ n: 0, nModified: 0, ok: 1 });
  });
});

interface Statement {
  readonly kind: 'insert' | 'update' | 'delete' | 'findAndModify' | 'bulkWrite';
  readonly count: number;
}

/** Returns a command whose statements each insert a new document, add 1 to a counter, or delete a document. */
const commandOf = ({ kind, count }: Statement, number: number): Document => {
  const ids = Array.from({ length: count }, (_, i) => number * 10 + i);
  switch (kind) {
    case 'insert':
      return { insert: 'c', documents: ids.map(_id => ({ _id })) };
    case 'update':
      return { update: 'c', updates: ids.map(() => ({ q: { _id: 'n' }, u: { $inc: { n: 1 } } })) };
    case 'delete':
      return { delete: 'd', deletes: ids.map(() => ({ q: {}, limit: 1 })) };
    case 'findAndModify':
      return { findAndModify: 'c', query: { _id: 'n' }, update: { $inc: { n: 1 } } };
    case 'bulkWrite':
      return {
        bulkWrite: 1,
        ops: ids.map(() => ({ update: 0, filter: { _id: 'n' }, updateMods: { $inc: { n: 1 } } })),
        nsInfo: [{ ns: 'db.c' }],
      };
  }
};

test('with any retries and failures before or after execution, each statement is executed once', async () => {
  const statement = fc.record({
    kind: fc.constantFrom('insert', 'update', 'delete', 'findAndModify', 'bulkWrite' as const),
    count: fc.integer({ min: 1, max: 4 }),
  });
  const mishap = fc.option(
    fc.record({ skip: fc.nat(3), data: fc.constantFrom({}, { failBeforeCommitExceptionCode: 91 }) }),
  );
  const round = fc.record({ statement, again: fc.nat(3), mishap });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 6 }), async rounds => {
      const { client, server } = set();
      await fill(client, { _id: 'n', n: 0 });
      const stock = Array.from({ length: 40 }, (_, _id) => ({ _id }));
      await client.plain({ insert: 'd', documents: stock });
      const due = { inserted: 0, added: 0, removed: 0 };
      for (const [index, { statement: what, again, mishap: failing }] of rounds.entries()) {
        const number = index + 1;
        const command = { ...commandOf(what, number), ...numbered(number) };
        const db = what.kind === 'bulkWrite' ? 'admin' : 'db';
        if (failing !== null) {
          const point = { configureFailPoint: 'onPrimaryTransactionalWrite', mode: { skip: failing.skip } };
          await client.plain({ ...point, data: failing.data }, 'admin');
          // The reply does not matter: a client that receives none sends the command again.
          await new Client(server).plain(command, db).catch(() => undefined);
          await client.plain({ ...point, mode: 'off' }, 'admin');
        }
        for (let i = 0; i <= again; i++) expect(await client.plain(command, db)).toMatchObject({ ok: 1 });
        const count = what.kind === 'findAndModify' ? 1 : what.count;
        if (what.kind === 'insert') due.inserted += count;
        else if (what.kind === 'delete') due.removed += count;
        else due.added += count;
      }
      const left = await client.plain({ count: 'd' });
      const [counter, ...others] = [...(await all(client))].reverse() as readonly { readonly n: number }[];
      expect({ inserted: others.length, added: counter!.n, removed: 40 - left.n }).toEqual(due);
    }),
    { numRuns: 40 },
  );
}, 60_000);
