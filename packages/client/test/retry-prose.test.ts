/** The prose tests of Retryable Reads and Retryable Writes, with the whole driver. */
import { MongoClient } from '@tessera/client';
import type { Collection } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import { names, withServers } from './with-servers.js';

interface Kind {
  readonly command: 'find' | 'insert';
  readonly labels: object;
  run(films: Collection): Promise<unknown>;
}

const read: Kind = { command: 'find', labels: {}, run: films => films.findOne({}) };
const write: Kind = {
  command: 'insert',
  labels: { errorLabels: ['RetryableWriteError'] },
  run: films => films.insertOne({}),
};

test.each<readonly [title: string, hellos: readonly Document[], query: string]>([
  ['a replica set', [{ setName: 'rs', hosts: ['db1:27017'] }], '?replicaSet=rs'],
  ['mongos', [{ msg: 'isdbgrid' }], ''],
])(
  'Retryable Writes, prose test 1: a storage engine without transaction numbers causes an error that mentions retryWrites: %s',
  async (_, hellos, query) => {
    const errmsg = 'Transaction numbers are only allowed on storage engines that support document-level locking';
    const refusal = { ok: 0, code: 20, codeName: 'IllegalOperation', errmsg };
    const emitted = await outcome({ hellos, refusal, refusedBy: 'first', query }, films =>
      expect(films.insertOne({})).rejects.toMatchObject({
        name: 'MongoServerError',
        message:
          'This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string.',
        code: 20,
      }),
    );
    expect(emitted).toEqual(['commandFailed db1:27017']);
  },
);

test.each<readonly [title: string, kind: Kind]>([
  ['Retryable Reads, prose test 1: a read', read],
  ['Retryable Writes, prose test 2: a write', write],
])('%s that waits for a connection of a pool that is cleared is retried', (_, { command, labels, run }) =>
  withServers([{ replicaSet: 'rs' }], async ({ open, failPoint, events }) => {
    const client = open('mongodb://db1/?replicaSet=rs&maxPoolSize=1');
    await client.connect();
    await failPoint(
      'db1',
      { times: 1 },
      {
        ...{ failCommands: [command], errorCode: 91, blockConnection: true, blockTimeMS: 1000, ...labels },
      },
    );
    events.length = 0;
    const films = client.db().collection('films');
    await Promise.all([run(films), run(films)]);
    const emitted = names(events, 'connectionCheckedOut', 'connectionPoolCleared', 'connectionCheckOutFailed');
    expect(emitted.slice(0, 3)).toEqual(['connectionCheckedOut', 'connectionPoolCleared', 'connectionCheckOutFailed']);
    expect(events).toContainEqual(
      expect.objectContaining({ name: 'connectionCheckOutFailed', reason: 'connectionError' }),
    );
    expect(names(events, 'commandStarted')).toHaveLength(3);
  }),
);

interface Replies {
  /** The hello fields of each server. */
  readonly hellos: readonly Document[];
  /** The reply to the first of these commands, on the first server or on each. */
  readonly refusal: Document | 'hang up';
  readonly refusedBy: 'first' | 'each';
  readonly query: string;
}

/** Returns the hosts that received the commands of an operation, and its outcome. */
const outcome = async (
  { hellos, refusal, refusedBy, query }: Replies,
  program: (films: Collection) => Promise<unknown>,
): Promise<readonly string[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const emitted: string[] = [];
  await world.run(async () => {
    const servers = await Promise.all(
      hellos.map((hello, index) => {
        let isRefused = index === 0 || refusedBy === 'each';
        return scriptServer(world, `db${index + 1}:27017`, command => {
          if (isHello(command)) return { ...HELLO, ...hello };
          if (!('find' in command || 'insert' in command)) return {};
          if (isRefused) {
            isRefused = false;
            return refusal;
          }
          return 'insert' in command ? { n: 1 } : { cursor: { id: 0n, ns: 'test.films', firstBatch: [] } };
        });
      }),
    );
    const hosts = hellos.map((_, index) => `db${index + 1}`).join();
    // Among equally suitable servers the first is selected, unless it is deprioritized.
    const random = { ...world.runtime.random, unit: () => 0 };
    const client = new MongoClient(`mongodb://${hosts}/${query}`, {}, { runtime: { ...world.runtime, random } });
    await client.connect();
    await world.runtime.clock.sleep(100);
    const note = (name: string, command: string, address: string): void => {
      if (command === 'find' || command === 'insert') emitted.push(`${name} ${address}`);
    };
    client.on('commandFailed', ({ name, commandName, address }) => {
      note(name, commandName, address);
    });
    client.on('commandSucceeded', ({ name, commandName, address }) => {
      note(name, commandName, address);
    });
    await program(client.db().collection('films'));
    await client.close();
    for (const server of servers) await server.close();
    await world.runtime.clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
  return emitted;
};

const mongos = { msg: 'isdbgrid' };
const refused = { ok: 0, code: 6, codeName: 'HostUnreachable', errmsg: 'no' };

test.each<readonly [title: string, kind: Kind]>([
  ['Retryable Reads, prose test 2.1: a read', read],
  ['Retryable Writes, prose test 4: a write', write],
])('%s is retried on another mongos if there is one', async (_, { labels, run }) => {
  const replies: Replies = {
    hellos: [mongos, mongos],
    refusal: { ...refused, ...labels },
    refusedBy: 'each',
    query: '',
  };
  const emitted = await outcome(replies, films => expect(run(films)).rejects.toMatchObject({ code: 6 }));
  expect(emitted.toSorted()).toEqual(['commandFailed db1:27017', 'commandFailed db2:27017']);
});

test.each<readonly [title: string, kind: Kind, refusal: Document | 'hang up']>([
  ['Retryable Reads, prose test 2.2: a read', read, refused],
  ['Retryable Writes, prose test 5: a write', write, 'hang up'],
])('%s is retried on the same mongos if there is no other', async (_, { run }, refusal) => {
  const replies: Replies = { hellos: [mongos], refusal, refusedBy: 'first', query: '?directConnection=false' };
  expect(await outcome(replies, run)).toEqual(['commandFailed db1:27017', 'commandSucceeded db1:27017']);
});

test('Retryable Reads, prose test 3.2: in a replica set a read is retried on the same member', async () => {
  const ofSet = { setName: 'rs', setVersion: 1, hosts: ['db1:27017', 'db2:27017'] };
  const hellos = [ofSet, { ...ofSet, isWritablePrimary: false, secondary: true }];
  const query = '?replicaSet=rs&readPreference=primaryPreferred';
  const refusal = { ...refused, errorLabels: ['RetryableError'] };
  const emitted = await outcome({ hellos, refusal, refusedBy: 'first', query }, read.run);
  expect(emitted).toEqual(['commandFailed db1:27017', 'commandSucceeded db1:27017']);
});
