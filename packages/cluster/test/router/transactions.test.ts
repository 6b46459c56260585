import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Reply } from '../../../server/test/client.js';
import { house } from './house.js';

/** The commands of one transaction. */
const transactionOf = async (client: Client, number = 1) => {
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  const part = { lsid, txnNumber: Long.fromInt(number), autocommit: false };
  return {
    start: (by: Client, command: object): Promise<Reply> =>
      by.plain({ ...command, ...part, startTransaction: true, readConcern: { level: 'snapshot' } }),
    go: (by: Client, command: object): Promise<Reply> => by.plain({ ...command, ...part }),
    commit: (by: Client, recoveryToken?: unknown): Promise<Reply> =>
      by.plain({ commitTransaction: 1, ...part, ...(recoveryToken === undefined ? {} : { recoveryToken }) }, 'admin'),
    abort: (by: Client): Promise<Reply> => by.plain({ abortTransaction: 1, ...part }, 'admin'),
  };
};

const one = { insert: 'c', documents: [{ _id: 1 }] };
const two = { insert: 'c', documents: [{ _id: 2 }] };

describe('a transaction through a mongos', () => {
  test('becomes visible when it is committed', async () => {
    const { client, other } = house();
    await client.run({ create: 'c' });
    const { start, go, commit } = await transactionOf(client);
    expect(await start(client, one)).toMatchObject({ n: 1 });
    expect(await go(client, two)).toMatchObject({ n: 1 });
    expect((await other.plain({ find: 'c' })).cursor.firstBatch).toEqual([]);
    expect(await commit(client)).toMatchObject({ ok: 1 });
    expect((await other.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 1 }, { _id: 2 }]);
  });

  test('returns a recovery token in every reply, with a shard after the first write', async () => {
    const { client } = house();
    await client.run({ create: 'c' });
    const { start, go, commit } = await transactionOf(client);
    expect((await start(client, { find: 'c' }))['recoveryToken']).toEqual({});
    expect((await go(client, one))['recoveryToken']).toEqual({ recoveryShardId: 'shard0' });
    expect((await commit(client))['recoveryToken']).toEqual({ recoveryShardId: 'shard0' });
  });

  test('is committed for another mongos with the recovery token', async () => {
    const { client, other } = house();
    await client.run({ create: 'c' });
    const { start, commit } = await transactionOf(client);
    const { recoveryToken } = await start(client, one);
    await commit(client);
    expect(await commit(other, recoveryToken)).toMatchObject({ ok: 1 });
    expect(await commit(other, recoveryToken)).toMatchObject({ ok: 1 });
  });

  test('is aborted if another mongos receives the commit before its own', async () => {
    const { client, other } = house();
    await client.run({ create: 'c' });
    const { start, commit } = await transactionOf(client);
    const { recoveryToken } = await start(client, one);
    expect(await commit(other, recoveryToken)).toMatchObject({
      code: 251,
      codeName: 'NoSuchTransaction',
      errorLabels: ['TransientTransactionError'],
    });
    expect((await commit(client)).code).toBe(251);
    expect((await other.plain({ find: 'c' })).cursor.firstBatch).toEqual([]);
  });

  test('continues only on its own mongos', async () => {
    const { client, other } = house();
    await client.run({ create: 'c' });
    const { start, go, commit } = await transactionOf(client);
    await start(client, one);
    expect(await go(other, two)).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    expect((await commit(other)).code).toBe(251);
    expect((await commit(client)).ok).toBe(1);
  });

  test('leaves no changes when it is aborted', async () => {
    const { client } = house();
    await client.run({ create: 'c' });
    const { start, abort, commit } = await transactionOf(client);
    await start(client, one);
    expect((await abort(client)).ok).toBe(1);
    expect(await commit(client)).toMatchObject({ code: 251 });
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toEqual([]);
  });

  test('fails with 112 and a label on a write conflict', async () => {
    const { client, other } = house();
    await client.run(one);
    const { start, go } = await transactionOf(client);
    await start(client, { find: 'c' });
    const update = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
    await other.run(update);
    expect(await go(client, update)).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
  });

  test('fails with a label when its shard loses the primary, and can be restarted', async () => {
    const { client, sets, clock } = house({ members: 3 });
    await client.run({ create: 'c' });
    const { start, go } = await transactionOf(client);
    await start(client, one);
    sets[0]!.stepDown(sets[0]!.primary!, 60_000);
    await clock.advance(1);
    expect(await go(client, two)).toMatchObject({ ok: 0, errorLabels: ['TransientTransactionError'] });
    const again = await transactionOf(client);
    await again.start(client, one);
    expect((await again.commit(client)).ok).toBe(1);
  });
});
