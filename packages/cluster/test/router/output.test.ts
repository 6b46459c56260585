import { expect, test } from 'vitest';
import type { Client } from '../../../server/test/client.js';
import type { House } from './house.js';
import { house } from './house.js';

const documents = Array.from({ length: 10 }, (_, _id) => ({ _id, k: 9 - _id, text: '$k' }));

/** Creates `o` on the first shard, `c` on both by its `_id`, and `k` on both by `k`, split at 5. */
const spread = async (): Promise<House> => {
  const here = house({ shards: 2 });
  const { client } = here;
  await client.run({ insert: 'o', documents });
  for (const [name, key] of [
    ['c', { _id: 1 }],
    ['k', { k: 1 }],
  ] as const) {
    await client.run({ createIndexes: name, indexes: [{ key, name: 'by' }] });
    await client.run({ insert: name, documents });
    const sharded = await client.plain({ shardCollection: `db.${name}`, key }, 'admin');
    if (sharded.ok !== 1) throw new Error(sharded.errmsg);
    await client.run({ delete: name, deletes: [{ q: {}, limit: 0 }] });
  }
  return here;
};

const into = (client: Client, from: string, ...pipeline: object[]) =>
  client.plain({ aggregate: from, pipeline, cursor: {} });

const held = ({ shards }: House, name: string) =>
  shards.map(([process]) => {
    const namespace = process!.state.engine.value.namespaces.get(name);
    return namespace !== undefined && 'records' in namespace ? namespace.records.size : 0;
  });

test.each([['c'], ['k']])('$merge into the sharded collection %s writes each document on its shard', async name => {
  const here = await spread();
  const { client } = here;
  const reply = await into(client, 'o', { $merge: name });
  expect(reply).toMatchObject({ ok: 1, cursor: { firstBatch: [], ns: 'db.o' } });
  expect(held(here, `db.${name}`)).toEqual([5, 5]);
  const found = await client.plain({ find: name, sort: { _id: 1 } });
  expect(found.cursor.firstBatch).toEqual(documents);
  await into(
    client,
    'o',
    { $set: { again: true } },
    { $merge: { into: name, whenMatched: 'merge', whenNotMatched: 'fail' } },
  );
  expect(held(here, `db.${name}`)).toEqual([5, 5]);
  expect((await client.plain({ count: name, query: { again: true } })).n).toBe(10);
});

test('$merge writes from a sharded collection or from $documents into a sharded collection', async () => {
  const here = await spread();
  const { client } = here;
  await client.run({ insert: 'c', documents });
  expect((await into(client, 'c', { $match: { _id: { $gte: 3 } } }, { $merge: 'k' })).ok).toBe(1);
  expect((await client.plain({ count: 'k' })).n).toBe(7);
  const pipeline = [
    {
      $documents: [
        { _id: 20, k: 1 },
        { _id: 21, k: 8 },
      ],
    },
    { $merge: 'k' },
  ];
  expect((await client.plain({ aggregate: 1, pipeline, cursor: {} })).ok).toBe(1);
  expect(held(here, 'db.k')).toEqual([6, 3]);
});

test('$merge into a sharded collection requires the shard key in the documents and in `on`', async () => {
  const { client } = await spread();
  const refused = async (...pipeline: object[]) => client.refusal({ aggregate: 'o', pipeline, cursor: {} });
  expect(await refused({ $unset: 'k' }, { $merge: 'k' })).toMatch(
    /^51132 \$merge write error: 'on' field cannot be missing/,
  );
  expect(await refused({ $merge: { into: 'k', on: '_id' } })).toMatch(/^51183 /);
  expect(await refused({ $merge: { into: 'k', whenMatched: 'nonsense' } })).toMatch(/^\d+ .*nonsense/);
});

test('$out rejects a sharded collection as its target', async () => {
  const here = await spread();
  await here.client.run({ insert: 'c', documents });
  for (const from of ['o', 'c']) {
    expect(await here.client.refusal({ aggregate: from, pipeline: [{ $out: 'c' }], cursor: {} })).toBe(
      "28769 namespace 'db.c' is sharded so it can't be used for $out'",
    );
  }
  expect(held(here, 'db.c')).toEqual([5, 5]);
});

test('$out and $merge into another database write on its primary shard', async () => {
  const here = await spread();
  const { client } = here;
  await client.run({ insert: 'x', documents: [{ _id: 1 }] }, 'two');
  await into(client, 'o', { $out: { db: 'two', coll: 'y' } });
  await into(client, 'o', { $merge: { into: { db: 'two', coll: 'z' } } });
  await into(client, 'c', { $merge: { into: { db: 'two', coll: 'z' } } });
  expect(held(here, 'two.y')).toEqual([0, 10]);
  expect(held(here, 'two.z')).toEqual([0, 10]);
  expect((await client.plain({ find: 'y', sort: { _id: 1 } }, 'two')).cursor.firstBatch).toEqual(documents);
});

test('a leading $match does not filter a $lookup of the same collection', async () => {
  const { client } = await spread();
  await client.run({ insert: 'c', documents });
  const lookup = { $lookup: { from: 'c', localField: 'k', foreignField: '_id', as: 'other' } };
  const reply = await into(client, 'c', { $match: { _id: 0 } }, lookup, { $project: { other: '$other._id' } });
  expect(reply.cursor.firstBatch).toEqual([{ _id: 0, other: [9] }]);
});

test('$merge into a sharded collection works before $documents was introduced', async () => {
  const here = house({ shards: 2, version: '4.4.0' });
  const { client } = here;
  await client.run({ insert: 'o', documents });
  await client.run({ insert: 'c', documents });
  expect((await client.plain({ enableSharding: 'db' }, 'admin')).ok).toBe(1);
  expect((await client.plain({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin')).ok).toBe(1);
  expect(await into(client, 'o', { $set: { again: true } }, { $merge: 'c' })).toMatchObject({ ok: 1 });
  expect((await client.plain({ count: 'c', query: { again: true } })).n).toBe(10);
});

test('a client cannot use $documents before it was introduced', async () => {
  const { client } = house({ shards: 2, version: '4.4.0' });
  const pipeline = [{ $documents: [{ a: 1 }] }];
  expect(await client.refusal({ aggregate: 1, pipeline, cursor: {} })).toMatch(
    /^40324 Unrecognized pipeline stage name: '\$documents'$/,
  );
});
