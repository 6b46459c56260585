import type { Collection, Document, UndefinedInFilters } from '@tessera/client';
import { Binary, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';

const missing: Document = { a: 1, userId: undefined };
const seeds = [{ _id: 1, a: 1 }, { _id: 2, a: 1, userId: 'ada' }, { _id: 3 }] as Document[];

/** Every method with a filter, with the ids of the documents that it selects. */
const methods: readonly (readonly [name: string, call: (films: Collection, options: Options) => Promise<unknown>])[] = [
  ['find', (films, options) => films.find(missing, options).toArray()],
  ['cursor.filter', (films, options) => films.find({}, options).filter(missing).toArray()],
  ['findOne', (films, options) => films.findOne(missing, options)],
  ['countDocuments', (films, options) => films.countDocuments(missing, options)],
  ['count', (films, options) => films.count(missing, options)],
  ['distinct', (films, options) => films.distinct('_id', missing, options)],
  ['updateOne', (films, options) => films.updateOne(missing, { $set: { b: 1 } }, options)],
  ['updateMany', (films, options) => films.updateMany(missing, { $set: { b: 1 } }, options)],
  ['replaceOne', (films, options) => films.replaceOne(missing, { b: 1 }, options)],
  ['deleteOne', (films, options) => films.deleteOne(missing, options)],
  ['deleteMany', (films, options) => films.deleteMany(missing, options)],
  ['findOneAndUpdate', (films, options) => films.findOneAndUpdate(missing, { $set: { b: 1 } }, options)],
  ['findOneAndReplace', (films, options) => films.findOneAndReplace(missing, { b: 1 }, options)],
  ['findOneAndDelete', (films, options) => films.findOneAndDelete(missing, options)],
  ['bulkWrite', (films, options) => films.bulkWrite([{ deleteMany: { filter: missing } }], options)],
  ['bulk.find', (films, options) => films.initializeOrderedBulkOp(options).find(missing).delete().execute()],
];
interface Options {
  readonly undefinedInFilters?: UndefinedInFilters;
}

describe('undefinedInFilters', () => {
  test.each(methods)('"error" rejects %s and names the path', async (_, call) => {
    await withServer(async ({ client, emitted }) => {
      const films = client.db().collection('films');
      await expect((async () => call(films, { undefinedInFilters: 'error' }))()).rejects.toThrow(
        'The filter has the value undefined at "userId". Check the input, or set "undefinedInFilters" to "null" or "ignore".',
      );
      expect(emitted('commandStarted')).toEqual([]);
    });
  });

  test.each(methods)('"null" and "ignore" change the filter of %s alike', async (_, call) => {
    await withServer(async ({ client, events }) => {
      const films = client.db().collection('films');
      const filtersOf = async (options: Options): Promise<string> => {
        events.length = 0;
        await call(films, options);
        return JSON.stringify(
          events.filter(({ name }) => name === 'commandStarted').map(event => (event as Document)['command']),
        );
      };
      expect(await filtersOf({ undefinedInFilters: 'null' })).toContain('{"a":1,"userId":null}');
      expect(await filtersOf({ undefinedInFilters: 'ignore' })).toMatch(/[{]"a":1[}]/);
    });
  });

  test('deletes what has no such field by default and with "null", and every other match with "ignore"', () =>
    withServer(async ({ client }) => {
      const left = async (options: Options): Promise<unknown[]> => {
        const films = client.db().collection<Document>('films', options);
        await films.deleteMany({});
        await films.insertMany(structuredClone(seeds));
        await films.deleteMany(missing);
        return films.distinct('_id');
      };
      expect([await left({}), await left({ undefinedInFilters: 'null' })]).toEqual([
        [2, 3],
        [2, 3],
      ]);
      expect(await left({ undefinedInFilters: 'ignore' })).toEqual([3]);
    }));

  test('is inherited from the client, and a call overrides it', () =>
    withServer(
      async ({ client }) => {
        const films = client.db().collection('films');
        await expect(films.findOne({ $or: [{ a: { $in: [1, undefined] } }] })).rejects.toThrow('at "$or.0.a.$in.1"');
        expect(await films.findOne({ a: undefined }, { undefinedInFilters: 'null' })).toBeNull();
        await expect(
          client.bulkWrite([{ namespace: 'shop.films', name: 'deleteMany', filter: { a: undefined } }]),
        ).rejects.toThrow('The filter has the value undefined at "a".');
        const values = { _id: new ObjectId(), a: new Binary(), b: /x/, c: new Date(0), d: null };
        expect(await films.findOne(values)).toBeNull();
      },
      { undefinedInFilters: 'error' },
    ));

  test('a wrong value is rejected', () =>
    withServer(async ({ client }) => {
      expect(() =>
        client
          .db()
          .collection('films')
          .find({}, { undefinedInFilters: 'throw' as 'error' }),
      ).toThrow('The option "undefinedInFilters" must be one of error, null, ignore, but is "throw".');
    }));
});
