/** The fields of concerns, read preferences, collations, indexes and bucket options are validated at the call. */
import { GridFSBucket } from '@tessera/client';
import type { ClientSession, Collection, Db, MongoClient } from '@tessera/client';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';
import { failed } from './rejection.js';

interface Handles {
  readonly client: MongoClient;
  readonly db: Db;
  readonly films: Collection;
  readonly bucket: GridFSBucket;
  readonly session: ClientSession;
}

type Give = (handles: Handles, given: never) => unknown;

const notTexts = [0, true, {}, []];
const notFlags = [0, 1, 'true', {}, []];
const notServerFlags = [-1, 2, ...notFlags.slice(2)];
const notNumbers = ['1', NaN, {}, true];
const notWhole = [NaN, Infinity, 0.5, '5', {}, true];
const notDocuments = ['x', 5, true, []];

/** Returns invalid values of one field, each within its option. */
const within = (option: string, field: string, wrong: readonly unknown[], rest: object = {}) =>
  [`${option}.${field}`, wrong.map(value => ({ [option]: { ...rest, [field]: value } }))] as const;

const fields: readonly (readonly [name: string, given: readonly object[]])[] = [
  within('readConcern', 'level', notTexts),
  within('writeConcern', 'w', [true, {}, [], 5n]),
  within('writeConcern', 'j', notFlags),
  within('writeConcern', 'journal', notFlags),
  within('writeConcern', 'wtimeout', [...notNumbers, -1]),
  within('writeConcern', 'wtimeoutMS', [...notNumbers, -1]),
  within('readPreference', 'mode', notTexts),
  within('readPreference', 'tags', ['x', 5, {}, true], { mode: 'nearest' }),
  within('readPreference', 'maxStalenessSeconds', notNumbers, { mode: 'nearest' }),
  within('readPreference', 'hedge', notDocuments, { mode: 'nearest' }),
  within('collation', 'locale', notTexts),
  within('collation', 'strength', notWhole, { locale: 'de' }),
  ...['caseLevel', 'numericOrdering', 'backwards', 'normalization'].map(name =>
    within('collation', name, notFlags, { locale: 'de' }),
  ),
  ...['caseFirst', 'alternate', 'maxVariable'].map(name => within('collation', name, notTexts, { locale: 'de' })),
];

const indexFields: readonly (readonly [name: string, wrong: readonly unknown[]])[] = [
  ...['unique', 'sparse', 'hidden', 'background'].map(name => [name, notServerFlags] as const),
  ...['name', 'default_language', 'language_override'].map(name => [name, notTexts] as const),
  ...['partialFilterExpression', 'wildcardProjection', 'storageEngine', 'weights'].map(
    name => [name, notDocuments] as const,
  ),
  ...['expireAfterSeconds', 'version', 'textIndexVersion', '2dsphereIndexVersion'].map(
    name => [name, notNumbers] as const,
  ),
  ...['bits', 'min', 'max', 'bucketSize'].map(name => [name, notNumbers] as const),
];

