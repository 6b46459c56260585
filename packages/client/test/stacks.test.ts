/**
 * The stack of an error begins with the line of the application that called, for every method and duration.
 */
import { GridFSBucket, MongoClient, MongoError } from '@tessera/client';
import type {
  AbstractCursor,
  Admin,
  AggregationCursor,
  ChangeStream,
  ClientSession,
  Collection,
  Db,
  FindCursor,
  OrderedBulkOperation,
} from '@tessera/client';
import { createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { ask } from './bad-server.js';
import type { Handles } from './bad-server.js';
import type { Respond } from './scripted-server.js';

interface Given extends Handles {
  readonly options: { readonly timeoutMS?: number };
  readonly files: GridFSBucket;
}

type Call = (given: Given) => Promise<unknown>;

/** The methods that return a promise. A method that is missing here is a compile error. */
type Waited<Of> = {
  [Name in keyof Of & string]: Of[Name] extends (...given: never) => infer Answer
    ? [Answer] extends [never]
      ? never
      : Answer extends Promise<unknown> | AsyncIterableIterator<unknown, unknown>
        ? Name
        : never
    : never;
}[keyof Of & string];
type Calls<Of, But extends string = never> = Readonly<Record<Exclude<Waited<Of>, But>, Call>>;

const write = { name: 'insertOne', namespace: 'test.films', document: {} } as const;
const change = { $set: { a: 1 } };
const definition = { mappings: { dynamic: true } };
const bytes = new Uint8Array(3);

const ofCollections: Calls<Collection> = {
  insertOne: ({ films, options }) => films.insertOne({}, options),
  insertMany: ({ films, options }) => films.insertMany([{}], options),
  bulkWrite: ({ films, options }) => films.bulkWrite([{ insertOne: { document: {} } }], options),
  updateOne: ({ films, options }) => films.updateOne({}, change, options),
  updateMany: ({ films, options }) => films.updateMany({}, change, options),
  replaceOne: ({ films, options }) => films.replaceOne({}, { a: 1 }, options),
  deleteOne: ({ films, options }) => films.deleteOne({}, options),
  deleteMany: ({ films, options }) => films.deleteMany({}, options),
  findOne: ({ films, options }) => films.findOne({}, options),
  findOneAndDelete: ({ films, options }) => films.findOneAndDelete({}, options),
  findOneAndReplace: ({ films, options }) => films.findOneAndReplace({}, { a: 1 }, options),
  findOneAndUpdate: ({ films, options }) => films.findOneAndUpdate({}, change, options),
  countDocuments: ({ films, options }) => films.countDocuments({}, options),
  estimatedDocumentCount: ({ films, options }) => films.estimatedDocumentCount(options),
  count: ({ films, options }) => films.count({}, options),
  distinct: ({ films, options }) => films.distinct('a', {}, options),
  createIndex: ({ films, options }) => films.createIndex({ a: 1 }, options),
  createIndexes: ({ films, options }) => films.createIndexes([{ key: { a: 1 } }], options),
  dropIndex: ({ films, options }) => films.dropIndex('a_1', options),
  dropIndexes: ({ films, options }) => films.dropIndexes(options),
  indexes: ({ films, options }) => films.indexes(options),
  indexInformation: ({ films, options }) => films.indexInformation(options),
  indexExists: ({ films, options }) => films.indexExists('a_1', options),
  createSearchIndex: ({ films }) => films.createSearchIndex({ definition }),
  createSearchIndexes: ({ films }) => films.createSearchIndexes([{ definition }]),
  updateSearchIndex: ({ films }) => films.updateSearchIndex('a', definition),
  dropSearchIndex: ({ films }) => films.dropSearchIndex('a'),
  rename: ({ films, options }) => films.rename('movies', options),
  drop: ({ films, options }) => films.drop(options),
  options: ({ films, options }) => films.options(options),
  isCapped: ({ films, options }) => films.isCapped(options),
};

const ofDatabases: Calls<Db> = {
  command: ({ db, options }) => db.command({ buildInfo: 1 }, options),
  createCollection: ({ db, options }) => db.createCollection('movies', options),
  collections: ({ db, options }) => db.collections(options),
  renameCollection: ({ db, options }) => db.renameCollection('films', 'movies', options),
  dropCollection: ({ db, options }) => db.dropCollection('films', options),
  dropDatabase: ({ db, options }) => db.dropDatabase(options),
  stats: ({ db, options }) => db.stats(options),
  createIndex: ({ db, options }) => db.createIndex('films', { a: 1 }, options),
  indexes: ({ db, options }) => db.indexes('films', options),
  indexInformation: ({ db, options }) => db.indexInformation('films', options),
  removeUser: ({ db, options }) => db.removeUser('ann', options),
  profilingLevel: ({ db, options }) => db.profilingLevel(options),
  setProfilingLevel: ({ db, options }) => db.setProfilingLevel('all', options),
};

const ofAdmin: Calls<Admin> = {
  command: ({ db, options }) => db.admin().command({ buildInfo: 1 }, options),
  listDatabases: ({ db, options }) => db.admin().listDatabases(options),
  buildInfo: ({ db, options }) => db.admin().buildInfo(options),
  serverInfo: ({ db, options }) => db.admin().serverInfo(options),
  serverStatus: ({ db, options }) => db.admin().serverStatus(options),
  ping: ({ db, options }) => db.admin().ping(options),
  replSetGetStatus: ({ db, options }) => db.admin().replSetGetStatus(options),
  removeUser: ({ db, options }) => db.admin().removeUser('ann', options),
  validateCollection: ({ db, options }) => db.admin().validateCollection('films', options),
};

/** Methods that do not fail because of a server reply. */
const ofClients: Calls<MongoClient, 'close' | 'connect' | 'withSession'> = {
  bulkWrite: ({ client, options }) => client.bulkWrite([write], options),
};

/** Methods of the cursor itself and of its subclasses. */
const ofCursors: Calls<AbstractCursor<Document>, 'close'> &
  Calls<FindCursor<Document>, 'close'> &
  Calls<AggregationCursor<Document>, 'close'> = {
  next: ({ films, options }) => films.find({}, options).next(),
  tryNext: ({ films, options }) => films.find({}, options).tryNext(),
  hasNext: ({ films, options }) => films.find({}, options).hasNext(),
  toArray: ({ films, options }) => films.find({}, options).toArray(),
  forEach: ({ films, options }) => films.find({}, options).forEach(() => undefined),
  explain: ({ films, options }) => films.find({}, options).explain(),
  count: ({ films, options }) => films.find({}, options).count(options),
};

const moreOfCursors: Readonly<Record<string, Call>> = {
  'for await': async ({ films, options }) => {
    for await (const film of films.find({}, options)) expect(film).toEqual({ _id: 1 });
  },
  'next of its iterator': ({ films, options }) => films.find({}, options)[Symbol.asyncIterator]().next(),
  'the list of collections': ({ db, options }) => db.listCollections({}, options).next(),
  'the list of indexes': ({ films, options }) => films.listIndexes(options).next(),
  'of a command': ({ db, options }) => db.runCursorCommand({ find: 'films' }, options).next(),
  'of an aggregation': ({ films, options }) => films.aggregate([], options).next(),
};

const ofBulks: Calls<OrderedBulkOperation> = {
  execute: ({ films, options }) => films.initializeOrderedBulkOp(options).insert({}).execute(),
};

const watchedOnce =
  (read: (stream: ChangeStream) => Promise<unknown>): Call =>
  async ({ films, options }) => {
    const stream = films.watch([], options);
    try {
      await read(stream);
    } finally {
      await stream.close();
    }
  };

const ofChangeStreams: Calls<ChangeStream, 'close'> & Readonly<Record<string, Call>> = {
  open: watchedOnce(stream => stream.open()),
  next: watchedOnce(stream => stream.next()),
  tryNext: watchedOnce(stream => stream.tryNext()),
  hasNext: watchedOnce(stream => stream.hasNext()),
  'for await': watchedOnce(async stream => {
    for await (const event of stream) expect(event).toBeDefined();
  }),
};

/** Neither abortTransaction nor endSession fails because of a server reply. */
const ofSessions: Calls<ClientSession, 'abortTransaction' | 'endSession'> & Readonly<Record<string, Call>> = {
  commitTransaction: async ({ client, films, options }) => {
    const session = client.startSession();
    session.startTransaction();
    await films.insertOne({}, { session });
    await session.commitTransaction(options);
  },
  withTransaction: async ({ client, films, options }) => {
    const session = client.startSession();
    await session.withTransaction(() => films.insertOne({}, { session }), options);
  },
  'an operation within withTransaction': async ({ client, films, options }) => {
    const session = client.startSession();
    await session.withTransaction(async () => {
      await films.insertOne({}, { session, comment: 'refuse' });
    }, options);
  },
};

const ofFiles: Calls<GridFSBucket> & Readonly<Record<string, Call>> = {
  upload: ({ files, options }) => files.upload('a', bytes, options),
  'upload of many bytes': ({ files, options }) => files.upload('a', new Uint8Array(4_000_000), options),
  'upload from a source': ({ files, options }) =>
    files.upload(
      'a',
      (async function* () {
        yield await Promise.resolve(bytes);
      })(),
      options,
    ),
  download: async ({ files, options }) => {
    for await (const some of files.download('a', options)) expect(some).toBeDefined();
  },
  downloadByName: ({ files, options }) => files.downloadByName('a', options).next(),
  delete: ({ files, options }) => files.delete('a', options),
  deleteByName: ({ files, options }) => files.deleteByName('a', options),
  rename: ({ files, options }) => files.rename('a', 'b', options),
  renameByName: ({ files, options }) => files.renameByName('a', 'b', options),
  drop: ({ files, options }) => files.drop(options),
};

/** Returns the stack of the error that the call rejects with, without its message. */
const stackOf = async (call: Call, options: Given['options'], answer: Respond): Promise<readonly string[]> => {
  let stack = '';
  await ask(answer, async handles => {
    try {
      await call({ ...handles, options, files: new GridFSBucket(handles.db) });
    } catch (error) {
      stack = String((error as Error).stack);
    }
  });
  return linesOf(stack);
};

const linesOf = (stack: string): readonly string[] => stack.split('\n').filter(line => /^ +at /.test(line));

const refused = { ok: 0, code: 8000, errmsg: 'no' };
const unsafe = { n: 0, writeConcernError: { code: 64, errmsg: 'waited too long' } };
const failed = { n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'no' }] };
const begun = { cursor: { id: 7n, ns: 'test.films', firstBatch: [{ _id: 1 }] } };
const ended = { cursor: { id: 0n, ns: 'test.films', firstBatch: [{ _id: 1 }] } };
const limits: readonly (readonly [title: string, options: Given['options']])[] = [
  ['without a time limit', {}],
  ['with one', { timeoutMS: 1000 }],
  ['with an invalid time limit', { timeoutMS: -1 }],
];

