import { Code } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { Client as Other, settled, world } from './client.js';
import type { Client, World } from './client.js';

const filled = async (options: Parameters<typeof world>[0] = {}): Promise<World> => {
  const made = world(options);
  await made.client.plain({ insert: 'c', documents: [1, 2, 3].map(a => ({ _id: a, a })) });
  return made;
};

// Later servers run scripts without waiting for the engine, so their tests can move the clock at once.
beforeAll(async () => {
  const { client } = await filled();
  await client.plain({ find: 'c', filter: { $where: 'true' } });
});

const idsOf = async (client: Client, $where: unknown): Promise<readonly unknown[]> => {
  const reply = await client.plain({ find: 'c', filter: { $where } });
  return reply.ok === 1 ? reply.cursor.firstBatch.map(({ _id }) => _id) : [`${reply.code} ${reply.errmsg}`];
};

describe('$where', () => {
  test.each([
    ['an expression', 'this.a > 1', [2, 3]],
    ['an expression with obj', 'obj.a === 2', [2]],
    ['a function body', 'const b = this.a; return b % 2 == 1;', [1, 3]],
    ['a function', 'function () { return this.a < 2 }', [1]],
    ['BSON code', new Code('function f() { return this.a < 2 }'), [1]],
  ])('returns the documents for which %s is true', async (_title, where, expected) => {
    const { client } = await filled();
    expect(await idsOf(client, where)).toEqual(expected);
  });

  test('accepts code with a scope only before version 4.4', async () => {
    const where = new Code('this.a > least', { least: 2 });
    expect(await idsOf((await filled({ version: '4.2.0' })).client, where)).toEqual([3]);
    expect(await idsOf((await filled({ version: '4.4.0' })).client, where)).toEqual([
      '4649201 $where no longer supports deprecated BSON type CodeWScope',
    ]);
  });

  test('combines with other conditions, in count, distinct, update, delete and findAndModify', async () => {
    const { client } = await filled();
    const query = { a: { $gt: 1 }, $where: 'this.a < 3' };
    expect(await client.plain({ count: 'c', query })).toEqual({ n: 1, ok: 1 });
    expect(await client.plain({ distinct: 'c', key: 'a', query })).toEqual({ values: [2], ok: 1 });
    const updates = [{ q: query, u: { $set: { b: 1 } } }];
    expect(await client.plain({ update: 'c', updates })).toEqual({ n: 1, nModified: 1, ok: 1 });
    expect((await client.plain({ findAndModify: 'c', query, remove: true })).value).toEqual({ _id: 2, a: 2, b: 1 });
    const deletes = [{ q: { $where: 'this.a > 2' }, limit: 0 }];
    expect(await client.plain({ delete: 'c', deletes })).toEqual({ n: 1, ok: 1 });
  });
});

describe('$where is rejected', () => {
  test('if it has another type, is empty, or its script fails', async () => {
    const { client } = await filled();
    const refused = await Promise.all([1, '', 'this.a.b.c', 'this.a >'].map($where => idsOf(client, $where)));
    expect(refused.flat()).toEqual([
      '2 $where got bad type',
      '2 code for $where cannot be empty',
      "139 Executor error during find command: db.c :: caused by :: TypeError: cannot read property 'c' of undefined :\n@:1:1\n",
      '139 SyntaxError: unexpected end of the script',
    ]);
  });

  test('in pipelines, validators and array filters, and below the top level', async () => {
    const { client } = await filled();
    const $where = 'true';
    const commands = [
      { aggregate: 'c', pipeline: [{ $match: { $where } }], cursor: {} },
      { create: 'd', validator: { $where } },
      { find: 'c', filter: { a: { $elemMatch: { $and: [{ $where }] } } } },
    ];
    const refused = [];
    for (const command of commands) refused.push(await client.refusal(command));
    expect(refused).toEqual([
      '2 $where is not allowed in this context',
      '2 $where is not allowed in this context',
      '2 $where can only be applied to the top-level document',
    ]);
  });
});

