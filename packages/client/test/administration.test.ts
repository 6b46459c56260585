/** Methods that manage databases, collections and indexes. */
import { describe, expect, test } from 'vitest';
import { ProfilingLevel, RunCommandCursor } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { withServer } from './with-server.js';
import { withServers } from './with-servers.js';

const commands = (events: readonly DriverEvent[], name: string): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event.command] : []));

describe('collections', () => {
  test('rename returns the renamed collection, and dropTarget replaces an existing one', () =>
    withServer(async ({ client, films, events }) => {
      await films.insertOne({ _id: 1 });
      const movies = await films.rename('movies');
      expect([movies.namespace, await movies.countDocuments()]).toEqual(['shop.movies', 1]);
      await films.insertOne({ _id: 2 });
      await expect(films.rename('movies')).rejects.toMatchObject({ codeName: 'NamespaceExists' });
      await client.db().renameCollection('films', 'movies', { dropTarget: true });
      expect(await movies.find().toArray()).toEqual([{ _id: 2 }]);
      expect(commands(events, 'renameCollection').at(-1)).toMatchObject({
        renameCollection: 'shop.films',
        to: 'shop.movies',
        dropTarget: true,
        $db: 'admin',
      });
      await expect(films.rename('a..b')).rejects.toThrow('cannot be the name');
    }));

  test('rename inherits timeoutMS from its collection', () =>
    withServer(async ({ client, films, events }) => {
      await films.insertOne({ _id: 1 });
      await client.db('shop', { timeoutMS: 60_000 }).collection('films').rename('movies');
      expect(commands(events, 'renameCollection')).toEqual([
        expect.objectContaining({ to: 'shop.movies', maxTimeMS: expect.any(Number) as unknown }),
      ]);
    }));

  test('indexes returns full descriptions, indexInformation only the keys by name', () =>
    withServer(async ({ client, films }) => {
      await films.createIndex({ title: 1, year: -1 }, { unique: true, version: 2 });
      const compact = {
        _id_: [['_id', 1]],
        'title_1_year_-1': [
          ['title', 1],
          ['year', -1],
        ],
      };
      expect(await films.indexInformation()).toEqual(compact);
      expect(await films.indexes({ full: false })).toEqual(compact);
      expect(await client.db().indexInformation('films')).toEqual(compact);
      const full = await films.indexInformation({ full: true });
      expect(full).toEqual(await films.indexes());
      expect(full).toMatchObject([{ name: '_id_' }, { name: 'title_1_year_-1', unique: true, v: 2 }]);
    }));

  test('createIndexes accepts unknown index options, createIndex only known ones', () =>
    withServer(async ({ films, events }) => {
      await films.createIndex({ a: 1 }, { unique: true, name: 'own' }, { comment: 'why' });
      expect(commands(events, 'createIndexes')[0]).toMatchObject({
        indexes: [{ key: { a: 1 }, name: 'own', unique: true }],
        comment: 'why',
      });
      await expect(films.createIndex({ b: 1 }, { strange: 1 }, {})).rejects.toMatchObject({ name: 'MongoServerError' });
      await films.createIndexes([{ key: { c: 1 }, strange: 1 } as never]);
      expect(await films.indexExists(['own', 'c_1'])).toBe(true);
    }));

  test('search index commands send no concerns, and dropSearchIndex ignores a missing collection', () =>
    withServer(async ({ client, events }) => {
      const concerned = { readConcern: 'majority', writeConcern: { w: 1 } } as const;
      const films = client.db().collection('films', concerned);
      const definition = { mappings: { dynamic: true } };
      const refused: unknown = expect.objectContaining({ name: 'MongoServerError' });
      await expect(films.createSearchIndex({ name: 'a', definition })).rejects.toEqual(refused);
      await expect(films.updateSearchIndex('a', definition)).rejects.toEqual(refused);
      await expect(films.dropSearchIndex('a')).rejects.toEqual(refused);
      await expect(films.listSearchIndexes('a').toArray()).rejects.toEqual(refused);
      await expect(films.listSearchIndexes({ batchSize: 2 }).toArray()).rejects.toEqual(refused);
      const about = { $db: 'shop', lsid: expect.anything() as unknown };
      expect(commands(events, 'createSearchIndexes')).toEqual([
        { createSearchIndexes: 'films', indexes: [{ name: 'a', definition }], ...about },
      ]);
      expect(commands(events, 'updateSearchIndex')).toEqual([
        { updateSearchIndex: 'films', name: 'a', definition, ...about },
      ]);
      expect(commands(events, 'dropSearchIndex')).toEqual([{ dropSearchIndex: 'films', name: 'a', ...about }]);
      expect(
        commands(events, 'aggregate').map(({ pipeline, cursor, readConcern }) => [pipeline, cursor, readConcern]),
      ).toEqual([
        [[{ $listSearchIndexes: { name: 'a' } }], {}, undefined],
        [[{ $listSearchIndexes: {} }], { batchSize: 2 }, undefined],
      ]);
    }));
});

