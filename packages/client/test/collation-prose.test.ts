/** The test plan of Collation. */
import type { Collection, MongoClient } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { withServers } from './with-servers.js';

interface Film extends Document {
  _id?: number;
}

const collation = { locale: 'en_US', strength: 2 };
const set = { $set: { a: 1 } };

/** Methods that take a collation, and the commands that they send. */
const methods: readonly (readonly [
  title: string,
  command: string,
  run: (films: Collection<Film>, client: MongoClient) => Promise<unknown>,
])[] = [
  ['aggregate', 'aggregate', films => films.aggregate([], { collation }).toArray()],
  ['count', 'count', films => films.count({}, { collation })],
  ['countDocuments', 'aggregate', films => films.countDocuments({}, { collation })],
  ['distinct', 'distinct', films => films.distinct('a', {}, { collation })],
  ['find', 'find', films => films.find({}, { collation }).toArray()],
  ['the method of a find cursor', 'find', films => films.find().collation(collation).toArray()],
  ['findOne', 'find', films => films.findOne({}, { collation })],
  ['findOneAndDelete', 'findAndModify', films => films.findOneAndDelete({}, { collation })],
  ['findOneAndReplace', 'findAndModify', films => films.findOneAndReplace({}, { a: 1 }, { collation })],
  ['findOneAndUpdate', 'findAndModify', films => films.findOneAndUpdate({}, set, { collation })],
  ['updateOne', 'update', films => films.updateOne({}, set, { collation })],
  ['updateMany', 'update', films => films.updateMany({}, set, { collation })],
  ['replaceOne', 'update', films => films.replaceOne({}, { a: 1 }, { collation })],
  ['deleteOne', 'delete', films => films.deleteOne({}, { collation })],
  ['deleteMany', 'delete', films => films.deleteMany({}, { collation })],
  [
    'an updateOne of a bulkWrite',
    'update',
    films => films.bulkWrite([{ updateOne: { filter: {}, update: set, collation } }]),
  ],
  [
    'an updateMany of a bulkWrite',
    'update',
    films => films.bulkWrite([{ updateMany: { filter: {}, update: set, collation } }]),
  ],
  [
    'a replaceOne of a bulkWrite',
    'update',
    films => films.bulkWrite([{ replaceOne: { filter: {}, replacement: { a: 1 }, collation } }]),
  ],
  ['a deleteOne of a bulkWrite', 'delete', films => films.bulkWrite([{ deleteOne: { filter: {}, collation } }])],
  ['a deleteMany of a bulkWrite', 'delete', films => films.bulkWrite([{ deleteMany: { filter: {}, collation } }])],
  [
    'an update of MongoClient.bulkWrite',
    'bulkWrite',
    (films, client) =>
      client.bulkWrite([{ name: 'updateOne', namespace: films.namespace, filter: {}, update: set, collation }]),
  ],
  [
    'a delete of MongoClient.bulkWrite',
    'bulkWrite',
    (films, client) => client.bulkWrite([{ name: 'deleteMany', namespace: films.namespace, filter: {}, collation }]),
  ],
  ['createIndex', 'createIndexes', films => films.createIndex({ a: 1 }, { collation })],
  ['createIndexes', 'createIndexes', films => films.createIndexes([{ key: { a: 1 }, collation }])],
  ['createCollection', 'create', (_, client) => client.db('shop').createCollection('sorted', { collation })],
];

const commands = (events: readonly DriverEvent[], name: string): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event.command] : []));

/** Returns the collations of the command and of its statements. */
const collationsIn = (command: Document): readonly unknown[] => {
  const statements = ['updates', 'deletes', 'ops', 'indexes'].flatMap(name => (command[name] ?? []) as Document[]);
  return [command, ...statements].flatMap(({ collation: found }) => (found === undefined ? [] : [found as unknown]));
};

describe('Collation, "Test Plan"', () => {
  test.each(methods)('Collation, prose test 1: a collation is sent with %s', (_, name, run) =>
    withServers([{}], async ({ open, events }) => {
      const client = open('mongodb://db1/');
      await run(client.db('shop').collection<Film>('films'), client);
      expect(commands(events, name).map(collationsIn)).toEqual([[collation]]);
    }),
  );

  test('Collation, prose test 2: dropIndex by name drops the right one of two indexes with the same keys', () =>
    withServers([{}], async ({ open }) => {
      const films = open('mongodb://db1/').db('shop').collection<Film>('films');
      const french = { locale: 'fr' };
      expect(await films.createIndex({ a: 1 }, { collation })).toBe('a_1');
      expect(await films.createIndex({ a: 1 }, { collation: french, name: 'a_french' })).toBe('a_french');
      const indexes = async (): Promise<readonly unknown[]> =>
        (await films.indexes()).map(({ name, key, collation: { locale } = {} as Document }) => [name, key, locale]);
      const id = ['_id_', { _id: 1 }, undefined];
      expect(await indexes()).toEqual([id, ['a_1', { a: 1 }, 'en_US'], ['a_french', { a: 1 }, 'fr']]);
      await films.dropIndex('a_french');
      expect(await indexes()).toEqual([id, ['a_1', { a: 1 }, 'en_US']]);
    }));
});
