/** The type and range of every option of an operation are validated at the call, before a command is sent. */
import { GridFSBucket, MongoClient, MongoInvalidArgumentError, MongoServerError } from '@tessera/client';
import type { Collection, Db } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { withServer } from './with-server.js';
import type { Setup } from './with-server.js';
import { failed } from './rejection.js';

interface Handles {
  readonly client: MongoClient;
  readonly db: Db;
  readonly films: Collection;
}

type Run = (handles: Handles, options: never) => unknown;

const iterate = async (documents: AsyncIterable<unknown>): Promise<void> => {
  for await (const document of documents) void document;
};

const indexes: readonly Run[] = [
  ({ films }, options) => films.createIndex({ a: 1 }, options),
  ({ films }, options) => films.createIndexes([{ key: { a: 1 } }], options),
  ({ films }, options) => films.dropIndex('a_1', options),
  ({ films }, options) => films.dropIndexes(options),
  ({ films }, options) => films.listIndexes(options).toArray(),
  ({ films }, options) => films.indexes(options),
  ({ films }, options) => films.indexInformation(options),
  ({ films }, options) => films.indexExists('a_1', options),
  ({ films }, options) => films.listSearchIndexes(options).toArray(),
  ({ db }, options) => db.createIndex('films', { a: 1 }, options),
  ({ db }, options) => db.indexInformation('films', options),
];

const writes: readonly Run[] = [
  ({ films }, options) => films.insertOne({}, options),
  ({ films }, options) => films.insertMany([{}], options),
  ({ films }, options) => films.bulkWrite([{ insertOne: { document: {} } }], options),
  ({ films }, options) => films.initializeOrderedBulkOp(options).insert({}).execute(),
  ({ films }, options) => films.initializeUnorderedBulkOp(options).insert({}).execute(),
  ({ films }, options) => films.initializeOrderedBulkOp().insert({}).execute(options),
  ({ films }, options) => films.updateOne({}, { $set: { a: 1 } }, options),
  ({ films }, options) => films.updateMany({}, { $set: { a: 1 } }, options),
  ({ films }, options) => films.replaceOne({}, { a: 1 }, options),
  ({ films }, options) => films.deleteOne({}, options),
  ({ films }, options) => films.deleteMany({}, options),
  ({ films }, options) => films.findOneAndDelete({}, options),
  ({ films }, options) => films.findOneAndReplace({}, { a: 1 }, options),
  ({ films }, options) => films.findOneAndUpdate({}, { $set: { a: 1 } }, options),
  ({ client }, options) => client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: {} }], options),
];

const reads: readonly Run[] = [
  ({ films }, options) => films.findOne({}, options),
  ({ films }, options) => films.find({}, options).next(),
  ({ films }, options) => films.aggregate([], options).toArray(),
  ({ films }, options) => films.countDocuments({}, options),
  ({ films }, options) => films.estimatedDocumentCount(options),
  ({ films }, options) => films.count({}, options),
  ({ films }, options) => films.distinct('a', {}, options),
  ({ films }, options) => films.watch([], options).tryNext(),
  ({ db }, options) => db.aggregate([{ $documents: [] }], options).toArray(),
  ({ db }, options) => db.watch([], options).tryNext(),
  ({ client }, options) => client.watch([], options).tryNext(),
];

const administration: readonly Run[] = [
  ({ films }, options) => films.drop(options),
  ({ films }, options) => films.rename('others', options),
  ({ films }, options) => films.options(options),
  ({ films }, options) => films.isCapped(options),
  ({ db }, options) => db.command({ ping: 1 }, options),
  ({ db }, options) => db.runCursorCommand({ find: 'films' }, options).toArray(),
  ({ db }, options) => db.createCollection('others', options),
  ({ db }, options) => db.listCollections({}, options).toArray(),
  ({ db }, options) => db.collections(options),
  ({ db }, options) => db.renameCollection('films', 'others', options),
  ({ db }, options) => db.dropCollection('films', options),
  ({ db }, options) => db.dropDatabase(options),
  ({ db }, options) => db.stats(options),
  ({ db }, options) => db.removeUser('ann', options),
  ({ db }, options) => db.profilingLevel(options),
  ({ db }, options) => db.setProfilingLevel('off', options),
  ({ db }, options) => db.admin().command({ ping: 1 }, options),
  ({ db }, options) => db.admin().listDatabases(options),
  ({ db }, options) => db.admin().ping(options),
  ({ db }, options) => db.admin().serverStatus(options),
  ({ db }, options) => db.admin().removeUser('ann', options),
  ({ db }, options) => db.admin().validateCollection('films', options),
];