const ours = expect.stringContaining('client/test/stacks.test.ts') as unknown;

describe.each(limits)("the stack begins with the caller's line, %s", (_, options) => {
  const begins = async (call: Call, respond: Respond): Promise<void> => {
    expect((await stackOf(call, options, respond))[0]).toEqual(ours);
  };

  describe.each([
    ['a collection', ofCollections],
    ['a database', ofDatabases],
    ['admin', ofAdmin],
    ['a client', ofClients],
    ['a cursor', ofCursors],
    ['a cursor', moreOfCursors],
    ['a bulk operation', ofBulks],
    ['a change stream', ofChangeStreams],
    ['a bucket', ofFiles],
  ] satisfies [string, Readonly<Record<string, Call>>][])('for %s', (__, calls: Readonly<Record<string, Call>>) => {
    test.each(Object.entries(calls))('%s, with a server error', async (___, call) => {
      await begins(call, () => refused);
    });
  });

  test.each(Object.entries(ofSessions))('for a session: %s, with a server error', async (__, call) => {
    await begins(call, command => ('insert' in command && !('comment' in command) ? { n: 1 } : refused));
  });

  test.each(['next', 'toArray', 'forEach'] as const)('%s, with a server error at the second batch', async name => {
    const call: Call = async given => {
      const cursor = given.films.find({}, given.options);
      if (name === 'next') await cursor.next();
      if (name === 'forEach') await cursor.forEach(() => undefined);
      else await cursor[name]();
    };
    await begins(call, command => ('find' in command ? begun : refused));
  });

  test('for await, with a server error at the second batch', async () => {
    await begins(moreOfCursors['for await']!, command => ('find' in command ? begun : refused));
  });

  test.each(['next', 'for await'])('for a change stream: %s, with a server error at the second batch', async name => {
    const opened = { cursor: { id: 7n, ns: 'test.films', firstBatch: [] } };
    await begins(ofChangeStreams[name]!, command => ('aggregate' in command ? opened : refused));
  });

  test.each(['insertOne', 'insertMany', 'bulkWrite', 'updateOne', 'findOneAndDelete', 'drop'] as const)(
    '%s, with a write concern error',
    async name => {
      await begins(ofCollections[name], () => unsafe);
    },
  );

  test.each(['insertMany', 'bulkWrite'] as const)('%s, with a write error', async name => {
    await begins(ofCollections[name], () => failed);
  });
});

