import { describe, expect, test } from 'vitest';
import { createServer } from '../src/index.js';
import type { Reply, World } from './client.js';
import { Client, testRuntime, world } from './client.js';

const documents = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ _id: from + i, text: 'x'.repeat(1_000) }));

const insert = ({ client }: World, from: number, count = 100): Promise<Reply> =>
  client.plain({ insert: 'c', documents: documents(from, count) });

const summary = ({ code, codeName, errmsg }: Reply): unknown => ({ code, codeName, errmsg });

const refusal = (what: string, context = ''): unknown => ({
  code: 146,
  codeName: 'ExceededMemoryLimit',
  errmsg: `${context}${what} failed: documents and indexes would need more than 1 MB, the limit of this server. Nothing was written. Remove documents or drop collections, or start the server with a higher "memoryLimitMB" and, on Node.js, a higher --max-old-space-size.`,
});

/** A server with 900 documents, which cannot store 100 more. */
const full = async (options: { readonly replicaSet?: string } = {}): Promise<World> => {
  const world1 = world({ memoryLimitMB: 1, ...options });
  for (let from = 0; from < 800; from += 100) expect(await insert(world1, from)).toMatchObject({ ok: 1, n: 100 });
  expect(await insert(world1, 800, 50)).toMatchObject({ ok: 1, n: 50 });
  return world1;
};

const count = async ({ client }: World): Promise<number> => (await client.plain({ count: 'c' })).n;

describe('a write that needs more memory than memoryLimitMB', () => {
  test('fails with 146 and writes nothing: an insert, an update, $out and createIndexes', async () => {
    const world1 = await full();
    const { client } = world1;
    expect(summary(await insert(world1, 900, 400))).toEqual(refusal('insert'));
    const updates = [{ q: {}, u: { $set: { more: 'y'.repeat(1_000) } }, multi: true }];
    expect(summary(await client.plain({ update: 'c', updates }))).toEqual(refusal('update'));
    expect(
      summary(await client.plain({ aggregate: 'c', pipeline: [{ $limit: 400 }, { $out: 'd' }], cursor: {} })),
    ).toEqual(refusal('$out', 'Executor error during aggregate command on namespace: db.c :: caused by :: '));
    const indexes = Array.from({ length: 10 }, (_, i) => ({ key: { [`f${i}`]: 1 }, name: `f${i}_1` }));
    expect(summary(await client.plain({ createIndexes: 'c', indexes }))).toEqual(refusal('createIndexes'));
    expect(await count(world1)).toBe(850);
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toHaveLength(1);
  });

  test('succeeds after documents were removed or a collection was dropped', async () => {
    const world1 = await full();
    const { client } = world1;
    expect(await insert(world1, 900, 400)).toMatchObject({ ok: 0, code: 146 });
    const deletes = [{ q: { _id: { $lt: 400 } }, limit: 0 }];
    expect(await client.plain({ delete: 'c', deletes })).toMatchObject({ ok: 1, n: 400 });
    expect(await insert(world1, 900, 400)).toMatchObject({ ok: 1, n: 400 });
    expect(await insert(world1, 1_300, 400)).toMatchObject({ ok: 0, code: 146 });
    expect(await client.plain({ drop: 'c' })).toMatchObject({ ok: 1 });
    expect(await insert(world1, 1_300, 400)).toMatchObject({ ok: 1, n: 400 });
  });

  test('fails in a transaction', async () => {
    const world1 = await full({ replicaSet: 'rs0' });
    const { client } = world1;
    const { id } = await client.plain({ startSession: 1 });
    const within = { lsid: id, txnNumber: 1n, autocommit: false };
    const start = { startTransaction: true, ...within };
    expect(await client.plain({ insert: 'c', documents: documents(900, 1), ...start })).toMatchObject({ ok: 1, n: 1 });
    const many = await client.plain({ insert: 'c', documents: documents(1_000, 400), ...within });
    expect(summary(many)).toEqual(refusal('insert'));
  });
});

test('a server with a full memory records commands in its profile', async () => {
  const world1 = await full();
  const { client } = world1;
  expect(await client.plain({ profile: 2 })).toMatchObject({ ok: 1 });
  expect(await insert(world1, 900, 400)).toMatchObject({ ok: 0, code: 146 });
  const { cursor } = await client.plain({ find: 'system.profile', filter: { op: 'insert' } });
  expect(cursor.firstBatch).toMatchObject([{ errCode: 146 }]);
});

test('the default limit is three quarters of the heap of the host', async () => {
  const host = { heapLimit: () => 4 * 0x10_0000 };
  const client = new Client(createServer({ ...testRuntime(), host }));
  const reply = await client.plain({ insert: 'c', documents: documents(0, 3_000) });
  expect(reply).toMatchObject({ code: 146, errmsg: expect.stringContaining('more than 3 MB') as string });
  expect(await client.plain({ insert: 'c', documents: documents(0, 2_000) })).toMatchObject({ ok: 1, n: 2_000 });
});

test.each([0, -1, Number.NaN])('createServer rejects a memory limit of %d MB', memoryLimitMB => {
  expect(() => createServer(testRuntime(), { memoryLimitMB })).toThrow(
    new RangeError(`"memoryLimitMB" must be a number of megabytes of at least 1, but is ${memoryLimitMB}.`),
  );
});
