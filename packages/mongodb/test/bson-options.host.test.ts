/**
 * BSON options on client, database, collection and operation: both drivers return the same documents, with values of
 * the same classes.
 */
import { inspect } from 'node:util';
import * as npm from 'bson';
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: RunningServer;
/** The connected clients, by driver and by their options. */
const clients = new Map<typeof official, Map<Options, official.MongoClient>>();
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  for (const byOptions of clients.values()) for (const client of byOptions.values()) await client.close();
  await server.close();
});

interface Row extends official.Document {
  _id: number;
}

/**
 * The arguments of a program. The types are those of the official driver; the values come from either driver. `plain` has
 * no BSON options.
 */
interface Context {
  readonly db: official.Db;
  readonly rows: official.Collection<Row>;
  readonly plain: official.Collection<Row>;
  /** The options of the operation; empty unless the options are set at this level. */
  readonly options: official.BSONSerializeOptions;
}

const levels = ['client', 'db', 'collection', 'operation'] as const;
type Level = (typeof levels)[number];
type Options = official.BSONSerializeOptions;

const optionSets: readonly Options[] = [
  {},
  { useBigInt64: true },
  { promoteLongs: false },
  { promoteValues: false },
  { promoteBuffers: true },
  { promoteBuffers: true, promoteValues: false },
  { ignoreUndefined: true },
  { serializeFunctions: true },
  { ignoreUndefined: true, serializeFunctions: true },
  { checkKeys: true },
  { bsonRegExp: true },
  { raw: true },
  { fieldsAsRaw: { list: true } },
  { enableUtf8Validation: false },
];

const row = (): Row => ({
  ...{ _id: 1, int: 3, double: 1.5, text: 'x', missing: undefined, calculate: () => 1, pattern: /a/gi },
  ...{ small: npm.Long.fromNumber(5), large: npm.Long.fromString('9007199254740993') },
  ...{ bytes: new npm.Binary(Buffer.from('abc')), decimal: npm.Decimal128.fromString('1.50') },
  ...{ inner: { a: 1, list: [{ b: 2 }] }, list: [{ c: 3 }], other: new npm.DBRef('c', 1 as never) },
});

/** Options of a client without BSON options. */
const none: Options = {};

/** Returns the client of a driver with these options, which is created once. */
function clientOf(module: typeof official, options: Options): official.MongoClient {
  const byOptions = clients.get(module) ?? new Map<Options, official.MongoClient>();
  clients.set(module, byOptions);
  const client = byOptions.get(options) ?? new module.MongoClient(server.uri, options);
  byOptions.set(options, client);
  return client;
}

const outcomeOf = async (
  module: typeof official,
  level: Level,
  options: Options,
  program: Program,
): Promise<string> => {
  const at = (here: Level): Options => (here === level ? options : none);
  const client = clientOf(module, at('client'));
  const plain = clientOf(module, none);
  const name = 'options'; // The name appears in results, so it is fixed.
  try {
    await plain.db(name).dropDatabase();
    const db = client.db(name, at('db'));
    const rows = db.collection<Row>('rows', at('collection'));
    const result = await program({ db, rows, plain: plain.db(name).collection('rows'), options: at('operation') });
    return inspect(result, { depth: Infinity, sorted: true });
  } catch (error) {
    return `refused: ${String((error as { code?: unknown }).code)}`;
  }
};

type Program = (context: Context) => Promise<unknown>;

const programs: Readonly<Record<string, Program>> = {
  'findOne, find and aggregate': async ({ rows, plain, options }) => {
    await plain.insertOne(row(), { serializeFunctions: true });
    const match = options.checkKeys === true ? [] : [{ $match: { _id: 1 } }];
    return [
      await rows.findOne({ _id: 1 }, options),
      await rows.find({}, options).toArray(),
      await rows.aggregate(match, options).toArray(),
    ];
  },
  'insertOne and insertMany': async ({ rows, plain, options }) => [
    await rows.insertOne(row(), options),
    await rows.insertMany([{ ...row(), _id: 2 }], options),
    await plain.find().toArray(),
  ],
  'insertOne of keys that checkKeys rejects': async ({ rows, plain, options }) => [
    await rows.insertOne({ _id: 1, inner: { 'a.b': 1 } }, options),
    await plain.find().toArray(),
  ],
  'replaceOne and updateOne': async ({ rows, plain, options }) => {
    await plain.insertMany([{ _id: 1 }, { _id: 2 }]);
    await rows.replaceOne({ _id: 1 }, row(), options);
    await rows.updateOne({ _id: 2 }, { $set: { missing: undefined, calculate: () => 1, a: 1 } }, options);
    return plain.find().toArray();
  },
  'the _id of an upserted document': async ({ rows, options }) => {
    if (options.raw === true || rows.bsonOptions.raw === true) return 'the official driver loses the _id';
    const { upsertedId } = await rows.updateOne(
      { _id: npm.Long.fromNumber(5) },
      { $set: { a: 1 } },
      { ...options, upsert: true },
    );
    const bulk = await rows.bulkWrite([{ replaceOne: { filter: { _id: 6 }, replacement: {}, upsert: true } }], options);
    return [upsertedId, bulk.upsertedIds];
  },
  'findOneAnd…': async ({ rows, plain, options }) => {
    await plain.insertOne(row());
    return [
      await rows.findOneAndReplace({}, { a: undefined }, { projection: { calculate: 0 }, ...options }),
      await rows.findOneAndDelete({}, options),
      await rows.findOneAndDelete({}, options),
    ];
  },
  distinct: async ({ rows, plain, options }) => {
    await plain.insertOne(row());
    const names = ['large', 'bytes', 'inner', 'pattern', 'small'] as const;
    return Promise.all(names.map(name => rows.distinct(name, {}, options)));
  },
  'a filter with an undefined value': async ({ rows, plain, options }) => {
    await plain.insertMany([{ _id: 1, a: null }, { _id: 2, a: 2 }]); // prettier-ignore
    return rows.find({ a: undefined }, options).toArray();
  },
  'commands, which do not inherit BSON options': async ({ db, plain, options }) => {
    await plain.insertOne(row());
    const found = await db.command({ find: 'rows', filter: {} }, options);
    await db.command({ insert: 'rows', documents: [{ _id: 2, missing: undefined, calculate: () => 1 }] }, options);
    return [found['cursor'], await db.admin().command({ ping: 1 }, options), await plain.findOne({ _id: 2 })];
  },
  'replies that the driver itself reads': async ({ db, rows, plain, options }) => {
    await plain.insertOne(row());
    const shown = (all: unknown[]): unknown => (options.raw === true ? all.length : all);
    return [
      await rows.estimatedDocumentCount({}),
      await rows.createIndex({ a: 1 }, options),
      shown(await rows.listIndexes(options).toArray()),
      (await db.listCollections({}, options).toArray()).length,
    ];
  },
};

