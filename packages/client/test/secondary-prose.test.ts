/** The test plans of enumeration on a secondary: a member that has stepped down. */
import type { Db, MongoClient } from '@tessera/client';
import { expect, test } from 'vitest';
import { withServers } from './with-servers.js';

/** Runs a test with a direct connection to a secondary, on data that existed before the step-down. */
const onSecondary = (
  prepare: (db: Db) => Promise<void>,
  program: (db: Db, client: MongoClient) => Promise<void>,
): Promise<void> =>
  withServers([{ replicaSet: 'rs' }], async ({ open }) => {
    await prepare(open('mongodb://db1/?replicaSet=rs').db('shop'));
    const client = open('mongodb://db1/?directConnection=true');
    const admin = client.db('admin');
    await admin.command({ replSetStepDown: 60, force: true });
    expect(await admin.command({ hello: 1 })).toMatchObject({ isWritablePrimary: false, secondary: true });
    await program(client.db('shop'), client);
  });

test('Enumerating Collections, prose tests 1, 2: returns all names, or only those of capped collections: a secondary', () =>
  onSecondary(
    async db => {
      await db.createCollection('films');
      await db.createCollection('log', { capped: true, size: 4096 });
      for (const name of ['films', 'log']) {
        await db.collection(name).createIndex({ a: 1 });
        await db.collection(name).insertOne({ a: 1 });
      }
    },
    async db => {
      const all = await db.listCollections({}, { nameOnly: true }).toArray();
      expect(all.map(({ name }) => name).sort()).toEqual(['films', 'log']);
      const capped = await db.listCollections({ 'options.capped': true }).toArray();
      expect(capped.map(({ name }) => name)).toEqual(['log']);
    },
  ));

test('Enumerating Databases, prose tests 1, 2: returns all databases, with details and by name: a secondary', () =>
  onSecondary(
    async db => {
      await db.collection('films').insertOne({ a: 1 });
    },
    async (_, client) => {
      const { databases } = await client.db().admin().listDatabases();
      const full = databases.filter(({ name }) => name === 'shop');
      expect(full).toMatchObject([{ name: 'shop', empty: false }]);
      const names = await client.db().admin().listDatabases({ nameOnly: true });
      expect(names.databases.filter(({ name }) => name === 'shop')).toEqual([{ name: 'shop' }]);
      expect(new Set(names.databases.map(({ name }) => name)).size).toBe(names.databases.length);
    },
  ));

test('Index Management, prose tests 1, 2: returns all indexes, by name and with details: a secondary', () =>
  onSecondary(
    async db => {
      const films = db.collection('films');
      await films.createIndexes([{ key: { a: 1 } }, { key: { b: 1, c: -1 } }, { key: { d: 1 }, unique: true }]);
      await films.insertOne({ a: 1, b: 1, c: 1, d: 1 });
    },
    async db => {
      const names = Object.keys(await db.collection('films').indexInformation());
      expect(names).toEqual(['_id_', 'a_1', 'b_1_c_-1', 'd_1']);
      const full = await db.collection('films').listIndexes().toArray();
      expect(full.map(({ name, unique }) => [name, unique])).toEqual([
        ...[
          ['_id_', undefined],
          ['a_1', undefined],
          ['b_1_c_-1', undefined],
          ['d_1', true],
        ],
      ]);
    },
  ));
