import type { EventMap } from '@tessera/contracts';
import { MongoExpiredSessionError, MongoInvalidArgumentError } from '@tessera/mongodb';
import type { Document } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

const deployment = useDeployment();

const watched = (): { readonly client: ReturnType<typeof deployment.another>; readonly commands: Document[] } => {
  const client = deployment.another({ monitorCommands: true });
  const commands: Document[] = [];
  client.on('commandStarted', ({ command }: EventMap['commandStarted']) => void commands.push(command));
  return { client, commands };
};

test('all operations of a session send its lsid', async context => {
  needs(context, 'client sessions');
  const { client, commands } = watched();
  const { collectionName } = deployment.collection();
  const collection = client.db(deployment.db.databaseName).collection<{ _id: number }>(collectionName);
  await client.withSession(async session => {
    await collection.insertMany(numbered(5), { session });
    await collection.find({}, { session, batchSize: 2 }).toArray();
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) expect(command['lsid']).toEqual(session.id);
  });
});

test('operations without a session use implicit sessions from a pool', async context => {
  needs(context, 'client sessions');
  const { client, commands } = watched();
  for (let time = 0; time < 3; time++) await client.db().command({ ping: 1 });
  const ids = commands.map(({ lsid }) => String((lsid as Document)['id']));
  expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
});

test('a session stores the operationTime of its operations, and sends it as afterClusterTime', async context => {
  needs(context, 'client sessions', 'causal consistency');
  const { client, commands } = watched();
  const { collectionName } = deployment.collection();
  const collection = client.db(deployment.db.databaseName).collection<{ _id: number }>(collectionName);
  await client.withSession({ causalConsistency: true }, async session => {
    await collection.insertOne({ _id: 1 }, { session });
    const time = session.operationTime;
    expect(time).toBeDefined();
    expect(session.clusterTime).toBeDefined();
    expect(await collection.findOne({}, { session })).toEqual({ _id: 1 });
    expect(commands.at(-1)?.['readConcern']).toEqual({ afterClusterTime: time });
  });
});

test('an operation in an ended session fails', async () => {
  const session = deployment.client.startSession();
  await session.endSession();
  expect(session.hasEnded).toBe(true);
  expect(await errorOf(deployment.db.command({ ping: 1 }, { session }))).toBeInstanceOf(MongoExpiredSessionError);
});

test('an operation in a session of another client fails', async () => {
  const session = deployment.another().startSession();
  expect(await errorOf(deployment.db.command({ ping: 1 }, { session }))).toBeInstanceOf(MongoInvalidArgumentError);
  await session.endSession();
});

test('each retryable write sends its own transaction number', async context => {
  needs(context, 'client sessions', 'replica set');
  const { client, commands } = watched();
  const { collectionName } = deployment.collection();
  const collection = client.db(deployment.db.databaseName).collection<{ _id: number }>(collectionName);
  await collection.insertOne({ _id: 1 });
  await collection.deleteOne({ _id: 1 });
  const numbers = commands.map(({ txnNumber }) => String(txnNumber));
  expect(new Set(numbers).size).toBe(2);
  expect(numbers.every(number => /^\d+$/.test(number))).toBe(true);
});

test('operations accept w: majority and a read concern', async context => {
  needs(context, 'replica set');
  const collection = deployment.collection<{ _id: number }>();
  const writeConcern = { w: 'majority', wtimeoutMS: 5_000 } as const;
  expect(await collection.insertOne({ _id: 1 }, { writeConcern })).toMatchObject({ acknowledged: true });
  expect(await collection.findOne({}, { readConcern: { level: 'majority' } })).toEqual({ _id: 1 });
});
