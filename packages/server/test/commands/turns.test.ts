import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { maxSteps } from '@tessera/mql/engine';
import type { ServerOptions } from '../../src/index.js';
import { createServer } from '../../src/index.js';
import { Client, ManualClock, settled, testRuntime, typed } from '../client.js';

/** A clock that advances by 1 ms each time it is read, so that long commands yield to others. */
class HurriedClock extends ManualClock {
  #looks = 0;

  override now(): number {
    return super.now() + this.#looks++;
  }
}

const seven = Array.from({ length: 7 }, (_, i) => i);

/** Turns each document into 7 ** 6 documents. */
const products = [
  { $set: { a: seven, b: seven, c: seven, d: seven, e: seven, f: seven } },
  ...['$a', '$b', '$c', '$d', '$e', '$f'].map(path => ({ $unwind: path })),
];

const aggregate = { aggregate: 'c', pipeline: [...products, { $count: 'n' }], cursor: {} };

const open = async (options: ServerOptions = {}) => {
  const clock = new HurriedClock();
  const server = createServer({ ...testRuntime(), clock }, options);
  const [client, other] = [new Client(server), new Client(server)];
  await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
  const turn = async (): Promise<void> => {
    await clock.advance(1);
    await settled();
  };
  /** Advances the clock until the promise settles. */
  const finished = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const noted = work.finally(() => (isDone = true));
    while (!isDone) await turn();
    return noted;
  };
  return { clock, server, client, other, turn, finished };
};

interface InProgress {
  readonly inprog: readonly { readonly opid: number; readonly ns: string }[];
}

const underWay = async (other: Client): Promise<InProgress['inprog']> => {
  const { inprog } = (await other.plain({ currentOp: 1 }, 'admin')) as unknown as InProgress;
  return inprog.filter(({ ns }) => ns === 'db.c');
};

test('a long applyOps yields to other clients, and keeps what it has applied when maxTimeMS expires', async () => {
  const { client, other, finished } = await open();
  const applyOps = Array.from({ length: 60_000 }, (_, i) => ({ op: 'i', ns: 'db.c', o: { _id: 10 + i } }));
  const long = client.plain({ applyOps, maxTimeMS: 100 }, 'admin');
  await settled();
  expect(client.received).toEqual([]);
  expect(await finished(other.plain({ ping: 1 }))).toMatchObject({ ok: 1 });
  expect(await finished(long)).toMatchObject({ ok: 0, code: 50 });
  const { n } = await finished(other.plain({ count: 'c' }));
  expect(n).toBeGreaterThan(2);
  expect(n).toBeLessThan(60_002);
});

