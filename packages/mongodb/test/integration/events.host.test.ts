import type { EventMap } from '@tessera/contracts';
import type { MongoServerError } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, useDeployment } from './deployment.js';

const deployment = useDeployment();

test('the events of a successful command share one request id', async () => {
  const client = deployment.another({ monitorCommands: true });
  const started: EventMap['commandStarted'][] = [];
  const succeeded: EventMap['commandSucceeded'][] = [];
  client.on('commandStarted', event => void started.push(event));
  client.on('commandSucceeded', event => void succeeded.push(event));
  const { databaseName } = deployment.db;
  const { collectionName } = deployment.collection();
  await client
    .db(databaseName)
    .collection(collectionName)
    .insertMany([{ a: 1 }, { a: 2 }]);
  expect(started).toMatchObject([
    { commandName: 'insert', databaseName, command: { insert: collectionName, documents: [{ a: 1 }, { a: 2 }] } },
  ]);
  expect(succeeded).toMatchObject([{ commandName: 'insert', reply: { n: 2, ok: 1 } }]);
  expect(succeeded[0]?.requestId).toBe(started[0]?.requestId);
});

test('a failed command emits commandFailed with the failure', async () => {
  const client = deployment.another({ monitorCommands: true });
  const failed: EventMap['commandFailed'][] = [];
  client.on('commandFailed', event => void failed.push(event));
  const { code } = await errorOf<MongoServerError>(client.db().command({ noSuchCommand: 1 }));
  expect(failed).toMatchObject([{ commandName: 'noSuchCommand', failure: { code } }]);
});

test('pool and topology emit events from opening to closing', async () => {
  const client = deployment.another();
  const names: string[] = [];
  for (const name of [
    'topologyOpening',
    'serverOpening',
    'connectionPoolCreated',
    'connectionCreated',
    'connectionReady',
    'connectionCheckedOut',
    'connectionCheckedIn',
    'connectionClosed',
    'connectionPoolClosed',
    'serverClosed',
    'topologyClosed',
  ] as const)
    client.on(name, () => void names.push(name));
  await client.connect();
  await client.close();
  expect(new Set(names).size).toBe(11);
  expect([names[0], names.at(-1)]).toEqual(['topologyOpening', 'topologyClosed']);
});
