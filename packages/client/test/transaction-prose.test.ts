/** Prose tests with transactions against a scripted server. Others run in `packages/mongodb/test/integration`. */
import { MongoClient } from '@tessera/client';
import type { ClientSession } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };

/** Returns the commands that a replica set of one member receives in a committed transaction. */
const withinTransaction = async (
  answer: (command: Document) => Document,
  program: (client: MongoClient, session: ClientSession) => Promise<void>,
): Promise<readonly Document[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 10 });
  let received: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => (isHello(command) ? set : answer(command)));
    const client = new MongoClient('mongodb://db1/?replicaSet=rs', {}, { runtime: world.runtime });
    const session = client.startSession();
    session.startTransaction();
    await program(client, session);
    await session.commitTransaction();
    await session.endSession();
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2000);
    received = server.received.filter(command => 'txnNumber' in command);
  });
  expect(world.leftovers()).toEqual([]);
  return received;
};

const nameOf = (command: Document): string => Object.keys(command)[0]!;

test('Transactions, prose test 1.0: operations in a transaction do not send the write concern of their collection', async () => {
  const received = await withinTransaction(
    () => ({ n: 1 }),
    async (client, session) => {
      const films = client.db('shop').collection<{ n: number }>('films', { writeConcern: { w: 0 } });
      expect(await films.insertOne({ n: 1 }, { session })).toMatchObject({ acknowledged: true });
    },
  );
  expect(received.map(command => [nameOf(command), command['writeConcern'] as unknown])).toEqual([
    ['insert', undefined],
    ['commitTransaction', undefined],
  ]);
});

test('CRUD, prose test 8: in a transaction, results of bulkWrite beyond one batch are read with getMore in the transaction', async () => {
  const upserted = (idx: number): Document => ({ ok: 1, idx, n: 1, nModified: 0, upserted: { _id: `${idx}` } });
  const counts = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 2, nDeleted: 0 };
  const answer = (command: Document): Document => {
    const cursor = { ns: 'admin.$cmd.bulkWrite' };
    if ('bulkWrite' in command) return { cursor: { ...cursor, id: 9n, firstBatch: [upserted(0)] }, ...counts };
    if ('getMore' in command) return { cursor: { ...cursor, id: 0n, nextBatch: [upserted(1)] } };
    return {};
  };
  const received = await withinTransaction(answer, async (client, session) => {
    const models = ['0', '1'].map(_id => ({
      ...{ name: 'updateOne' as const, namespace: 'db.coll', filter: { _id: _id as never } },
      ...{ update: { $set: { x: 1 } }, upsert: true },
    }));
    const result = await client.bulkWrite(models, { session, verboseResults: true });
    expect([result.upsertedCount, result.updateResults?.size]).toEqual([2, 2]);
  });
  expect(
    received.map(command => [nameOf(command), command['startTransaction'], command['autocommit'] as unknown]),
  ).toEqual([
    ['bulkWrite', true, false],
    ['getMore', undefined, false],
    ['commitTransaction', undefined, false],
  ]);
  expect(new Set(received.map(({ lsid, txnNumber }) => JSON.stringify([lsid, String(txnNumber)]))).size).toBe(1);
});
