import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../../../server/test/client.js';
import { insert, lsid } from '../cluster/members.js';
import type { House } from './house.js';
import { house } from './house.js';

/** Waits until pending work within the process is done. */
const quiet = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await settled();
};

/** Creates a shard whose first member is partitioned and still considers itself primary. */
const parted = async (shards = 1): Promise<House> => {
  const here = house({ shards, members: 3 });
  await here.client.run({ insert: 'c', documents: [{ _id: 0 }] });
  here.controls[0]!.partition([0], [1, 2]);
  return here;
};

const memberOf = ({ controls: [shard] }: House, place: number): Client => new Client(shard!.members[place]!);

interface Watched {
  more(options?: Document): Promise<readonly unknown[]>;
}

/** Opens a change stream over all shards. */
const watched = async ({ client, clock }: House): Promise<Watched> => {
  const pipeline = [{ $changeStream: { allChangesForCluster: true } }];
  const { cursor } = await client.run({ aggregate: 1, pipeline, cursor: { batchSize: 0 } }, 'admin');
  return {
    more: async (options = {}) => {
      const getMore = { getMore: cursor.id, collection: '$cmd.aggregate', maxTimeMS: 1, ...options };
      const asked = client.plain(getMore, 'admin');
      await quiet();
      await clock.advance(1);
      return (await asked).cursor.nextBatch.map(({ documentKey }) => (documentKey as Document)['_id']);
    },
  };
};

describe('two members that consider themselves primary of a shard', () => {
  test('the earlier one never acknowledges a majority write that is rolled back', async () => {
    const here = await parted();
    const asked = here.client.plain({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 'majority' } });
    await quiet();
    await here.controls[0]!.elect(1);
    here.controls[0]!.heal();
    expect(await asked).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 11602 } });
    expect((await here.client.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 0 }]);
  });

  test('a mongos uses the one of the later election', async () => {
    const here = await parted();
    const { client } = here;
    await here.controls[0]!.elect(1);
    for (let i = 1; i <= 10; i++) await client.plain({ insert: 'c', documents: [{ _id: i }], writeConcern: { w: 1 } });
    here.controls[0]!.heal();
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toHaveLength(11);
  });

  test('the earlier one passes no event without a majority to a change stream', async () => {
    const here = await parted(2);
    const stream = await watched(here);
    const earlier = memberOf(here, 0);
    for (let i = 0; i < 6; i++) await insert(earlier, `lost ${i}`, { writeConcern: { w: 1 } });
    await here.controls[0]!.elect(1);
    const later = memberOf(here, 1);
    for (let i = 1; i < 10; i++) await insert(later, i);
    expect(await stream.more({ batchSize: 1 })).toEqual([1]);
    here.controls[0]!.crash(1);
    expect(await stream.more()).toEqual([]);
    here.controls[0]!.heal();
    await here.controls[0]!.elect(2);
    expect(await stream.more()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('the earlier one does not advance a change stream beyond events of the later one', async () => {
    const here = await parted(2);
    await here.client.run({ insert: 'c', documents: [{ _id: 0 }] }, 'two');
    const stream = await watched(here);
    await here.controls[0]!.elect(1);
    await here.client.plain({ insert: 'c', documents: [{ _id: 'first' }] });
    here.controls[0]!.crash(1);
    await here.client.plain({ insert: 'c', documents: [{ _id: 'second' }] }, 'two');
    expect(await stream.more()).toEqual([]);
    here.controls[0]!.heal();
    await here.controls[0]!.elect(2);
    expect(await stream.more()).toEqual(['first', 'second']);
  });
});

test('a shard without a primary does not advance a change stream beyond events of its other members', async () => {
  const here = house({ shards: 2, members: 3 });
  const { client, controls, clock } = here;
  for (const db of ['one', 'two']) await client.run({ insert: 'c', documents: [{ _id: 0 }] }, db);
  const stream = await watched(here);
  controls[0]!.lag(1, Number.POSITIVE_INFINITY);
  await client.plain({ insert: 'c', documents: [{ _id: 'first' }] }, 'one');
  controls[0]!.crash(0);
  await client.plain({ insert: 'c', documents: [{ _id: 'second' }] }, 'two');
  expect(await stream.more()).toEqual([]);
  await clock.advance(30_000);
  expect(await stream.more()).toEqual(['first', 'second']);
});

describe('a commit through another mongos', () => {
  const part = { lsid, txnNumber: Long.fromInt(1), autocommit: false };

  const committed = async (here: House): Promise<Document> => {
    const { client } = here;
    await client.run({ insert: 'c', documents: [{ _id: 0 }] });
    const write = { insert: 'c', documents: [{ _id: 1 }], ...part, startTransaction: true };
    const { recoveryToken } = await client.plain(write);
    await client.run({ commitTransaction: 1, ...part }, 'admin');
    return { commitTransaction: 1, ...part, recoveryToken };
  };

  test('does not report an abort while the shard cannot be reached', async () => {
    const here = house({ shards: 1, members: 3 });
    const commit = await committed(here);
    for (const member of [0, 1, 2]) here.controls[0]!.crash(member);
    const asked = here.other.plain(commit, 'admin');
    await quiet();
    for (let i = 0; i < 1_001; i++) await here.clock.advance(20);
    const reply = await asked;
    expect(reply).toMatchObject({ ok: 0, code: 133 });
    expect(reply).not.toHaveProperty('errorLabels');
  });

  test('does not report an abort by a primary without a majority', async () => {
    const here = house({ shards: 1, members: 3 });
    await here.client.run({ insert: 'c', documents: [{ _id: 0 }] });
    here.controls[0]!.partition([0], [1, 2]);
    const recoveryToken = { recoveryShardId: 'shard0' };
    const commit = { commitTransaction: 1, ...part, recoveryToken, writeConcern: { w: 1, wtimeout: 100 } };
    const asked = here.other.plain(commit, 'admin');
    await quiet();
    await here.clock.advance(100);
    const reply = await asked;
    expect(reply).toMatchObject({ ok: 0, code: 251, writeConcernError: { code: 64 } });
    expect(reply).not.toHaveProperty('errorLabels');
  });
});
