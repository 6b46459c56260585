import { expect, test } from 'vitest';
import { house } from './house.js';

/** Creates `c` on both shards, with ten documents on each, and `o` on the first. */
const spread = async () => {
  const { client } = house({ shards: 2 });
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id }));
  for (const name of ['c', 'o']) await client.run({ insert: name, documents });
  const sharded = await client.plain({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin');
  if (sharded.ok !== 1) throw new Error(sharded.errmsg);
  return client;
};

const updates = [{ q: { _id: 12 }, u: { $set: { a: 1 } } }];

test.each([
  [{ find: 'c', filter: { _id: 12 } }, 'SINGLE_SHARD', ['shard1'], 1],
  [{ find: 'c', filter: { _id: { $gt: 4 } } }, 'SHARD_MERGE', ['shard0', 'shard1'], 15],
  [{ find: 'c', sort: { _id: -1 } }, 'SHARD_MERGE_SORT', ['shard0', 'shard1'], 20],
  [{ find: 'o' }, 'SINGLE_SHARD', ['shard0'], 20],
  [{ find: 'none' }, 'SINGLE_SHARD', ['shard0'], 0],
  [{ update: 'c', updates }, 'SHARD_WRITE', ['shard1'], 1],
])('explain of %o returns the stage %s over %o', async (command, stage, names, nReturned) => {
  const client = await spread();
  const shards = names.map(shardName => expect.objectContaining({ shardName }) as unknown);
  expect(await client.plain({ explain: command, verbosity: 'executionStats' })).toMatchObject({
    queryPlanner: { winningPlan: { stage, shards } },
    executionStats: { nReturned, executionStages: { stage, shards } },
    serverInfo: { version: '8.2.1' },
    command,
    ok: 1,
  });
});

test('explain of an aggregation returns the plan of each shard', async () => {
  const client = await spread();
  const aggregate = { aggregate: 'c', pipeline: [{ $match: { _id: { $gt: 4 } } }] };
  const planned = { host: '127.0.0.1:27017', queryPlanner: { namespace: 'db.c' } };
  const both = { shards: { shard0: planned, shard1: planned }, ok: 1 };
  expect(await client.plain({ ...aggregate, explain: true })).toMatchObject(both);
  expect(await client.plain({ explain: { ...aggregate, cursor: {} } })).toMatchObject(both);
  const one = { aggregate: 'c', pipeline: [{ $match: { _id: 3 } }], explain: true };
  expect(Object.keys((await client.plain(one))['shards'] as object)).toEqual(['shard0']);
  expect(await client.plain({ aggregate: 'o', pipeline: [], explain: true })).toMatchObject({
    queryPlanner: { namespace: 'db.o' },
  });
});
