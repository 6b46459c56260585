/** The prose tests of Connections Survive Primary Step Down. */
import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import { names, withServers } from './with-servers.js';

const uri = 'mongodb://db1/?replicaSet=rs&retryWrites=false';

test('Connections Survive Primary Step Down, prose test 1: a cursor continues after its primary has stepped down, and no pool is cleared', () =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
    const client = open(uri);
    const db = client.db('step-down');
    const films = await db.createCollection<{ _id: number }>('step-down', { writeConcern: { w: 'majority' } });
    await films.insertMany(
      [1, 2, 3, 4, 5].map(_id => ({ _id })),
      { writeConcern: { w: 'majority' } },
    );
    const cursor = films.find({}, { batchSize: 2 });
    expect([await cursor.next(), await cursor.next()]).toEqual([{ _id: 1 }, { _id: 2 }]);
    const admin = open('mongodb://db1/?directConnection=true').db('admin');
    await admin.command({ replSetStepDown: 30, force: true });
    expect(await admin.command({ hello: 1 })).toMatchObject({ isWritablePrimary: false, secondary: true });
    expect([await cursor.next(), await cursor.next(), await cursor.next()]).toEqual([
      { _id: 3 },
      { _id: 4 },
      { _id: 5 },
    ]);
    expect(names(events, 'connectionPoolCleared')).toEqual([]);
    // The set has no other member that could be elected.
    await admin.command({ replSetFreeze: 0 });
    await films.insertOne({ _id: 6 });
    expect(names(events, 'connectionPoolCleared')).toEqual([]);
  }));

test.each<readonly [title: string, errorCode: number, cleared: number]>([
  ['Connections Survive Primary Step Down, prose test 2: not primary: the pool is kept', 10107, 0],
  ['Connections Survive Primary Step Down, prose test 4: shutdown in progress: the pool is cleared', 91, 1],
  ['Connections Survive Primary Step Down, prose test 5: interrupted at shutdown: the pool is cleared', 11600, 1],
])('%s', (_, errorCode, cleared) =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events, failPoint }) => {
    const films = open(uri).db('step-down').collection('step-down');
    await films.insertOne({ test: 0 });
    await failPoint('db1', { times: 1 }, { failCommands: ['insert'], errorCode });
    events.length = 0;
    await expect(films.insertOne({ test: 1 })).rejects.toMatchObject({ name: 'MongoServerError', code: errorCode });
    expect(names(events, 'connectionPoolCleared')).toHaveLength(cleared);
    await films.insertOne({ test: 1 });
    expect(names(events, 'connectionPoolCleared')).toHaveLength(cleared);
    // Shows whether the pool was kept: its connection is reused, or a new one is opened.
    const opened = events.filter(event => event.name === 'connectionCreated');
    expect(opened).toHaveLength(cleared);
  }),
);

test('Connections Survive Primary Step Down, prose test 1: the cursor continues on its server while another is elected', async () => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 11 });
  const { clock } = world.runtime;
  const members = ['db1:27017', 'db2:27017'] as const;
  let primary: (typeof members)[number] = 'db1:27017';
  const batches = [[3, 4], [5]].map(ids => ids.map(_id => ({ _id })));
  const playAs =
    (me: (typeof members)[number]) =>
    (command: Document): Document => {
      const isWritablePrimary = me === primary;
      if (isHello(command)) {
        const election = me === 'db1:27017' ? 1 : 2;
        const electionId = new ObjectId(`7fffffff${String(election).padStart(16, '0')}`);
        const asPrimary = isWritablePrimary ? { electionId } : { secondary: true };
        return {
          ...HELLO,
          setName: 'rs',
          setVersion: 1,
          hosts: [...members],
          me,
          primary,
          isWritablePrimary,
          ...asPrimary,
        };
      }
      if ('replSetStepDown' in command) primary = 'db2:27017';
      if ('find' in command) return { cursor: { id: 9n, ns: 'a.b', firstBatch: [{ _id: 1 }, { _id: 2 }] } };
      if ('getMore' in command)
        return { cursor: { id: batches.length > 1 ? 9n : 0n, ns: 'a.b', nextBatch: batches.shift() } };
      if ('insert' in command && !isWritablePrimary) return { ok: 0, code: 10107, errmsg: 'not primary' };
      return { n: 1 };
    };
  await world.run(async () => {
    const [first, second] = [
      await scriptServer(world, 'db1:27017', playAs('db1:27017')),
      await scriptServer(world, 'db2:27017', playAs('db2:27017')),
    ];
    const uri = 'mongodb://db1,db2/?replicaSet=rs&retryWrites=false&serverMonitoringMode=poll&heartbeatFrequencyMS=500';
    const client = new MongoClient(uri, {}, { runtime: world.runtime });
    let cleared = 0;
    client.on('connectionPoolCleared', () => (cleared += 1));
    const films = client.db('step-down').collection<{ _id: number }>('step-down');
    const cursor = films.find({}, { batchSize: 2 });
    expect([await cursor.next(), await cursor.next()]).toEqual([{ _id: 1 }, { _id: 2 }]);
    const admin = client.db('admin');
    await admin.command({ replSetFreeze: 0 }, { readPreference: 'secondary' });
    await admin.command({ replSetStepDown: 30, force: true });
    // The monitor has noticed by now.
    await clock.sleep(1000);
    expect([await cursor.next(), await cursor.next(), await cursor.next()]).toEqual([
      { _id: 3 },
      { _id: 4 },
      { _id: 5 },
    ]);
    await films.insertOne({ _id: 6 });
    expect(cleared).toBe(0);
    const namesAt = ({ received }: typeof first): readonly string[] =>
      received.filter(command => !isHello(command)).map(command => Object.keys(command)[0]!);
    expect(namesAt(first).filter(name => name !== 'ping')).toEqual(['find', 'replSetStepDown', 'getMore', 'getMore']);
    expect(namesAt(second)).toEqual(['replSetFreeze', 'insert']);
    await client.close();
    for (const server of [first, second]) await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
});