const all: readonly Run[] = [...reads, ...writes, ...indexes, ...administration];
const finds: readonly Run[] = [
  ({ films }, options) => films.findOne({}, options),
  ({ films }, options) => films.find({}, options).toArray(),
  ({ films }, options) => iterate(films.find({}, options)),
  ({ films }, options) => films.find({}, options).hasNext(),
  ({ films }, options) => films.find({}, options).forEach(() => undefined),
];

const notWhole = [NaN, Infinity, 0.5, -0.5, 2 ** 53, '5', 'abc', {}, [], true, 5n, () => 5, Symbol('5')];
const notFlags = [0, 1, 'true', {}, [], () => true];
/** Values that are wrong for a flag that only the server reads, which also accepts 0 and 1. */
const notServerFlags = [-1, 2, 0.5, NaN, 1n, ...notFlags.slice(2)];
const notTexts = [0, true, {}, []];
const notDocuments = ['x', 5, true, [], () => ({})];
const notEither = [5, true, () => 'x', 5n];
const noSessions = ['x', 5, {}, { inTransaction: true }, [], () => undefined];

/** Option, invalid values, and the methods that take the option. */
const table: readonly (readonly [name: string, wrong: readonly unknown[], methods: readonly Run[]])[] = [
  ['limit', notWhole, [...finds, ({ films }, options) => films.countDocuments({}, options)]],
  ['limit', notWhole, [({ films }, options) => films.count({}, options)]],
  ['skip', [...notWhole, -1], [...finds, ({ films }, options) => films.countDocuments({}, options)]],
  ['batchSize', notWhole, [...finds, ...reads.slice(2, 3), ...reads.slice(7)]],
  ['maxTimeMS', [...notWhole, -1], all],
  ['maxAwaitTimeMS', [...notWhole, -1], [...finds, ...reads.slice(7)]],
  ['comment', [() => 'x', Symbol('x')], all],
  ['session', noSessions, all],
  ['signal', [new AbortController(), 'x', 5, {}, { aborted: false }, []], all],
  ['readPreference', notEither, all],
  ['readConcern', notEither, all],
  ['writeConcern', [true, () => 1], all],
  ['raw', notFlags, all],
  ['promoteValues', notFlags, all],
  ['ignoreUndefined', notFlags, all],
  ...['singleBatch', 'allowPartialResults', 'oplogReplay'].map(name => [name, notFlags, finds] as const),
  ...['returnKey', 'showRecordId', 'allowDiskUse'].map(name => [name, notServerFlags, finds] as const),
  ...['tailable', 'awaitData', 'noCursorTimeout', 'rawData'].map(name => [name, notFlags, finds] as const),
  ['projection', ['x', 5, true], finds],
  ['min', notDocuments, finds],
  ['max', notDocuments, finds],
  ['hint', notEither, [...finds, ...writes]],
  ['collation', notDocuments, [...finds, ...writes, ...reads.slice(2, 4)]],
  ['let', notDocuments, [...finds, ...writes]],
  ['explain', [5, () => true], [...finds, ...writes.slice(6, 14)]],
  ['ordered', notFlags, writes],
  ['bypassDocumentValidation', notFlags, writes],
  ['forceServerObjectId', notFlags, writes],
  ['upsert', notFlags, writes],
  ['arrayFilters', ['x', 5, {}], writes],
  ['returnDocument', ['x', true, 5, 'AFTER'], writes.slice(12, 14)],
  ['includeResultMetadata', notFlags, writes.slice(11, 14)],
  ['verboseResults', notFlags, writes.slice(14)],
  ['out', notTexts, reads.slice(2, 3)],
  ['fullDocument', notTexts, [reads[7]!, ...reads.slice(9)]],
  ['fullDocumentBeforeChange', notTexts, [reads[7]!, ...reads.slice(9)]],
  ['showExpandedEvents', notFlags, [reads[7]!, ...reads.slice(9)]],
  ['nameOnly', notFlags, [administration[7]!, administration[17]!]],
  ['authorizedCollections', notFlags, [administration[7]!]],
  ['authorizedDatabases', notFlags, [administration[17]!]],
  ['dropTarget', notFlags, administration.slice(1, 2)],
  ['scale', ['1', NaN, {}, true], [administration[12]!]],
  ['expireAfterSeconds', ['1', NaN, {}, true], [indexes[0]!, administration[6]!]],
  ...['size', 'max'].map(name => [name, ['1', NaN, {}, true], [administration[6]!]] as const),
  ['capped', notServerFlags, [administration[6]!]],
  ['validator', notDocuments, [administration[6]!]],
  ['viewOn', notTexts, [administration[6]!]],
  ['pipeline', ['x', 5, {}], [administration[6]!]],
  ['pkFactory', ['x', {}, () => 1], [administration[6]!, ({ db }, options) => db.collection('films', options)]],
  ['pkFactory', ['x', {}, () => 1], [({ client }, options) => client.db('shop', options)]],
  ['raw', notFlags, [({ db }, options) => db.collection('films', options)]],
  ['raw', notFlags, [({ client }, options) => client.db('shop', options)]],
  [
    'maxCommitTimeMS',
    [...notWhole, -1],
    [
      ({ client }, options) => {
        const session = client.startSession();
        try {
          session.startTransaction(options);
        } finally {
          void session.endSession();
        }
      },
    ],
  ],
];