const ofBuckets: readonly (readonly [name: string, wrong: readonly unknown[], give: Give])[] = [
  ['bucketName', notTexts, ({ db }, options) => new GridFSBucket(db, options)],
  ['chunkSizeBytes', [...notWhole, 0, -1], ({ db }, options) => new GridFSBucket(db, options)],
  ['readPreference', [5, []], ({ db }, options) => new GridFSBucket(db, options)],
  ['chunkSizeBytes', [...notWhole, 0, -1], ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['metadata', notDocuments, ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['metadata', notDocuments, ({ bucket }, options) => bucket.openUploadStreamWithId(1, 'a', options)],
  ['metadata', notDocuments, ({ bucket }, options) => bucket.upload('a', new Uint8Array(1), options)],
  ['contentType', notTexts, ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['aliases', ['x', 5, {}], ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['writeConcern', [true], ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.openUploadStream('a', options)],
  ['start', notWhole, ({ bucket }, options) => bucket.openDownloadStream(1, options)],
  ['end', notWhole, ({ bucket }, options) => bucket.openDownloadStream(1, options)],
  ['start', notWhole, ({ bucket }, options) => bucket.download(1, options)],
  ['revision', notWhole, ({ bucket }, options) => bucket.openDownloadStreamByName('a', options)],
  ['revision', notWhole, ({ bucket }, options) => bucket.downloadByName('a', options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.delete(1, options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.deleteByName('a', options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.rename(1, 'b', options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.renameByName('a', 'b', options)],
  ['signal', ['x', {}], ({ bucket }, options) => bucket.drop(options)],
];

const notTextOrNull = [...notTexts, null, undefined];
const notFunctions = ['x', 5, {}, null, undefined];
const notObjects = ['x', 5, true];
const args: readonly (readonly [name: string, wrong: readonly unknown[], give: Give])[] = [
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.openUploadStream(name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.openUploadStreamWithId(1, name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.upload(name, new Uint8Array(1))],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.openDownloadStreamByName(name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.downloadByName(name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.deleteByName(name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.rename(1, name)],
  ['filename', notTextOrNull, ({ bucket }, name) => bucket.renameByName(name, 'b')],
  ['newFilename', notTextOrNull, ({ bucket }, name) => bucket.renameByName('a', name)],
  ['callback', notFunctions, ({ client }, callback) => client.withSession(callback)],
  ['callback', notFunctions, ({ client }, callback) => client.withSession({}, callback)],
  ['callback', notFunctions, ({ session }, callback) => session.withTransaction(callback)],
  ['callback', notFunctions, ({ films }, callback) => films.find().forEach(callback)],
  ['callback', notFunctions, ({ films }, callback) => films.find().map(callback)],
  ['operationTime', [...notTexts, null, undefined], ({ session }, time) => session.advanceOperationTime(time)],
];

const ofFilters: readonly Give[] = [
  ({ films }, filter) => films.find(filter),
  ({ films }, filter) => films.findOne(filter),
  ({ films }, filter) => films.updateOne(filter, { $set: { a: 1 } }),
  ({ films }, filter) => films.deleteMany(filter),
  ({ films }, filter) => films.findOneAndDelete(filter),
  ({ films }, filter) => films.countDocuments(filter),
  ({ films }, filter) => films.distinct('a', filter),
  ({ client }, filter) => client.bulkWrite([{ name: 'deleteOne', namespace: 'shop.films', filter }]),
];

const inHandles = async (check: (handles: Handles) => Promise<void>): Promise<void> => {
  await withServer(async ({ client, films, events }) => {
    const db = client.db();
    const session = client.startSession();
    await check({ client, db, films: films as never, bucket: new GridFSBucket(db), session });
    expect(events).toEqual([]);
    await session.endSession();
  });
};

const saysWhat = (kind: 'argument' | 'option', name: string): RegExp =>
  new RegExp(`^The ${kind} "${name}" must be .*, but is .*\\.$`);

describe('nothing is sent, and a MongoInvalidArgumentError names', () => {
  test.each(fields)('the field "%s" of a wrong type', (name, given) =>
    inHandles(async ({ films, db, client }) => {
      for (const options of given as never[])
        for (const run of [
          () => films.find({}, options).toArray(),
          () => films.findOne({}, options),
          () => films.updateOne({}, { $set: { a: 1 } }, options),
          () => films.aggregate([], options).toArray(),
          ...(name.startsWith('collation') ? [] : [() => db.collection('films', options)]),
          ...(name.startsWith('collation') ? [] : [() => client.startSession({ defaultTransactionOptions: options })]),
        ])
          expect(await failed(run), inspect(options)).toMatch(saysWhat('option', name));
    }),
  );

  test.each(indexFields)('the option "%s" of an index of a wrong type', (name, wrong) =>
    inHandles(async ({ films, db }) => {
      for (const value of wrong) {
        const options = { [name]: value } as never;
        const index = { key: { a: 1 }, [name]: value } as never;
        for (const run of [
          () => films.createIndex({ a: 1 }, options),
          () => films.createIndex({ a: 1 }, options, {}),
          () => films.createIndexes([index]),
          () => db.createIndex('films', { a: 1 }, options),
        ])
          expect(await failed(run), String(value)).toMatch(saysWhat('option', name));
      }
    }),
  );

  test('"commitQuorum" of a wrong type', () =>
    inHandles(async ({ films }) => {
      for (const commitQuorum of [true, {}, [], NaN] as never[])
        expect(await failed(() => films.createIndex({ a: 1 }, { commitQuorum }))).toMatch(
          saysWhat('option', 'commitQuorum'),
        );
    }));

  test.each(ofBuckets)('the option "%s" of a bucket of a wrong type', (name, wrong, give) =>
    inHandles(async handles => {
      for (const value of wrong)
        expect(
          await failed(() => give(handles, { [name]: value } as never)),
          `${String(give)} ${String(value)}`,
        ).toMatch(saysWhat('option', name));
    }),
  );

  test.each(args)('the argument "%s" of a wrong type', (name, wrong, give) =>
    inHandles(async handles => {
      for (const value of wrong)
        expect(await failed(() => give(handles, value as never)), `${String(give)} ${String(value)}`).toMatch(
          saysWhat('argument', name),
        );
    }),
  );

  test('an array as a filter', () =>
    inHandles(async handles => {
      for (const give of ofFilters)
        expect(await failed(() => give(handles, [{ a: 1 }] as never)), String(give)).toBe(
          'A filter must be a document, but is an array.',
        );
    }));

  test('session options that are not an object', () =>
    inHandles(async ({ session }) => {
      const methods: readonly ((options: never) => unknown)[] = [
        options => session.startTransaction(options),
        options => session.commitTransaction(options),
        options => session.abortTransaction(options),
        options => session.endSession(options),
      ];
      for (const method of methods)
        for (const options of notObjects as never[])
          expect(await failed(() => method(options)), String(method)).toMatch(
            /^The options of an operation must be an/,
          );
    }));
});

test('null as options of a session, a cursor and a change stream equals no options', () =>
  withServer(async ({ client, films }) => {
    const nothing = null as never;
    const session = client.startSession();
    session.startTransaction(nothing);
    await session.commitTransaction(nothing);
    session.startTransaction(nothing);
    await session.abortTransaction(nothing);
    await session.endSession(nothing);
    await films.find().close(nothing);
    await films.watch().close(nothing);
    await expect(client.withSession(nothing, () => Promise.resolve(5))).resolves.toBe(5);
  }));

test('valid fields are accepted: concern classes, names and documents, tags, and a complete collation', () =>
  withServer(async ({ films }) => {
    await films.insertOne({ _id: 1 }, { writeConcern: { w: 'majority', j: false, wtimeoutMS: 5_000 } });
    const collation = { locale: 'en', strength: 2, caseLevel: false, caseFirst: 'off', numericOrdering: true };
    const readPreference = { mode: 'nearest', tags: [{ dc: 'east' }, {}], maxStalenessSeconds: 120 } as const;
    const found = films.find(
      {},
      { collation, readPreference: readPreference as never, readConcern: { level: 'local' } },
    );
    expect(await found.toArray()).toEqual([{ _id: 1 }]);
    const options = { unique: true, sparse: false, name: 'year', expireAfterSeconds: 60 };
    expect(await films.createIndex({ year: 1 }, options)).toBe('year');
  }));