describe('sleep() in a $where script', () => {
  const slow = { $where: 'sleep(100) || true' };

  test('delays its own read only', async () => {
    const { client, clock, server } = await filled();
    const start = clock.now();
    const found = client.plain({ find: 'c', filter: slow });
    await clock.advance(299);
    expect(client.received).toEqual([]);
    expect((await new Other(server).plain({ ping: 1 })).ok).toBe(1);
    await clock.advance(1);
    expect((await found).cursor.firstBatch).toHaveLength(3);
    expect(clock.now() - start).toBe(300);
  });

  test('delays a write completely', async () => {
    const { client, clock, server } = await filled();
    const other = new Other(server);
    const updated = client.plain({ update: 'c', updates: [{ q: { _id: 1, ...slow }, u: { $set: { b: 1 } } }] });
    await clock.advance(99);
    expect(await other.plain({ count: 'c', query: { b: 1 } })).toEqual({ n: 0, ok: 1 });
    await clock.advance(1);
    expect(await updated).toEqual({ n: 1, nModified: 1, ok: 1 });
    expect(await other.plain({ count: 'c', query: { b: 1 } })).toEqual({ n: 1, ok: 1 });
  });

  test('ends when the connection closes: the write does not happen, and no timer is left', async () => {
    const { client, clock, server } = await filled();
    const pending = clock.pending;
    void client.plain({ delete: 'c', deletes: [{ q: slow, limit: 0 }] }).catch(() => undefined);
    await settled();
    expect(clock.pending).toBe(pending + 1);
    client.hangUp();
    await settled();
    expect(clock.pending).toBe(pending);
    await clock.advance(1000);
    expect(await new Other(server).plain({ count: 'c' })).toEqual({ n: 3, ok: 1 });
  });

  test('ends after maxTimeMS', async () => {
    const { client, clock } = await filled();
    const refusals = [
      { find: 'c', filter: slow, maxTimeMS: 150 },
      { delete: 'c', deletes: [{ q: slow, limit: 0 }], maxTimeMS: 150 },
    ].map(command => client.refusal(command));
    await clock.advance(150);
    await clock.advance(150);
    expect(await Promise.all(refusals)).toEqual([
      '50 operation exceeded time limit',
      '50 operation exceeded time limit',
    ]);
    expect(await client.plain({ count: 'c' })).toEqual({ n: 3, ok: 1 });
  });

  test('delays a getMore, whose maxTimeMS does not limit it', async () => {
    const { client, clock } = await filled();
    await client.plain({ create: 'tail', capped: true, size: 4096 });
    await client.plain({ insert: 'tail', documents: [{ _id: 1 }, { _id: 2 }] });
    const find = { find: 'tail', filter: slow, batchSize: 1, tailable: true, awaitData: true };
    const found = client.plain(find);
    await clock.advance(100);
    const { id } = (await found).cursor;
    const more = client.plain({ getMore: id, collection: 'tail', batchSize: 1, maxTimeMS: 10 });
    await clock.advance(99);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect((await more).cursor.nextBatch).toEqual([{ _id: 2 }]);
  });

  test('delays a retryable write, which is executed once', async () => {
    const { client, clock } = await filled({ replicaSet: 'rs0' });
    const lsid = (await client.plain({ startSession: 1 })).id;
    const command = { delete: 'c', deletes: [{ q: { _id: 1, ...slow }, limit: 1 }], lsid, txnNumber: 1n };
    const first = client.plain(command);
    await clock.advance(100);
    expect((await first).n).toBe(1);
    const again = await client.plain(command);
    expect([again.n, again['retriedStmtIds']]).toEqual([1, [0]]);
  });

  test('delays the error of a failing read', async () => {
    const { client, clock } = await filled();
    const refusal = client.refusal({ count: 'c', query: { $where: 'sleep(10); missing' } });
    await clock.advance(9);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect(await refusal).toMatch(/^139 ReferenceError: missing is not defined :\n@:/);
  });
});