describe('explain', () => {
  test('explains finds, aggregations and writes without running them', () =>
    withServer(async ({ films, events }) => {
      await films.insertOne({ _id: 1, year: 1 });
      const plan: unknown = expect.objectContaining({ explainVersion: expect.anything() as unknown });
      const executed = { explain: 'queryPlanner' } as const;
      const received: readonly (() => Promise<unknown>)[] = [
        () => films.find({ year: 1 }).explain(),
        () => films.find({ year: 1 }).explain('executionStats', { timeoutMS: 1000 }),
        () => films.find({ year: 1 }).explain({ timeoutMS: 1000 }),
        () => films.findOne({ year: 1 }, executed),
        () => films.aggregate([{ $match: { year: 1 } }]).explain(false),
        () => films.distinct('year', {}, executed),
        () => films.updateOne({ year: 1 }, { $set: { year: 2 } }, executed),
        () => films.deleteMany({}, executed),
        () => films.findOneAndDelete({ year: 1 }, executed),
      ];
      for (const ask of received) expect(await ask()).toEqual(plan);
      expect(await films.find({ year: 1 }, { explain: true }).toArray()).toEqual([plan]);
      expect(await films.aggregate([{ $match: { year: 1 } }], { explain: true }).toArray()).toEqual([plan]);
      expect(await films.find().toArray()).toEqual([{ _id: 1, year: 1 }]);
      expect(commands(events, 'explain').map(({ verbosity }) => verbosity as unknown)).toEqual([
        ...['allPlansExecution', 'executionStats', 'allPlansExecution', 'queryPlanner', 'queryPlanner'],
        ...['queryPlanner', 'queryPlanner', 'queryPlanner', 'queryPlanner'],
        ...['allPlansExecution', 'allPlansExecution'],
      ]);
      expect(commands(events, 'explain')[6]?.['explain']).toEqual({
        update: 'films',
        ordered: true,
        updates: [{ q: { year: 1 }, u: { $set: { year: 2 } } }],
      });
    }));
});

describe('Run Command, "runCursorCommand"', () => {
  test('reads all documents, and applies batchSize, maxTimeMS and comment to its getMores', () =>
    withServer(async ({ client, films, events }) => {
      await films.insertMany([1, 2, 3].map(_id => ({ _id })));
      const secondary = client.db('shop', { readPreference: 'secondary', readConcern: 'majority' });
      const cursor = secondary.runCursorCommand({ find: 'films', batchSize: 1 });
      expect(cursor).toBeInstanceOf(RunCommandCursor);
      cursor.setBatchSize(2).setComment('why').setMaxTimeMS(100);
      expect(await cursor.next()).toEqual({ _id: 1 });
      await cursor.close();
      const all = secondary.runCursorCommand({ find: 'films', batchSize: 1 }, { batchSize: 5, comment: { a: 1 } });
      expect(await all.toArray()).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const about = { $db: 'shop', lsid: expect.anything() as unknown };
      expect(commands(events, 'find').at(-1)).toEqual({ find: 'films', batchSize: 1, ...about });
      expect(commands(events, 'getMore')).toEqual([
        { getMore: expect.anything() as unknown, collection: 'films', batchSize: 5, comment: { a: 1 }, ...about },
      ]);
    }));

  test('rejects setters for options that belong in the command', () =>
    withServer(async ({ client }) => {
      const cursor = client.db().runCursorCommand({ find: 'films' });
      for (const call of [
        () => cursor.batchSize(),
        () => cursor.maxTimeMS(),
        () => cursor.addCursorFlag(),
        () => cursor.withReadConcern(),
      ])
        expect(call).toThrow('into the command');
      expect(() => cursor.clone()).toThrow('cannot be cloned');
      await cursor.close();
    }));
});