/** Combinations that the official driver ignores because of a bug: its databases do not inherit `fieldsAsRaw`. */
const oversight = (level: Level, options: Options): boolean => level === 'db' && options.fieldsAsRaw !== undefined;

describe.each(Object.entries(programs))('%s', (_, program) => {
  test.each(levels)('with options of the %s', { timeout: 60_000 }, async level => {
    for (const options of optionSets) {
      if (oversight(level, options)) continue;
      const expected = await outcomeOf(official, level, options, program);
      if (options.checkKeys !== true) expect(expected).not.toMatch(/^refused/);
      expect(await outcomeOf(ours as unknown as typeof official, level, options, program), inspect(options)).toBe(
        expected,
      );
    }
  });
});

test('a collection inherits fieldsAsRaw from its database', async () => {
  const client = new ours.MongoClient(server.uri);
  try {
    const rows = client.db('raw', { fieldsAsRaw: { list: true } }).collection<Row>('rows');
    await rows.insertOne({ _id: 1, list: [{ a: 1 }] });
    expect(await rows.findOne()).toEqual({ _id: 1, list: [Buffer.from(npm.serialize({ a: 1 }))] });
  } finally {
    await client.close();
  }
});

test('bsonOptions contains the options in effect, including inherited ones', () => {
  const shown = ({ MongoClient }: typeof official): unknown => {
    const client = new MongoClient(server.uri, { promoteLongs: false, ignoreUndefined: true });
    const db = client.db('a', { raw: true, ignoreUndefined: false });
    const rows = db.collection('rows', { serializeFunctions: true, raw: null as never });
    return [client.bsonOptions, db.bsonOptions, rows.bsonOptions];
  };
  expect(shown(ours as unknown as typeof official)).toEqual(shown(official));
});

test('contradictory options reject the operation, and the client can still be closed', async () => {
  const contradiction = /^"useBigInt64: true" reads int64 as bigint, but "promoteLongs: false"/;
  const options = { useBigInt64: true, promoteLongs: false };
  expect(() => new ours.MongoClient(server.uri, options)).toThrow(contradiction);
  for (const level of levels.filter(one => one !== 'client')) {
    const at = (here: Level): object => (here === level ? options : {});
    const client = new ours.MongoClient(server.uri);
    await client.db('a').command({ ping: 1 });
    const rows = client.db('a', at('db')).collection('rows', at('collection'));
    await expect(rows.findOne({}, at('operation'))).rejects.toThrow(contradiction);
    await client.close();
  }
});

test('enableUtf8Validation decides whether an invalid UTF-8 string throws or is replaced with U+FFFD', async () => {
  const bytes = npm.serialize({ _id: 1, text: 'abc' });
  bytes[Buffer.from(bytes).indexOf('abc')] = 0xff;
  const read = async (module: typeof official, options: Options): Promise<[unknown, unknown]> => {
    const client = new module.MongoClient(server.uri, options);
    try {
      const found = client.db('utf8').collection('rows').findOne({});
      return [
        await found.then(
          document => document?.['text'] as unknown,
          () => 'refused',
        ),
        options,
      ];
    } finally {
      await client.close();
    }
  };
  const client = new ours.MongoClient(server.uri);
  try {
    await client.db('utf8').collection('rows').insertOne(bytes);
  } finally {
    await client.close();
  }
  for (const options of [{}, { enableUtf8Validation: true }, { enableUtf8Validation: false }]) {
    const expected = await read(official, options);
    expect(await read(ours as unknown as typeof official, options)).toEqual(expected);
  }
});