describe('a long read', () => {
  test('yields to other clients, and does not see their writes', async () => {
    const { client, other, finished } = await open();
    const long = client.plain(aggregate);
    await settled();
    expect(client.received).toEqual([]);
    expect((await other.plain({ insert: 'c', documents: [{ _id: 6 }] })).n).toBe(1);
    expect((await finished(long)).cursor.firstBatch).toEqual([{ n: 2 * 7 ** 6 }]);
  });

  test('is ended by killOp with code 11601, by the opid of currentOp', async () => {
    const { client, other, finished } = await open();
    const long = client.refusal(aggregate);
    await settled();
    const [operation] = await underWay(other);
    await other.plain({ killOp: 1, op: operation!.opid }, 'admin');
    expect(await finished(long)).toMatch(/^11601 .*operation was interrupted$/);
    expect(await underWay(other)).toEqual([]);
  });

  test('is ended by maxTimeMS with code 50', async () => {
    const { client, finished } = await open();
    expect(await finished(client.refusal({ ...aggregate, maxTimeMS: 30 }))).toMatch(
      /^50 .*operation exceeded time limit$/,
    );
  });

  test('ends with its session', async () => {
    const { client, other, finished } = await open();
    const { id } = await other.run({ startSession: 1 });
    const long = client.refusal({ ...aggregate, lsid: id });
    await settled();
    await other.run({ killSessions: [id] });
    expect(await finished(long)).toMatch(/^11601 /);
  });

  test('in a transaction is ended by a step-down with TransientTransactionError', async () => {
    const { client, other, finished } = await open({ replicaSet: 'rs0' });
    const { id } = await other.run({ startSession: 1 });
    const number = { lsid: id, txnNumber: Long.fromInt(1), autocommit: false, startTransaction: true };
    const long = client.plain({ ...aggregate, ...number });
    await settled();
    expect((await other.plain({ replSetStepDown: 60, force: true }, 'admin')).ok).toBe(1);
    expect(await finished(long)).toMatchObject({
      ...{ ok: 0, code: 11602, codeName: 'InterruptedDueToReplStateChange' },
      errorLabels: ['TransientTransactionError'],
    });
  });

  test('ends with its connection', async () => {
    const { client, other, turn } = await open();
    void client.plain(aggregate).catch(() => undefined);
    await settled();
    expect(await underWay(other)).toHaveLength(1);
    client.hangUp();
    await turn();
    expect(await underWay(other)).toEqual([]);
  });

  test.each([
    ['count', { count: 'c', query: { $expr: { $gt: [{ $size: '$l' }, 0] } } }, { n: 3000 }],
    ['distinct', { distinct: 'c', key: 'x', query: { $expr: { $gt: [{ $size: '$l' }, 0] } } }, { values: [1] }],
    [
      'a sort',
      { find: 'c', sort: { x: -1, _id: 1 }, limit: 1, projection: { _id: 1 } },
      { cursor: { firstBatch: [{ _id: 0 }] } },
    ],
  ])('by %s yields as well', async (_name, command, reply) => {
    const { client, other, finished } = await open();
    await client.plain({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    const documents = Array.from({ length: 3000 }, (_, _id) => ({ _id, x: 1, l: [1] }));
    await finished(client.plain({ insert: 'c', documents }));
    const long = client.plain(command);
    await settled();
    expect(client.received).toEqual([]);
    expect((await other.plain({ ping: 1 })).ok).toBe(1);
    expect(await finished(long)).toMatchObject(reply);
  });
});

describe('a long write', () => {
  const many = Array.from({ length: 3000 }, (_, _id) => ({ _id, x: 1 }));
  const all = { q: {}, u: { $inc: { x: 1 } }, multi: true };
  const bulk = {
    bulkWrite: 1,
    nsInfo: [{ ns: 'db.c' }],
    ops: [{ update: 0, filter: {}, updateMods: all.u, multi: true }],
  };

  const filled = async (options: ServerOptions = {}) => {
    const opened = await open(options);
    const { client, finished } = opened;
    await client.plain({ drop: 'c' });
    await finished(client.plain({ insert: 'c', documents: many }));
    return opened;
  };

  test.each<[name: string, command: Record<string, unknown>, db: string, reply: Record<string, unknown>]>([
    ['update', { update: 'c', updates: [all] }, 'db', { n: 3000, nModified: 3000 }],
    ['delete', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, 'db', { n: 3000 }],
    ['insert', { insert: 'd', documents: many }, 'db', { n: 3000 }],
    ['bulkWrite', bulk, 'admin', { nMatched: 3000 }],
    [
      'findAndModify',
      { findAndModify: 'c', query: {}, sort: { x: -1, _id: -1 }, remove: true },
      'db',
      { value: { _id: 2999 } },
    ],
    ['createIndexes', { createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x' }] }, 'db', { numIndexesAfter: 2 }],
    ['$out', { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, 'db', { ok: 1 }],
    ['$merge', { aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }, 'db', { ok: 1 }],
    ['convertToCapped', { convertToCapped: 'c', size: 100_000 }, 'db', { ok: 1 }],
    ['cloneCollectionAsCapped', { cloneCollectionAsCapped: 'c', toCollection: 'd', size: 100_000 }, 'db', { ok: 1 }],
    ['validate', { validate: 'c' }, 'db', { valid: true }],
    ['dbHash', { dbHash: 1 }, 'db', { ok: 1 }],
    ['explain', { explain: { find: 'c', filter: { x: 5 } } }, 'db', { executionStats: { totalDocsExamined: 3000 } }],
  ])('by %s yields to other clients, which do not see a part of it', async (_name, command, db, reply) => {
    const { client, other, finished } = await filled();
    const long = client.plain(command, db);
    await settled();
    expect(client.received).toEqual([]);
    expect((await other.plain({ ping: 1 })).ok).toBe(1);
    expect(await other.plain({ find: 'c', filter: { _id: 0 } })).toMatchObject({
      cursor: { firstBatch: [{ _id: 0, x: 1 }] },
    });
    expect(await finished(long)).toMatchObject(reply);
  });

  test('makes other writes wait for its end', async () => {
    const { client, other, finished } = await filled();
    const long = client.plain({ update: 'c', updates: [all] });
    await settled();
    const short = other.plain({ update: 'c', updates: [{ q: { _id: 7 }, u: { $mul: { x: 10 } } }] });
    await settled();
    expect(other.received).toEqual([]);
    expect(await finished(long)).toMatchObject({ nModified: 3000 });
    expect(await finished(short)).toMatchObject({ nModified: 1 });
    expect(await finished(other.plain({ find: 'c', filter: { _id: 7 } }))).toMatchObject({
      cursor: { firstBatch: [{ _id: 7, x: 20 }] },
    });
  });

  test('starts again if an aggregation has changed the data meanwhile', async () => {
    const { client, other, finished } = await filled();
    const long = client.plain({ update: 'c', updates: [all] });
    await settled();
    const replace = { $documents: [{ _id: 7, x: 100 }] };
    await other.plain({
      aggregate: 1,
      pipeline: [replace, { $merge: { into: 'c', whenMatched: 'replace' } }],
      cursor: {},
    });
    expect(await finished(long)).toMatchObject({ n: 3000, nModified: 3000 });
    expect(await finished(other.plain({ find: 'c', filter: { _id: 7 } }))).toMatchObject({
      cursor: { firstBatch: [{ _id: 7, x: 101 }] },
    });
  });

  test('changes nothing if killOp or maxTimeMS ends it', async () => {
    const { client, other, finished } = await filled();
    const killed = client.refusal({ update: 'c', updates: [all] });
    await settled();
    const [operation] = await underWay(other);
    await other.plain({ killOp: 1, op: operation!.opid }, 'admin');
    expect(await finished(killed)).toMatch(/^11601 /);
    expect(await finished(client.refusal({ update: 'c', updates: [all], maxTimeMS: 30 }))).toMatch(/^50 /);
    expect((await finished(other.plain({ count: 'c', query: { x: 1 } }))).n).toBe(3000);
  });

  test('with a transaction number is performed once, and its retry returns the same result', async () => {
    const { client, other, finished } = await filled({ replicaSet: 'rs0' });
    const { id } = await other.run({ startSession: 1 });
    const updates = many.map(({ _id }) => ({ q: { _id }, u: { $inc: { x: 1 } } }));
    const command = { update: 'c', updates, lsid: id, txnNumber: Long.fromInt(1) };
    expect(await finished(client.plain(command))).toMatchObject({ nModified: 3000 });
    expect(await finished(client.plain(command))).toMatchObject({ nModified: 3000 });
    expect((await finished(other.plain({ count: 'c', query: { x: 2 } }))).n).toBe(3000);
  });

  test('is performed although its client disconnects', async () => {
    const { client, other, turn, finished } = await filled();
    void client.plain({ update: 'c', updates: [all] }).catch(() => undefined);
    await settled();
    expect(await underWay(other)).toHaveLength(1);
    client.hangUp();
    while ((await underWay(other)).length > 0) await turn();
    expect(await finished(other.plain({ count: 'c', query: { x: 2 } }))).toMatchObject({ n: 3000 });
  });

  test('fails with code 11602 and changes nothing after a step-down', async () => {
    const { client, other, finished } = await filled({ replicaSet: 'rs0' });
    const long = client.refusal({ update: 'c', updates: [all] });
    await settled();
    expect((await other.plain({ replSetStepDown: 60, force: true }, 'admin')).ok).toBe(1);
    expect(await finished(long)).toMatch(/^11602 /);
    for (let i = 0; i < 100; i++) await finished(other.plain({ ping: 1 }));
    const secondary = { $readPreference: { mode: 'secondaryPreferred' } };
    expect((await finished(other.plain({ count: 'c', query: { x: 1 }, ...secondary }))).n).toBe(3000);
  });
});

describe('a long getMore', () => {
  const none = [...products, { $match: { $expr: { $gt: ['$a', 7] } } }];

  test('rejects a second getMore on its cursor, and ends when the cursor is killed', async () => {
    const { client, other, finished } = await open();
    const { cursor } = await client.run({ aggregate: 'c', pipeline: none, cursor: { batchSize: 0 } });
    const more = { getMore: cursor.id, collection: 'c', batchSize: 1 };
    const long = client.refusal(more);
    await settled();
    expect(await other.refusal(more)).toMatch(/^12051 cursor id \d+ is already in use$/);
    const { cursorsKilled } = (await other.run({ killCursors: 'c', cursors: [cursor.id] })) as unknown as {
      readonly cursorsKilled: unknown;
    };
    expect(typed({ cursorsKilled })).toBe(typed({ cursorsKilled: [cursor.id] }));
    expect(await finished(long)).toMatch(/^237 /);
  });

  test('may take what is left of the maxTimeMS of its cursor', async () => {
    const { client, finished } = await open();
    const opening = { aggregate: 'c', pipeline: none, cursor: { batchSize: 0 }, maxTimeMS: 30 };
    const { cursor } = await client.run(opening);
    expect(await finished(client.refusal({ getMore: cursor.id, collection: 'c', batchSize: 1 }))).toMatch(/^50 /);
  });
});

test('an expression fails after a maximum number of steps for one document, and nothing is written', async () => {
  const { client } = await open();
  const input = { $range: [0, Math.ceil(Math.sqrt(maxSteps)) + 1] };
  const x = { $size: { $map: { input, in: { $size: { $map: { input, in: '$_id' } } } } } };
  const error = await client.refusal({ findAndModify: 'c', query: { _id: 1 }, update: [{ $set: { x } }] });
  expect(error).toMatch(new RegExp(`^50 .*more than ${maxSteps} steps for one document$`));
  expect((await client.plain({ find: 'c', filter: { _id: 1 } })).cursor.firstBatch).toEqual([{ _id: 1 }]);
});

test('$in with a constant list matches equal numbers of different types', async () => {
  const { client } = await open();
  const constants = ['a', 1, 2, 3, 4, 5, 6, 7, 8, null];
  const pipeline = [
    { $project: { found: { $map: { input: [1.5, '$_id', null, 'a', '$none'], in: { $in: ['$$this', constants] } } } } },
  ];
  const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
  expect(cursor.firstBatch[0]!['found']).toEqual([false, true, true, true, true]);
});

test.each([
  ['$push', { $group: { _id: null, all: { $push: '$l' } } }, /^146 .*Memory limit: 104857600 bytes/],
  ['$sort', { $sort: { _id: 1 } }, /^292 .*Sort exceeded memory limit of 104857600 bytes/],
  ['$facet', { $facet: { a: [] } }, /^292 .*\$facet exceeded memory limit of 104857600 bytes/],
])('%s uses at most 100 MB', async (_name, stage, refusal) => {
  const { client, finished } = await open();
  const made = { l: { $concat: ['x'.repeat(1_000_000), { $toString: '$l' }] } };
  const pipeline = [{ $set: { l: { $range: [0, 1_000] } } }, { $unwind: '$l' }, { $set: made }, stage];
  expect(await finished(client.refusal({ aggregate: 'c', cursor: {}, pipeline }))).toMatch(refusal);
});

test('a document that a stage creates may have at most 64 MB', async () => {
  const { client, finished } = await open();
  const l = { $map: { input: { $range: [0, 100] }, in: 'x'.repeat(1_000_000) } };
  expect(await finished(client.refusal({ aggregate: 'c', cursor: {}, pipeline: [{ $project: { l } }] }))).toMatch(
    /^13548 .*past the 64MB limit\.$/,
  );
});
