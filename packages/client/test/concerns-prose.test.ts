/** The test plan of Read and Write Concern: which concerns each command sends. */
import { MongoClient } from '@tessera/client';
import type { Collection, CollectionOptions, MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };
const cursor = { id: 0n, ns: 'shop.films', firstBatch: [{ _id: 1, n: 1 }] };

const answer = (command: Document): Document => {
  if (isHello(command)) return set;
  if ('distinct' in command) return { values: [] };
  if ('find' in command || 'aggregate' in command) return { cursor };
  return { n: 1 };
};

/** Returns the commands that a client and a collection with these options send. */
const commandsOf = async (
  options: MongoClientOptions,
  ofCollection: CollectionOptions,
  program: (films: Collection) => Promise<unknown>,
): Promise<readonly Document[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 4 });
  let received: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', answer);
    const client = new MongoClient('mongodb://db1/?replicaSet=rs', options, { runtime: world.runtime });
    await program(client.db('shop').collection('films', ofCollection));
    await client.close();
    await server.close();
    await world.runtime.clock.sleep(2000);
    received = server.received.filter(command => !isHello(command) && !('endSessions' in command));
  });
  expect(world.leftovers()).toEqual([]);
  return received;
};

const reads = async (films: Collection): Promise<void> => {
  await films.find().toArray();
  await films.aggregate([{ $match: {} }]).toArray();
  await films.distinct('a');
  await films.count();
  await films.countDocuments();
};

const writes = async (films: Collection): Promise<void> => {
  await films.insertOne({});
  await films.updateOne({}, { $set: { a: 1 } });
  await films.deleteOne({});
  await films.findOneAndUpdate({}, { $set: { a: 1 } });
  await films.aggregate([{ $match: {} }, { $out: 'others' }]).toArray();
  await films.createIndex({ a: 1 });
  await films.dropIndex('a_1');
  await films.drop();
};

const written = [
  ...['insert', 'update', 'delete', 'findAndModify', 'aggregate'],
  ...['createIndexes', 'dropIndexes', 'drop'],
];

const emitted = (received: readonly Document[], what: 'readConcern' | 'writeConcern'): readonly unknown[] =>
  received.map(command => [Object.keys(command)[0], command[what]]);

const each = (commands: readonly string[], concern: unknown): readonly unknown[] =>
  commands.map(name => [name, concern]);

const read = ['find', 'aggregate', 'distinct', 'count', 'aggregate'];

describe('Read and Write Concern, "Test Plan"', () => {
  test('Read and Write Concern, prose test R2: the default read concern is not sent', async () => {
    const expected = each(read, undefined);
    expect(emitted(await commandsOf({}, {}, reads), 'readConcern')).toEqual(expected);
    const stated = { readConcern: { level: 'majority' } } as const;
    expect(emitted(await commandsOf(stated, { readConcern: {} }, reads), 'readConcern')).toEqual(expected);
  });

  test.each<readonly [level: 'local' | 'available' | 'majority' | 'linearizable']>([
    ...([['local'], ['available'], ['majority'], ['linearizable']] as const),
  ])('Read and Write Concern, prose test R3: other read concerns of client or collection are sent: %s', async level => {
    const expected = each(read, { level });
    expect(emitted(await commandsOf({ readConcern: { level } }, {}, reads), 'readConcern')).toEqual(expected);
    expect(emitted(await commandsOf({ readConcernLevel: level }, {}, reads), 'readConcern')).toEqual(expected);
    const stated = { readConcern: { level: 'snapshot' } } as const;
    expect(emitted(await commandsOf(stated, { readConcern: { level } }, reads), 'readConcern')).toEqual(expected);
  });

  test('Read and Write Concern, prose test W1: the default write concern is not sent', async () => {
    const expected = each(written, undefined);
    expect(emitted(await commandsOf({}, {}, writes), 'writeConcern')).toEqual(expected);
    const stated = { writeConcern: { w: 2 } };
    expect(emitted(await commandsOf(stated, { writeConcern: {} }, writes), 'writeConcern')).toEqual(expected);
  });

  test.each<readonly [title: string, writeConcern: Document]>([
    ['a number', { w: 2 }],
    ['the majority', { w: 'majority' }],
    ['a name', { w: 'east' }],
    ['the journal', { j: true }],
    ['a time', { w: 1, wtimeout: 100 }],
  ])(
    'Read and Write Concern, prose test W2: other write concerns of client or collection are sent: %s',
    async (_, writeConcern) => {
      const expected = each(written, writeConcern);
      expect(emitted(await commandsOf({ writeConcern }, {}, writes), 'writeConcern')).toEqual(expected);
      const stated = { writeConcern: { w: 3 } };
      expect(emitted(await commandsOf(stated, { writeConcern }, writes), 'writeConcern')).toEqual(expected);
    },
  );
});