test.each<readonly [title: string, call: Call, answer: Document]>([
  [
    'options of a collection that does not exist',
    ({ films }) => films.options(),
    { cursor: { id: 0n, ns: 'test', firstBatch: [] } },
  ],
  ['an unknown profiling level', ({ db }) => db.profilingLevel(), { was: 3 }],
  ['a collection that is not valid', ({ db }) => db.admin().validateCollection('films'), { valid: false }],
  [
    'a change stream with a listener, as an iterator',
    async ({ films }) => {
      const stream = films.watch().once('change', () => undefined);
      try {
        await stream.next();
      } finally {
        await stream.close();
      }
    },
    { cursor: { id: 0n, ns: 'test.films', firstBatch: [] } },
  ],
])("the stack of an error that the driver detects begins with the caller's line, too: %s", async (_, call, answer) => {
  expect((await stackOf(call, {}, () => answer))[0]).toEqual(ours);
});

test('the stack of an error in a callback or source of the application contains its line', async () => {
  const stacks: string[] = [];
  const inner = async ({ films }: Given): Promise<never> => {
    try {
      await films.findOne();
    } catch (error) {
      stacks.push(String((error as Error).stack));
      throw error;
    }
    throw new Error('it was to fail');
  };
  const calls: readonly Call[] = [
    given => given.client.startSession().withTransaction(() => inner(given)),
    given =>
      given.files.upload(
        'a',
        (async function* () {
          yield await inner(given);
        })(),
      ),
    given => given.films.aggregate([]).forEach(() => inner(given)),
  ];
  for (const call of calls)
    stacks.push((await stackOf(call, {}, command => ('aggregate' in command ? ended : refused))).join('\n'));
  for (let at = 0; at < stacks.length; at += 2) expect(linesOf(stacks[at]!).join('\n')).toBe(stacks[at + 1]);
  expect(stacks.length).toBe(2 * calls.length);
});