const handlesOf = ({ client, films }: Setup): Handles => ({ client, films: films as never, db: client.db() });

describe('an option of an operation', () => {
  test.each(table)(
    '"%s" of a wrong type is rejected at the call, and nothing is sent',
    async (name, wrong, methods) => {
      await withServer(async setup => {
        const handles = handlesOf(setup);
        for (const run of methods)
          for (const value of wrong)
            expect(
              await failed(() => run(handles, { [name]: value } as never)),
              `${String(run)}: ${String(value)}`,
            ).toEqual(expect.stringMatching(new RegExp(`^The option "${name}" must be .*, but is .*\\.$`, 's')));
        expect(setup.events).toEqual([]);
      });
    },
  );

  test.each([...new Set(table.map(([name]) => name))].filter(name => name !== 'explain'))(
    '"%s" is ignored if it is null or undefined',
    async name => {
      await withServer(async setup => {
        const { films } = handlesOf(setup);
        for (const value of [null, undefined]) expect(await films.find({}, { [name]: value }).toArray()).toEqual([]);
      });
    },
  );

  test('"explain" is rejected by every method that does not explain, and nothing is sent', async () => {
    const explaining = [...reads.slice(0, 4), ...writes.slice(6, 14), reads[6]!, reads[8]!, indexes[8]!];
    const unchanged = administration.filter(run => /ommand\(|ping|serverStatus/.test(String(run)));
    const others = all.filter(run => ![...explaining, ...unchanged].includes(run));
    expect(others).toHaveLength(all.length - 20);
    await withServer(async setup => {
      const handles = handlesOf(setup);
      for (const run of others)
        for (const value of [true, false, 'queryPlanner', { verbosity: 'queryPlanner' }])
          expect(await failed(() => run(handles, { explain: value } as never)), String(run)).toEqual(
            expect.stringMatching(
              /^The option "explain" must be absent, because the driver does not explain this operation, but is /,
            ),
          );
      expect(setup.events).toEqual([]);
    });
  });

  test('0 and 1 are sent unchanged for flags that only the server reads', () =>
    withServer(async ({ client, films, events }) => {
      await films.createIndex({ a: 1 }, { unique: 1, sparse: 0, hidden: 1, background: 1 } as never);
      await films.find({}, { returnKey: 1, showRecordId: 0 } as never).toArray();
      await films
        .find()
        .allowDiskUse(1 as never)
        .toArray();
      await films.aggregate([], { allowDiskUse: 1 } as never).toArray();
      await client.db().createCollection('log', { capped: 1, size: 4096 } as never);
      const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(sent).toMatchObject([
        { indexes: [{ key: { a: 1 }, unique: 1, sparse: 0, hidden: 1, background: 1 }] },
        { find: 'films', returnKey: 1, showRecordId: 0 },
        { find: 'films', allowDiskUse: 1 },
        { aggregate: 'films', allowDiskUse: 1 },
        { create: 'log', capped: 1 },
      ]);
      expect(await client.db().collection('log').isCapped()).toBe(true);
      expect(await films.indexes()).toMatchObject([{ name: '_id_' }, { name: 'a_1' }]);
    }));

  test('is named in the error with the type of its value, or a shortened string', async () => {
    await withServer(async ({ films }) => {
      const messageOf = (limit: unknown) => failed(() => films.find({}, { limit: limit as number }));
      expect(await Promise.all([5n, 'x'.repeat(100), { password: 'secret' }, [1], () => 1].map(messageOf))).toEqual([
        'The option "limit" must be a whole number, but is 5n.',
        `The option "limit" must be a whole number, but is "${'x'.repeat(40)}…".`,
        'The option "limit" must be a whole number, but is an object.',
        'The option "limit" must be a whole number, but is an array.',
        'The option "limit" must be a whole number, but is a function.',
      ]);
    });
  });

  test('is also validated by the setters of a cursor, which then leave the cursor unchanged', async () => {
    await withServer(async ({ films, events }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }]);
      const sent = events.length;
      const cursor = films.find();
      const setters = [
        ['limit', notWhole],
        ['skip', [...notWhole, -1]],
        ['batchSize', notWhole],
        ['maxTimeMS', [...notWhole, -1]],
        ['maxAwaitTimeMS', [...notWhole, -1]],
        ['hint', notEither],
        ['min', notDocuments],
        ['max', notDocuments],
        ['collation', notDocuments],
        ['returnKey', notServerFlags],
        ['showRecordId', notServerFlags],
        ['allowDiskUse', notServerFlags],
        ['project', ['x', 5]],
      ] as const;
      for (const [setter, wrong] of setters)
        for (const value of wrong) {
          const message = await failed(() => cursor[setter](value as never));
          expect(message, `${setter}: ${String(value)}`).toMatch(/^The option ".*" must be .*, but is .*\.$/);
        }
      expect(await failed(() => cursor.addCursorFlag('tailable', 1 as never))).toMatch(
        /"tailable" must be true or false/,
      );
      expect(events.length).toBe(sent);
      expect(await cursor.toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
    });
  });

  test('is accepted in the forms that the table names', async () => {
    await withServer(async ({ client, films }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const found = films.find(
        {},
        { limit: -2, skip: 1, batchSize: 10, hint: '_id_', projection: ['_id'] as never, comment: { a: 1 } },
      );
      expect(await found.toArray()).toEqual([{ _id: 2 }, { _id: 3 }]);
      expect(await films.find({}, { limit: -0, signal: new AbortController().signal }).toArray()).toHaveLength(3);
      await client.db().createCollection('capped', { capped: true, size: Long.fromNumber(4096) as never, max: 10 });
      expect(await films.countDocuments({}, { limit: 2 })).toBe(2);
    });
  });

  test('in one statement of a bulk write is validated when the statement is passed', async () => {
    await withServer(async ({ client, films, events }) => {
      const bodies: readonly Document[] = [{ upsert: 1 }, { collation: 'de' }, { hint: 5 }, { arrayFilters: {} }];
      for (const body of bodies) {
        const [name] = Object.keys(body);
        const update = { filter: {}, update: { $set: { a: 1 } }, ...body };
        const message = expect.stringMatching(`^The option "${name!}" must be`);
        expect(await failed(() => films.bulkWrite([{ updateOne: update }]))).toEqual(message);
        expect(
          await failed(() => client.bulkWrite([{ name: 'updateOne', namespace: 'shop.films', ...update } as never])),
        ).toEqual(message);
        expect(await failed(() => films.initializeOrderedBulkOp().raw({ updateOne: update }))).toEqual(message);
      }
      expect(events).toEqual([]);
      // A document to insert may have fields with these names.
      await films.bulkWrite([{ insertOne: { document: { _id: 1, limit: 'x', upsert: 1 } } }]);
      expect(await films.findOne()).toEqual({ _id: 1, limit: 'x', upsert: 1 });
    });
  });

  test('with an invalid signal leaves no connection checked out, even more often than the pool has connections', async () => {
    await withServer(
      async ({ films }) => {
        for (let turn = 0; turn < 4; turn++)
          expect(await failed(() => films.findOne({}, { signal: new AbortController() as never }))).toMatch(/"signal"/);
        expect(await films.findOne()).toBeNull();
      },
      { maxPoolSize: 1 },
    );
  });

  test('"session" must belong to the client and must not have ended', async () => {
    await withServer(async ({ world, client, films, events }) => {
      const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
      const foreign = other.startSession();
      expect(await failed(() => films.findOne({}, { session: foreign }))).toMatch(/belongs to another client/);
      await foreign.endSession();
      await other.close();
      const session = client.startSession();
      await session.endSession();
      await expect(films.find({}, { session }).toArray()).rejects.toThrow('The session has ended');
      expect(events).toEqual([]);
    });
  });
});