describe('databases and the server', () => {
  test('profilingLevel and setProfilingLevel use the names of levels', () =>
    withServer(async ({ client }) => {
      const db = client.db();
      expect(await db.setProfilingLevel(ProfilingLevel.slowOnly)).toBe('slow_only');
      expect(await db.profilingLevel()).toBe('slow_only');
      await expect(db.setProfilingLevel('loud' as never)).rejects.toThrow('off, slow_only, all');
    }));

  test('removeUser removes a user of the database, or of admin', () =>
    withServer(async ({ client, events }) => {
      for (const users of [client.db(), client.db().admin()])
        await expect(users.removeUser('u', { comment: 'why' })).rejects.toMatchObject({ codeName: 'UserNotFound' });
      expect(commands(events, 'dropUser')).toMatchObject([
        { dropUser: 'u', comment: 'why', $db: 'shop' },
        { dropUser: 'u', comment: 'why', $db: 'admin' },
      ]);
    }));

  test('validateCollection validates a collection of the database whose admin() was called', () =>
    withServer(async ({ client, events }) => {
      const admin = client.db().admin();
      const received = admin.validateCollection('system.version', { background: true, full: false, comment: 'why' });
      await received.catch(() => undefined);
      expect(commands(events, 'validate')).toMatchObject([
        { validate: 'system.version', comment: 'why', background: true, full: false, $db: 'shop' },
      ]);
    }));

  test('Collation: each method that takes a collation applies it', () =>
    withServer(async ({ films, events }) => {
      const collation = { locale: 'en_US', strength: 2 };
      await films.insertMany([
        { _id: 1, title: 'A' },
        { _id: 2, title: 'a' },
      ]);
      const filter = { title: 'a' };
      expect(await films.find(filter, { collation }).toArray()).toHaveLength(2);
      expect(await films.find(filter).collation(collation).count()).toBe(2);
      expect(await films.countDocuments(filter, { collation })).toBe(2);
      expect(await films.distinct('title', filter, { collation })).toHaveLength(1);
      expect(await films.aggregate([{ $match: filter }], { collation }).toArray()).toHaveLength(2);
      expect(await films.updateMany(filter, { $set: { year: 1 } }, { collation })).toMatchObject({ matchedCount: 2 });
      expect(await films.findOneAndUpdate({ _id: 1, title: 'a' }, { $set: { year: 2 } }, { collation })).not.toBe(null);
      const bulk = await films.bulkWrite([{ deleteMany: { filter, collation } }]);
      expect(bulk.deletedCount).toBe(2);
      await films.createIndex({ title: 1 }, { collation, name: 'one' });
      await films.createIndex({ title: 1 }, { name: 'two' });
      expect(commands(events, 'createIndexes')[0]?.['collation']).toBe(undefined);
      expect(await films.indexes()).toMatchObject([{ name: '_id_' }, { name: 'one', collation }, { name: 'two' }]);
    }));
});