test('abort() of an upload stream that the server rejects, called twice', async () => {
  const { value } = await ask(refused, async ({ client }) => {
    const stream = new GridFSBucket(client.db('shop')).openUploadStream('a');
    const abort = async (): Promise<readonly unknown[]> => {
      try {
        await stream.abort();
        return ['no error'];
      } catch (error) {
        return [error instanceof MongoError, linesOf(String((error as Error).stack))[0]];
      }
    };
    return [await abort(), await abort()];
  });
  expect(value).toEqual([
    [true, ours],
    [true, ours],
  ]);
});

test('connect, without a server, and while another call connects', async () => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 1 });
  const begins: string[] = [];
  await world.run(async () => {
    const client = new MongoClient('mongodb://db1', { serverSelectionTimeoutMS: 10 }, { runtime: world.runtime });
    const connect = async (): Promise<void> => {
      try {
        await client.connect();
      } catch (error) {
        begins.push(linesOf(String((error as Error).stack))[0]!);
      }
    };
    await connect();
    await Promise.all([connect(), connect()]);
  });
  expect(begins).toEqual([ours, ours, ours]);
});

test('an option that is found invalid while the command is encoded', async () => {
  const call: Call = ({ films }) => films.find({}, { sort: { a: 5 as 1 } }).next();
  expect((await stackOf(call, {}, () => refused))[0]).toEqual(ours);
});

test("errors of endSession and of background commands have a stack with the caller's line, as far as it is known", async () => {
  const { value } = await ask(refused, async ({ client, films }) => {
    const session = client.startSession();
    session.startTransaction();
    const stacks: string[] = [];
    for (const call of [() => session.abortTransaction({ timeoutMS: -1 }), () => session.endSession({ timeoutMS: -1 })])
      try {
        await call();
      } catch (error) {
        stacks.push(linesOf(String((error as Error).stack))[0]!);
      }
    const stack = await new Promise<string>(resolve => {
      void films.insertOne({}, { timeoutMS: -1 }).catch((error: unknown) => {
        resolve(String((error as Error).stack));
      });
    });
    await session.endSession();
    return [stacks, linesOf(stack)];
  });
  expect(value).toEqual([[ours, ours], expect.arrayContaining([ours])]);
});