describe('an argument of a wrong type is rejected at the call, and nothing is sent', () => {
  type Give = (handles: Handles, value: never) => unknown;
  const notTextOrNull = [...notTexts, null];
  const notDocumentOrNull = [...notDocuments, null];
  const methods: readonly (readonly [name: string, wrong: readonly unknown[], give: Give])[] = [
    ['distinct', notTextOrNull, ({ films }, key) => films.distinct(key)],
    ['dropIndex', notTextOrNull, ({ films }, name) => films.dropIndex(name)],
    ['createIndexes', ['x', 5, {}, null], ({ films }, given) => films.createIndexes(given)],
    ['createIndexes of one', ['x', 5, null], ({ films }, index) => films.createIndexes([index])],
    ['indexExists', [5, {}, null], ({ films }, names) => films.indexExists(names)],
    ['createSearchIndex', notDocumentOrNull, ({ films }, index) => films.createSearchIndex(index)],
    ['createSearchIndexes', ['x', 5, {}, null], ({ films }, given) => films.createSearchIndexes(given)],
    ['updateSearchIndex', notTextOrNull, ({ films }, name) => films.updateSearchIndex(name, {})],
    ['updateSearchIndex of a definition', notDocumentOrNull, ({ films }, to) => films.updateSearchIndex('x', to)],
    ['dropSearchIndex', notTextOrNull, ({ films }, name) => films.dropSearchIndex(name)],
    ['aggregate', notDocumentOrNull, ({ films }, setup) => films.aggregate([setup]).toArray()],
    ['aggregate of no array', ['x', 5, {}, null], ({ films }, pipeline) => films.aggregate(pipeline).toArray()],
    ['addStage', notDocumentOrNull, ({ films }, setup) => films.aggregate().addStage(setup)],
    ['watch', notDocumentOrNull, ({ films }, setup) => films.watch([setup])],
    ['command', notDocumentOrNull, ({ db }, command) => db.command(command)],
    ['command of admin', notDocumentOrNull, ({ db }, command) => db.admin().command(command)],
    ['runCursorCommand', notDocumentOrNull, ({ db }, command) => db.runCursorCommand(command)],
    ['listCollections', ['x', 5, () => ({})], ({ db }, filter) => db.listCollections(filter)],
    ['removeUser', notTextOrNull, ({ db }, name) => db.removeUser(name)],
    ['removeUser of admin', notTextOrNull, ({ db }, name) => db.admin().removeUser(name)],
    ['validateCollection', notTextOrNull, ({ db }, name) => db.admin().validateCollection(name)],
    ['collection', [5n, NaN, null], ({ db }, name) => db.collection(name)],
    ['setProfilingLevel', [5n, 1, null], ({ db }, level) => db.setProfilingLevel(level)],
    ['forEach', ['x', 5, {}, null], ({ films }, visit) => films.find().forEach(visit)],
    ['addCursorFlag', [Symbol('x'), 'x', 5, null], ({ films }, flag) => films.find().addCursorFlag(flag, true)],
    ['addQueryModifier', [Symbol('x'), 'x', 5, null], ({ films }, name) => films.find().addQueryModifier(name, 1)],
    ['map', ['x', 5, {}, null], ({ films }, transform) => films.find().map(transform)],
    ['withTransaction', ['x', {}, null], ({ client }, run) => client.withSession(s => s.withTransaction(run))],
    ['startSession', ['x', 5, true], ({ client }, options) => client.startSession(options)],
    ['"causalConsistency"', notFlags, ({ client }, causalConsistency) => client.startSession({ causalConsistency })],
    ['"snapshot"', notFlags, ({ client }, snapshot) => client.startSession({ snapshot })],
    [
      '"defaultTransactionOptions"',
      [...notDocuments, { maxCommitTimeMS: '5' }],
      ({ client }, defaultTransactionOptions) => client.startSession({ defaultTransactionOptions }),
    ],
    ['explain', [5, () => true], ({ films }, verbosity) => films.find().explain(verbosity)],
    ['explain with a signal', ['x', {}], ({ films }, signal) => films.find().explain('queryPlanner', { signal })],
    ["a client's bulkWrite", ['x', 5, null], ({ client }, model) => client.bulkWrite([model])],
    [
      "an insert of a client's bulkWrite",
      ['x', 5, [], null],
      ({ client }, document) => client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document }]),
    ],
    ['insert of a bulk operation', [[], 'x'], ({ films }, given) => films.initializeOrderedBulkOp().insert(given)],
  ];

  test.each(methods)('%s', async (_name, wrong, give) => {
    await withServer(async setup => {
      const handles = handlesOf(setup);
      for (const value of wrong) {
        let failure: unknown;
        try {
          await give(handles, value as never);
        } catch (error) {
          failure = error;
        }
        expect(failure, String(value)).toBeInstanceOf(MongoInvalidArgumentError);
      }
      expect(setup.events).toEqual([]);
    });
  });
});

