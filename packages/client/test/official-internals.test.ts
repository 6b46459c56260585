/** The members of a client that the official driver does not document, but that libraries read. */
import {
  Collection,
  Db,
  HostAddress,
  MongoClient,
  ServerDescription,
  Topology,
  TopologyDescription,
} from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeServer, describeTopology } from '../src/convert-error.js';
import { MongoDBNamespace } from '../src/namespace.js';
import { withServer } from './with-server.js';

const { runtime } = createWorld({ turn: () => Promise.resolve() });
const clientOf = (url: string, options: MongoClientOptions = {}): MongoClient =>
  new MongoClient(url, options, { runtime });

describe('the internal state of a client', () => {
  test('has the connection string and the options', () => {
    const url = 'mongodb://db1,[::1]:27018,%2Ftmp%2Fmongodb-27017.sock/shop';
    const { s, options } = clientOf(url, { maxPoolSize: 7 });
    expect(s).toEqual({ url, options });
    expect(s.options).toBe(options);
    expect([options.dbName, options.maxPoolSize, options.retryWrites, options.monitorCommands]).toEqual([
      ...['shop', 7, true, false],
    ]);
    expect([options.readPreference.mode, options.compressors, options.driverInfo]).toEqual(['primary', ['none'], {}]);
    expect(options.hosts.map(({ host, port, isIPv6, socketPath }) => [host, port, isIPv6, socketPath])).toEqual([
      ['db1', 27_017, false, undefined],
      ['::1', 27_018, true, undefined],
      [undefined, undefined, false, '/tmp/mongodb-27017.sock'],
    ]);
    expect(options.hosts.map(String)).toEqual(['db1:27017', '[::1]:27018', '/tmp/mongodb-27017.sock']);
  });

  test('has the name of the driver', async () => {
    const { driver } = await clientOf('mongodb://db1').options.metadata;
    expect(driver.name).toBe('tessera');
  });

  test('has credentials that are not printed', () => {
    const { options } = clientOf('mongodb://ann:secret@db1/?authSource=users', { driverInfo: { name: 'lib' } });
    expect(options.credentials).toEqual({
      ...{ username: 'ann', password: 'secret', source: 'users', mechanism: 'DEFAULT', mechanismProperties: {} },
    });
    expect(clientOf('mongodb://db1').options.credentials).toBeUndefined();
    expect([inspect(options), JSON.stringify(options)].join()).not.toContain('secret');
    expect(options.driverInfo).toEqual({ name: 'lib' });
  });

  test('cursors that list have their database or collection, also after clone', () => {
    const db = clientOf('mongodb://db1').db('shop');
    const films = db.collection('films');
    const [collections, indexes] = [db.listCollections(), films.listIndexes()];
    expect([collections.parent, collections.clone().parent]).toEqual([db, db]);
    expect([indexes.parent, indexes.clone().parent]).toEqual([films, films]);
    expect(inspect(indexes)).not.toContain('parent');
  });

  test('databases have the options of their client that databases inherit, unless they have their own', () => {
    const client = clientOf('mongodb://db1/?w=2&readConcernLevel=local', { retryWrites: false, promoteLongs: false });
    const { readPreference, readConcern, writeConcern } = client;
    const inherited = {
      readPreference,
      readConcern,
      writeConcern,
      retryWrites: false,
      promoteLongs: false,
      enableUtf8Validation: true,
    };
    expect(client.db('shop').options).toEqual({ ...inherited, raw: false, forceServerObjectId: false });
    expect(client.db('shop', { raw: true, authSource: 'users', timeoutMS: 50 }).options).toEqual({
      ...{ ...inherited, raw: true, forceServerObjectId: false, authSource: 'users' },
    });
  });

  test('cursors of find and aggregate have their options, with the flags that were set later', () => {
    const films = clientOf('mongodb://db1').db('shop').collection('films');
    const found = films.find({}, { batchSize: 3 }).addCursorFlag('noCursorTimeout', true);
    const aggregated = films.aggregate([], { comment: 'all' }).batchSize(7);
    expect([found.cursorOptions, aggregated.cursorOptions]).toEqual([
      { batchSize: 3, noCursorTimeout: true },
      { comment: 'all', batchSize: 7 },
    ]);
  });

  test('has no topology before the client opens and after it closes', () =>
    withServer(async ({ client }) => {
      expect(client.topology).toBeUndefined();
      await client.connect();
      const { topology } = client;
      expect(topology).toBeInstanceOf(Topology);
      expect([topology!.isConnected(), topology!.isDestroyed(), topology!.loadBalanced]).toEqual([true, false, false]);
      expect(topology!.s.description).toBe(topology!.description);
      expect([topology!.commonWireVersion > 0, topology!.logicalSessionTimeoutMinutes]).toEqual([true, 30]);
      await client.close();
      expect(client.topology).toBeUndefined();
    }));

  test('has no topology after a connection attempt that failed', async () => {
    const world = createWorld({ turn: () => new Promise<void>(resolve => setImmediate(resolve)) });
    await world.run(async () => {
      const client = new MongoClient('mongodb://db1', { serverSelectionTimeoutMS: 10 }, { runtime: world.runtime });
      const error: unknown = await client.connect().catch((thrown: unknown) => thrown);
      const [server] = (error as { reason: TopologyDescription }).reason.servers.values();
      expect(client.topology).toBeUndefined();
      expect(server).toBeInstanceOf(ServerDescription);
      expect([server!.type, server!.host, server!.port, server!.error?.name]).toEqual([
        ...['Unknown', 'db1', 27_017, 'MongoNetworkError'],
      ]);
    });
  });
});

