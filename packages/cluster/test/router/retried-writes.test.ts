import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../../../server/test/client.js';
import { lsid } from '../cluster/members.js';
import type { House } from './house.js';
import { house } from './house.js';

/** Waits until pending work within the process is done. */
const quiet = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await settled();
};

interface Spread extends House {
  /** Returns the value of `n` in every document. */
  raised(): Promise<readonly number[]>;
}

/** Creates a document on each of two shards, `{ _id: 0 }` on the first. Only the other one matches `{ fits: true }`. */
const spread = async (members = 1): Promise<Spread> => {
  const here = house({ shards: 2, members });
  const { client } = here;
  const documents = [
    { _id: 0, fits: false, n: 0 },
    { _id: 1, fits: true, n: 0 },
  ];
  await client.run({ insert: 'c', documents });
  await client.run({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin');
  const raised = async (): Promise<readonly number[]> =>
    (await client.plain({ find: 'c', sort: { _id: 1 } })).cursor.firstBatch.map(({ n }) => n as number);
  return { ...here, raised };
};

const retryable = { lsid, txnNumber: Long.fromInt(1) };
const q = { fits: true };
const u = { $inc: { n: 1 } };

const writes: readonly [name: string, write: Document, db?: string][] = [
  ['update', { update: 'c', updates: [{ q, u }], ...retryable }],
  ['update with a sort', { update: 'c', updates: [{ q, u, sort: { _id: 1 } }], ...retryable }],
  ['findAndModify', { findAndModify: 'c', query: q, update: u, ...retryable }],
  [
    'bulkWrite',
    { bulkWrite: 1, ops: [{ update: 0, filter: q, updateMods: u }], nsInfo: [{ ns: 'db.c' }], ...retryable },
    'admin',
  ],
];

const admit = { update: 'c', updates: [{ q: { _id: 0 }, u: { $set: { fits: true } } }] };

describe('Retryable Writes: a retried write of one document without the shard key is executed once', () => {
  test.each(writes)('%s: if another document matches in the meantime', async (_, write, db) => {
    const { client, other, raised } = await spread();
    await client.run(write, db);
    await client.run(admit);
    await other.run(write, db);
    expect(await raised()).toEqual([0, 1]);
  });

  test.each(writes)('%s: while the shard that executed it has no primary', async (_, write, db) => {
    const { client, other, raised, controls, clock } = await spread(3);
    await client.run(write, db);
    controls[1]!.crash(0);
    await client.run(admit);
    const again = other.run(write, db);
    await quiet();
    await clock.advance(15_000);
    await again;
    expect(await raised()).toEqual([0, 1]);
  });

  test.each(writes)('%s: through another mongos while the first attempt is in progress', async (_, write, db) => {
    const { client, other, raised, shards, clock } = await spread();
    const failing = { failCommands: ['update', 'findAndModify'], blockConnection: true, blockTimeMS: 500 };
    const shard = new Client(shards[1]![0]!);
    const { count } = await shard.run(
      { configureFailPoint: 'failCommand', mode: { times: 1 }, data: { ...failing, failInternalCommands: true } },
      'admin',
    );
    const first = client.run(write, db);
    await shard.run({ waitForFailPoint: 'failCommand', timesEntered: (count as number) + 1, maxTimeMS: 1000 }, 'admin');
    await other.run(admit);
    const again = other.run(write, db);
    await quiet();
    await clock.advance(1_000);
    await Promise.all([first, again]);
    expect(await raised()).toEqual([0, 1]);
  });
});
