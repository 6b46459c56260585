import { expect, test } from 'vitest';
import { Client, ManualClock, settled } from '../../../server/test/client.js';
import { house } from './house.js';

/** A clock that advances by a millisecond each time it is read. */
class HurriedClock extends ManualClock {
  #looks = 0;

  override now(): number {
    return super.now() + this.#looks++;
  }
}

const seven = Array.from({ length: 7 }, (_, i) => i);

/** Produces 7 ** 6 documents for each document. */
const products = [
  { $set: { a: seven, b: seven, c: seven, d: seven, e: seven, f: seven } },
  ...['$a', '$b', '$c', '$d', '$e', '$f'].map(path => ({ $unwind: path })),
];

interface Operation {
  readonly shard: string;
  readonly opid: string;
  readonly ns: string;
}

/**
 * Creates a mongos whose second shard runs a long operation. The database `one` is on the first shard, `two` on the
 * second.
 */
const busy = async () => {
  const clock = new HurriedClock();
  const { client, mongos } = house({ shards: 2, clock });
  const other = new Client(mongos[0]);
  for (const db of ['one', 'two']) await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, db);
  const long = client.refusal({ aggregate: 'c', pipeline: [...products, { $count: 'n' }], cursor: {} }, 'two');
  for (let i = 0; i < 5; i++) await settled();
  /** Advances the clock until the operation is done. */
  const finished = async (): Promise<string> => {
    let isDone = false;
    const noted = long.finally(() => (isDone = true));
    while (!isDone) {
      await clock.advance(1);
      await settled();
    }
    return noted;
  };
  return { other, finished };
};

test("killOp kills a shard's operation by the opid that currentOp returned", async () => {
  const { other, finished } = await busy();
  const { inprog } = (await other.plain({ currentOp: 1 }, 'admin')) as unknown as {
    readonly inprog: readonly Operation[];
  };
  expect([...new Set(inprog.map(({ shard }) => shard))]).toEqual(['shard0', 'shard1']);
  const { opid } = inprog.find(({ ns }) => ns === 'two.c')!;
  expect(opid).toMatch(/^shard1:\d+$/);
  const id = Number(opid.slice('shard1:'.length));
  expect(await other.plain({ killOp: 1, op: opid }, 'admin')).toMatchObject({ shard: 'shard1', shardid: id, ok: 1 });
  expect(await finished()).toMatch(/^11601 .*operation was interrupted$/);
});

test('$currentOp lists the operations of all shards for further stages, or with localOps those of the mongos', async () => {
  const { other, finished } = await busy();
  const stages = [{ $match: { ns: 'two.c' } }, { $project: { shard: 1 } }];
  const run = (options: object, ...rest: object[]) =>
    other.plain({ aggregate: 1, pipeline: [{ $currentOp: options }, ...rest], cursor: {} }, 'admin');
  expect((await run({ allUsers: true }, ...stages)).cursor).toMatchObject({
    firstBatch: [{ shard: 'shard1' }],
    ns: 'admin.$cmd.aggregate',
  });
  const own = (await run({ localOps: true })).cursor.firstBatch;
  expect(own.map(one => [typeof one['opid'], 'shard' in one])).toContainEqual(['number', false]);
  await other.plain({ killAllSessions: [] }, 'admin');
  const [one] = (await run({}, stages[0]!)).cursor.firstBatch;
  await other.plain({ killOp: 1, op: one!['opid'] }, 'admin');
  expect(await finished()).toMatch(/^11601 /);
});

test('$currentOp returns several batches', async () => {
  const { other, finished } = await busy();
  const pipeline = [{ $currentOp: {} }, { $project: { shard: 1 } }];
  const first = await other.run({ aggregate: 1, pipeline, cursor: { batchSize: 1 } }, 'admin');
  const { id } = first.cursor;
  const rest = await other.plain({ getMore: id, collection: '$cmd.aggregate' }, 'admin');
  const { nextBatch } = rest.cursor as unknown as { readonly nextBatch: readonly object[] };
  expect([...first.cursor.firstBatch, ...nextBatch].map(one => Object.keys(one))).toContainEqual(['shard']);
  expect(nextBatch.length).toBeGreaterThan(0);
  await other.plain({ killAllSessions: [] }, 'admin');
  const [one] = (
    await other.plain(
      { aggregate: 1, pipeline: [{ $currentOp: {} }, { $match: { ns: 'two.c' } }], cursor: {} },
      'admin',
    )
  ).cursor.firstBatch;
  await other.plain({ killOp: 1, op: one!['opid'] }, 'admin');
  await finished();
});

test.each([
  ['shard0', /^28625 The op argument to killOp must be of the format shardid:opid but found "shard0"$/],
  ['shard0:', /^28625 /],
  ['shard9:5', /^70 /],
  ['shard0:x', /^9 /],
  ['shard0:4294967296', /^15 The operation id does not fit into 32 bits: 4294967296$/],
])('rejects killOp of %s', async (op, refusal) => {
  const { client } = house({ shards: 2 });
  expect(await client.refusal({ killOp: 1, op }, 'admin')).toMatch(refusal);
});
