/** The prose tests of Connections Survive Primary Step Down. */
import { expect, test } from 'vitest';
import { names, onStage } from './stage.js';

const uri = 'mongodb://db1/?replicaSet=rs&retryWrites=false';

test('Connections Survive Primary Step Down, prose test 1: a cursor goes on after its primary has stepped down, and no pool is cleared', () =>
  onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
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
  onStage([{ replicaSet: 'rs' }], async ({ open, events, failPoint }) => {
    const films = open(uri).db('step-down').collection('step-down');
    await films.insertOne({ test: 0 });
    await failPoint('db1', { times: 1 }, { failCommands: ['insert'], errorCode });
    events.length = 0;
    await expect(films.insertOne({ test: 1 })).rejects.toMatchObject({ name: 'MongoServerError', code: errorCode });
    expect(names(events, 'connectionPoolCleared')).toHaveLength(cleared);
    await films.insertOne({ test: 1 });
    expect(names(events, 'connectionPoolCleared')).toHaveLength(cleared);
    // Of the pool: its connection is used again, or there is another one.
    const opened = events.filter(event => event.name === 'connectionCreated');
    expect(opened).toHaveLength(cleared);
  }),
);