describe('enumeration, on a standalone, a primary and behind a load balancer', () => {
  const deployments = [
    ['a standalone', [{}], 'mongodb://db1/'],
    ['a primary', [{ replicaSet: 'rs' }], 'mongodb://db1/?replicaSet=rs'],
    ['a load balancer', { topology: 'load-balanced', mongoses: 2 }, 'mongodb://db1/?loadBalanced=true'],
  ] as const;

  test.each(deployments)(
    'Enumerating Collections, prose tests 1, 2: returns all names, or only those of capped collections: %s',
    (_, layout, uri) =>
      withServers(layout, async ({ open }) => {
        const db = open(uri).db('shop');
        await db.createCollection('films');
        await db.createCollection('log', { capped: true, size: 4096 });
        for (const name of ['films', 'log']) {
          await db.collection(name).createIndex({ a: 1 });
          await db.collection(name).insertOne({ a: 1 });
        }
        const listed = await db.listCollections({}, { nameOnly: true }).toArray();
        expect(listed.map(({ name }) => name).sort()).toEqual(['films', 'log']);
        expect((await db.collections()).map(({ collectionName }) => collectionName).sort()).toEqual(['films', 'log']);
        const capped = await db.listCollections({ 'options.capped': true }).toArray();
        expect(capped).toMatchObject([{ name: 'log', options: { capped: true } }]);
        expect(await Promise.all([db.collection('log').isCapped(), db.collection('films').isCapped()])).toEqual([
          true,
          false,
        ]);
      }),
  );

  test.each(deployments)(
    'Enumerating Databases, prose tests 1, 2: returns all databases, with details and by name: %s',
    (_, layout, uri) =>
      withServers(layout, async ({ open, events }) => {
        const client = open(uri);
        for (const name of ['shop', 'club']) await client.db(name).collection('a').insertOne({ a: 1 });
        const admin = client.db().admin();
        const filter = { name: { $in: ['shop', 'club'] } };
        const full = await admin.listDatabases({ filter, comment: 'why' });
        expect(full.databases.map(({ name, empty }) => [name, empty]).sort()).toEqual([
          ['club', false],
          ['shop', false],
        ]);
        const names = await admin.listDatabases({ filter, nameOnly: true, authorizedDatabases: true });
        expect(names.databases).toHaveLength(2);
        expect(names.databases.every(database => Object.keys(database).join() === 'name')).toBe(true);
        expect(commands(events, 'listDatabases')).toMatchObject([
          { filter, comment: 'why' },
          { filter, nameOnly: true, authorizedDatabases: true },
        ]);
      }),
  );

  test('the BSON options of the client do not change the types of the databases, those of the call do', async () => {
    for (const options of [{ raw: true }, { promoteValues: false }, { useBigInt64: true }])
      await withServer(async ({ client, films }) => {
        await films.insertOne({ _id: 1 });
        const admin = client.db().admin();
        const filter = { name: 'shop' };
        const { databases, totalSize } = await admin.listDatabases({ filter });
        expect(databases).toEqual([{ name: 'shop', sizeOnDisk: expect.any(Number), empty: false }]);
        expect(totalSize).toEqual(expect.any(Number));
        const own = await admin.listDatabases({ filter, ...options });
        expect(typeof own.databases[0]?.sizeOnDisk).not.toBe('number');
      }, options);
  });

  test.each(deployments)(
    'Index Management, prose tests 1, 2: returns all indexes, by name and with details: %s',
    (_, layout, uri) =>
      withServers(layout, async ({ open }) => {
        const films = open(uri).db('shop').collection('films');
        await films.createIndex({ a: 1 });
        await films.createIndexes([{ key: { b: 1, c: -1 } }, { key: { d: 1 }, unique: true }]);
        await films.insertOne({ a: 1, b: 1, c: 1, d: 1 });
        const compact = {
          _id_: [['_id', 1]],
          a_1: [['a', 1]],
          'b_1_c_-1': [
            ['b', 1],
            ['c', -1],
          ],
          d_1: [['d', 1]],
        };
        expect(await films.indexInformation()).toEqual(compact);
        const full = await films.listIndexes({ batchSize: 2 }).toArray();
        expect(full.map(({ name }) => name)).toEqual(['_id_', 'a_1', 'b_1_c_-1', 'd_1']);
        expect(full.filter(({ unique }) => unique === true).map(({ name }) => name)).toEqual(['d_1']);
      }),
  );
});