test("descriptions have the members of the official driver's", () =>
  withServer(
    async ({ client }) => {
      await client.connect();
      const { description } = client.topology!;
      expect(description).toBeInstanceOf(TopologyDescription);
      expect([description.type, description.setName, description.maxSetVersion, description.error]).toEqual([
        ...['Single', null, null, null],
      ]);
      expect([description.heartbeatFrequencyMS, description.localThresholdMS]).toEqual([5000, 20]);
      expect([description.hasKnownServers, description.hasDataBearingServers, description.compatible]).toEqual([
        ...[true, true, true],
      ]);
      expect([description.hasServer('db1:27017'), description.hasServer('db2:27017')]).toEqual([true, false]);
      expect(JSON.parse(JSON.stringify(description))).toMatchObject({ type: 'Single', stale: false, setName: null });
      const server = description.servers.get('db1:27017')!;
      expect([server.isWritable, server.isReadable, server.isDataBearing, server.allHosts]).toEqual([
        ...[true, true, true, []],
      ]);
      expect([server.error, server.primary, server.setName, String(server.hostAddress)]).toEqual([
        ...[null, null, null, 'db1:27017'],
      ]);
    },
    { heartbeatFrequencyMS: 5000, localThresholdMS: 20, directConnection: true },
  ));

test('a description is converted once', () => {
  const server = { hosts: [], passives: [], arbiters: [], type: 'Unknown', address: 'db1:27017' } as never;
  const topology = {
    servers: new Map([['db1:27017', server]]),
    type: 'Unknown',
    compatibilityError: 'too old',
  } as never;
  expect(describeServer(server)).toBe(describeServer(server));
  expect(describeTopology(topology)).toBe(describeTopology(topology));
  expect(describeTopology(topology)).toMatchObject({
    ...{ compatible: false, compatibilityError: 'too old', commonWireVersion: 0, hasKnownServers: false },
  });
});

test('HostAddress parses and prints addresses', () => {
  expect(
    [HostAddress.fromString('DB1'), HostAddress.fromHostPort('::1', 5), new HostAddress('/tmp/x.sock')].map(address => [
      ...[String(address), inspect(address), address.toHostPort()],
    ]),
  ).toEqual([
    ['db1:27017', "new HostAddress('db1:27017')", { host: 'db1', port: 27_017 }],
    ['[::1]:5', "new HostAddress('[::1]:5')", { host: '::1', port: 5 }],
    ['/tmp/x.sock', "new HostAddress('/tmp/x.sock')", { host: '/tmp/x.sock', port: 0 }],
  ]);
});

test('databases and collections can be constructed and subclassed', () =>
  withServer(async ({ client }) => {
    class Films extends Collection {
      titles(): Promise<unknown[]> {
        return this.distinct('title');
      }
    }
    const db = new Db(client, 'cinema', { readPreference: 'nearest' });
    const films = new Films(db, 'films', { writeConcern: { w: 1 } });
    await films.insertOne({ title: 'One' });
    expect(await films.titles()).toEqual(['One']);
    expect([films.s.db, String(films.s.namespace)]).toEqual([db, 'cinema.films']);
    expect([films.namespace, films.readPreference.mode, films.writeConcern?.w]).toEqual(['cinema.films', 'nearest', 1]);
    expect(() => new Collection(db, '')).toThrow('"" cannot be the name of a collection');
  }));

test('a namespace has the database and perhaps a collection', () => {
  const cinema = new MongoDBNamespace('cinema', '');
  expect([cinema, String(cinema)]).toEqual([{ db: 'cinema' }, 'cinema']);
  const films = cinema.withCollection('films.old');
  expect([films, String(films)]).toEqual([{ db: 'cinema', collection: 'films.old' }, 'cinema.films.old']);
});
