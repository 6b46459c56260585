/**
 * The stack of an error begins with the line of the application that called, for every method and duration.
 */
import { GridFSBucket, MongoClient, MongoError } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { ask } from './bad-server.js';
import {
  moreOfCursors,
  ofAdmin,
  ofBulks,
  ofChangeStreams,
  ofClients,
  ofCollections,
  ofCursors,
  ofDatabases,
  ofFiles,
  ofSessions,
} from './public-calls.js';
import type { Call, Given } from './public-calls.js';
import type { Respond } from './scripted-server.js';

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

const ours = expect.stringMatching(/client\/test\/(stacks\.test|public-calls)\.ts/) as unknown;

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

test("an error of watch about its read preference has the caller's line within the ten frames of the stack", async () => {
  const readPreference = {} as never;
  const lines = await stackOf(
    async ({ films }) => films.watch([], { readPreference }),
    {},
    () => begun,
  );
  expect(lines).toContainEqual(ours);
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