test('"explain", "readConcern" and "writeConcern" are ignored if null, also in a transaction', async () => {
  await withServer(async ({ client, films, emitted }) => {
    await films.insertOne({ _id: 1 });
    expect(await films.findOne({}, { explain: null as never })).toEqual({ _id: 1 });
    expect(await films.find({}, { explain: null as never }).toArray()).toEqual([{ _id: 1 }]);
    expect(await films.distinct('_id', {}, { explain: null as never })).toEqual([1]);
    const session = client.startSession();
    session.startTransaction();
    const sent = emitted('commandStarted').length;
    const concerns = { session, readConcern: null as never, writeConcern: null as never };
    // The driver sends the command, and the server, a standalone, rejects the transaction.
    await expect(films.findOne({}, concerns)).rejects.toBeInstanceOf(MongoServerError);
    expect(emitted('commandStarted')).toHaveLength(sent + 1);
    await session.endSession();
  });
});

describe('an _id that is undefined or null', () => {
  const ways: readonly (readonly [string, (handles: Handles, document: Document) => Promise<unknown>])[] = [
    ['insertOne', ({ films }, document) => films.insertOne(document)],
    ['insertMany', ({ films }, document) => films.insertMany([document])],
    ['bulkWrite', ({ films }, document) => films.bulkWrite([{ insertOne: { document } }])],
    ['an ordered bulk operation', ({ films }, document) => films.initializeOrderedBulkOp().insert(document).execute()],
    [
      'an unordered bulk operation',
      ({ films }, document) => films.initializeUnorderedBulkOp().insert(document).execute(),
    ],
    [
      "a client's bulkWrite",
      ({ client }, document) => client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document }]),
    ],
  ];

  test.each(ways)(
    'is replaced by an ObjectId if it is undefined, and kept if it is null, by %s',
    async (_way, insert) => {
      await withServer(async setup => {
        const handles = handlesOf(setup);
        for (const [_id, expected] of [
          [undefined, { _bsontype: 'ObjectId' }],
          [null, null],
        ] as const) {
          const document: Document = { _id, a: 1 };
          await insert(handles, document);
          expect(await handles.films.findOne({})).toEqual(document);
          expect({ ...document }).toMatchObject({ _id: expected });
          await handles.films.deleteMany({});
          const map: Document = new Map<string, unknown>([
            ['_id', _id],
            ['a', 2],
          ]);
          await insert(handles, map);
          expect(await handles.films.findOne({})).toMatchObject({ _id: expected, a: 2 });
          await handles.films.deleteMany({});
        }
      });
    },
  );

  test('is stored as it is under "forceServerObjectId"', async () => {
    await withServer(async setup => {
      const { films } = handlesOf(setup);
      await films.insertOne({ _id: null } as never, { forceServerObjectId: true });
      expect(await films.findOne()).toEqual({ _id: null });
    });
  });

  test('is replaced by an ObjectId in a GridFS file', async () => {
    await withServer(async setup => {
      const bucket = new GridFSBucket(handlesOf(setup).db);
      expect(bucket.openUploadStreamWithId(null, 'a.txt').id).toMatchObject({ _bsontype: 'ObjectId' });
    });
  });
});

test.each([Object.create(null), Symbol('x'), NaN, '5', -1])(
  'timeoutMS of a wrong type is rejected at the call',
  async given => {
    await withServer(async setup => {
      const { client, films } = handlesOf(setup);
      const options = { timeoutMS: given as number };
      await expect(client.watch([], options).next()).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      await expect(films.find({}, options).toArray()).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      const awaited = { ...options, maxAwaitTimeMS: 5 };
      expect(() => films.find({}, awaited)).toThrow(MongoInvalidArgumentError);
      expect(() => films.watch([], awaited)).toThrow(MongoInvalidArgumentError);
      await expect(films.countDocuments({}, options)).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      await expect(films.insertOne({}, options)).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      expect(setup.events).toEqual([]);
    });
  },
);

test('MongoClient.bulkWrite ignores null options', async () => {
  await withServer(async ({ client }) => {
    const result = await client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: {} }], null);
    expect(result.insertedCount).toBe(1);
  });
});
