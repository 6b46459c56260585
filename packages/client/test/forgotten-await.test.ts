/**
 * An error names its method and namespace, and its stack begins with the application's line, although nothing awaits the
 * promise.
 */
import { GridFSBucket, MongoClientClosedError, MongoServerError } from '@tessera/client';
import type { MongoError } from '@tessera/client';
import { Callers, rethrowConverted } from '../src/stack-trace.js';
import { describe, expect, test } from 'vitest';
import { ask } from './bad-server.js';
import { ofAdmin, ofBulks, ofClients, ofCollections, ofCursors, ofDatabases } from './public-calls.js';
import type { Call } from './public-calls.js';
import type { Respond } from './scripted-server.js';

const refused = { ok: 0, code: 8000, errmsg: 'no' };

/** Calls without an await, and returns the error. */
const errorOf = async (call: Call, answer: Respond): Promise<MongoError> => {
  const { value } = await ask(
    answer,
    handles =>
      new Promise(resolve => {
        call({ ...handles, options: {}, files: new GridFSBucket(handles.db) }).catch(resolve);
      }),
  );
  return value as MongoError;
};

const firstFrame = (error: Error): string => /^ +at .*/m.exec(error.stack ?? '')?.[0] ?? 'no frame';
const ours = expect.stringContaining('client/test/') as unknown;

describe.each([
  ['a collection', ofCollections],
  ['a database', ofDatabases],
  ['admin', ofAdmin],
  ['a client', ofClients],
  ['a cursor', ofCursors],
  ['a bulk operation', ofBulks],
] satisfies [string, Readonly<Record<string, Call>>][])('for %s', (_, calls: Readonly<Record<string, Call>>) => {
  test.each(Object.entries(calls))('%s, with a server error', async (__, call) => {
    const error = await errorOf(call, () => refused);
    expect([error.operation, error.namespace, firstFrame(error)]).toEqual([
      expect.any(String),
      expect.any(String),
      ours,
    ]);
  });
});

test.each<readonly [method: string, namespace: string, call: Call]>([
  ...Object.entries(ofCollections)
    .filter(([name]) =>
      /^(insert|update|replace|delete|findOne|bulkWrite|distinct|drop$|rename|estimated|count$)/.test(name),
    )
    .map(([name, call]) => [name, 'test.films', call] as const),
  ['find', 'test.films', ofCursors.toArray],
  ['dropDatabase', 'test', ofDatabases.dropDatabase],
  ['ping', 'admin', ofAdmin.ping],
  ['bulkWrite', 'admin', ofClients.bulkWrite],
])('the error of %s on %s names both', async (method, namespace, call) => {
  const error = await errorOf(call, () => refused);
  expect([error.operation, error.namespace]).toEqual([method, namespace]);
});

test('a duplicate key of a forgotten insertOne', async () => {
  const errors = [{ index: 0, code: 11000, errmsg: 'E11000 duplicate key' }];
  const error = await errorOf(ofCollections.insertOne, () => ({ n: 0, writeErrors: errors }));
  expect([error.operation, error.namespace, error.stack?.split('\n').slice(0, 2)]).toEqual([
    'insertOne',
    'test.films',
    ['MongoServerError: E11000 duplicate key', ours],
  ]);
});

test('a client that is closed during a forgotten findOne', async () => {
  const call: Call = async ({ client, films }) => {
    const found = films.findOne();
    await client.close();
    return found;
  };
  const error = await errorOf(call, () => new Promise<never>(() => undefined));
  expect([error, error.operation, error.namespace, firstFrame(error)]).toEqual([
    new MongoClientClosedError(
      'The client was closed before the server replied. Close it after all operations have completed. It interrupted findOne on test.films.',
      { kind: 'closed' },
    ),
    ...['findOne', 'test.films', ours],
  ]);
});

test('100 lines are remembered at once, and then 100 per second', () => {
  let now = 0;
  const callers = new Callers({ now: () => now });
  const taken = (): number => {
    let count = 0;
    while (callers.take() !== undefined) count++;
    return count;
  };
  const counts = [taken()];
  for (const wait of [0, 9, 2, 250, 5000]) {
    now += wait;
    counts.push(taken());
  }
  expect(counts).toEqual([100, 0, 0, 1, 25, 100]);
});

test('a stack of the same bundle as the driver begins after the public method', () => {
  const lines = ['take', 'Handle.run', 'asPromise', 'Collection.insertOne', 'save', 'main'];
  const stack = ['Error', ...lines.map(name => `    at ${name} (/app/bundle.js:1:1)`)].join('\n');
  const error = new MongoServerError({ errmsg: 'no' });
  const above = (): never =>
    rethrowConverted(error, error, above, {
      method: 'insertOne',
      namespace: 'test.films',
      caller: { stack },
      call: {},
    });
  // Only a function that the engine calls itself has no frames outside of it.
  return Promise.resolve()
    .then(above)
    .then(undefined, () => {
      expect(error.stack).toBe(
        'MongoServerError: no\n    at save (/app/bundle.js:1:1)\n    at main (/app/bundle.js:1:1)',
      );
    });
});

describe("an error of the driver is not replaced by one of the application's changes of Error", () => {
  const changes: readonly (readonly [title: string, change: PropertyDescriptorMap, stack: unknown])[] = [
    ['stacks as lists', { prepareStackTrace: { value: (_: Error, sites: unknown) => sites } }, expect.any(Array)],
    [
      'a function that fails',
      {
        prepareStackTrace: {
          value: () => {
            throw new TypeError('no stack');
          },
        },
      },
      'TypeError: no stack',
    ],
    ['a limit that cannot be set', { stackTraceLimit: { value: 10, writable: false } }, ours],
  ];

  test.each(changes)('%s', async (_, change, stack) => {
    const before = Object.getOwnPropertyDescriptors(Error);
    Object.defineProperties(
      Error,
      Object.fromEntries(Object.entries(change).map(([name, value]) => [name, { configurable: true, ...value }])),
    );
    const error = await errorOf(ofCollections.insertOne, () => refused);
    let seen: unknown;
    try {
      seen = error.stack;
    } catch (failure) {
      seen = String(failure);
    }
    Object.defineProperties(Error, {
      stackTraceLimit: before.stackTraceLimit,
      prepareStackTrace: before.prepareStackTrace ?? { value: undefined, writable: true, configurable: true },
    });
    expect([error.code, error.operation, seen]).toEqual([8000, 'insertOne', stack]);
  });
});

test('the name of a command is no pattern', async () => {
  const error = await errorOf(
    ({ db }) => db.command({ 'foo(': 1 }),
    () => refused,
  );
  expect([error.code, error.operation, firstFrame(error)]).toEqual([8000, 'foo(', ours]);
});

test('frames of Node.js are no caller that awaits', async () => {
  const call: Call = ({ client, films }) => {
    client.on('commandFailed', () => {
      process.nextTick(() => undefined);
    });
    return films.insertOne({});
  };
  expect(firstFrame(await errorOf(call, () => refused))).toEqual(ours);
});

test('a field of the reply with the same name stays, and applications can set the fields', async () => {
  const error = await errorOf(ofCollections.insertOne, () => ({ ...refused, namespace: 'a.b' }));
  error.operation = 'mine';
  expect([error.operation, error.namespace, Object.keys(error)]).toEqual([
    'mine',
    'a.b',
    expect.not.arrayContaining(['operation']),
  ]);
});
