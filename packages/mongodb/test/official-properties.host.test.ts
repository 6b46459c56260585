/** Properties that libraries read from the objects of the official driver. */
import { once } from 'node:events';
import type * as official from 'mongodb';
import { describe, expect, test } from 'vitest';
import { MongoMissingDependencyError, HostAddress, ServerSession } from '@tessera/mongodb';
import { MongoDBNamespace } from '../../client/src/namespace.js';
import { same, serveBoth } from './both-drivers.js';

serveBoth();

describe('an upload stream', () => {
  const membersOf = (stream: official.GridFSBucketWriteStream): unknown => {
    const { filename, options, done, chunkSizeBytes, length, n, pos, state, writeConcern, chunks, files } = stream;
    return [
      ...[filename, { ...options }, done, chunkSizeBytes, length, n, pos, { ...state }],
      ...[writeConcern?.w, chunks.namespace, files.namespace, stream.gridFSFile?.length],
    ];
  };
  same('has its bucket, collections, options and state at each step', async ({ db, module: { GridFSBucket } }) => {
    const bucket = new GridFSBucket(db, { bucketName: 'posters', writeConcern: { w: 1 } });
    const stream = bucket.openUploadStream('a', { chunkSizeBytes: 10, metadata: { b: 1 } });
    const steps = [stream.bucket === bucket, membersOf(stream)];
    await new Promise(resolve => stream.write(Buffer.alloc(25), resolve));
    steps.push(membersOf(stream));
    await once(stream.end(Buffer.alloc(5)), 'finish');
    steps.push(membersOf(stream));
    return steps;
  });
  same('has the state "aborted" after abort', async ({ db, module: { GridFSBucket } }) => {
    const stream = new GridFSBucket(db).openUploadStream('a', { chunkSizeBytes: 10, writeConcern: { w: 1, j: true } });
    await new Promise(resolve => stream.write(Buffer.alloc(25), resolve));
    await stream.abort();
    return membersOf(stream);
  });
});

describe('other objects', () => {
  same('an aggregation keeps an empty sort, which the server rejects', ({ films }) =>
    Promise.resolve([films.aggregate().sort({}).pipeline, films.aggregate().sort([] as never).pipeline]),
  );
  same('the error of an empty sort of an aggregation', ({ films }) => films.aggregate().sort({}).toArray());
  same('change streams say what they watch', ({ client, db, films }) =>
    Promise.resolve([films, db, client].map(parent => String(parent.watch().type))),
  );
  same('the cursor of a command has the options of its getMores', ({ db }) => {
    const cursor = db.runCursorCommand({ find: 'films' }).setBatchSize(5).setComment('a').setMaxTimeMS(20);
    return Promise.resolve([cursor.getMoreOptions, db.runCursorCommand({ find: 'films' }).getMoreOptions]);
  });
  same('cursors that list have their options', ({ db, films }) =>
    Promise.resolve([
      db.listCollections({}, { batchSize: 3, nameOnly: true }).options?.nameOnly,
      films.listIndexes({ batchSize: 3 }).options?.batchSize,
    ]),
  );
  same('write concerns accept fsync as another name of journal', ({ module: { WriteConcern } }) =>
    Promise.resolve([
      new WriteConcern(1, 5, undefined, 1).journal,
      new WriteConcern(1, undefined, true, false).journal,
      WriteConcern.fromOptions({ writeConcern: { fsync: true } })?.journal,
      WriteConcern.fromOptions({ writeConcern: { w: 1, fsync: false } })?.journal,
    ]),
  );
  same('the options of a client have tls, raw and noDelay', ({ client: { options } }) =>
    Promise.resolve([Boolean(options.tls), options.raw, options.noDelay]),
  );
  same(
    'the options of a client have tls, raw and noDelay as they were given',
    ({ client: { options } }) => Promise.resolve([options.tls, options.raw, options.noDelay, options.ca]),
    { tls: true, raw: true, noDelay: false, ca: 'certificates' },
  );
  same('a server session says whether it has timed out', async ({ client, db }) => {
    const session = client.startSession();
    await db.command({ ping: 1 }, { session });
    const timedOut = [0, 1, 2, 30].map(minutes => session.serverSession.hasTimedOut(minutes));
    await session.endSession();
    return timedOut;
  });
  same('descriptions of a server are equal if their states are', async ({ client, db }) => {
    const servers: official.ServerDescription[] = [];
    client.on('serverDescriptionChanged', ({ previousDescription, newDescription }) => {
      servers.push(previousDescription, newDescription);
    });
    await db.command({ ping: 1 });
    const [unknown, known] = servers as [official.ServerDescription, official.ServerDescription];
    return [unknown.equals(known), known.equals(known), known.equals(null), known.equals(), unknown.iscryptd];
  });
});

test('a server session without a clock, and a session that is idle for long', () => {
  const id = { id: undefined } as never;
  expect(new ServerSession(id, 0, 5, false).hasTimedOut(30)).toBe(false);
  const clock = { now: () => 29.4 * 60_000 };
  expect([29, 30, 31].map(minutes => new ServerSession(id, 0, 0, false, clock).hasTimedOut(minutes))).toEqual([
    ...[true, false, false],
  ]);
});

test('namespaces and addresses are created from text and SRV records', () => {
  expect(['shop', 'shop.', 'shop.films', 'shop.a.b'].map(text => MongoDBNamespace.fromString(text))).toEqual([
    new MongoDBNamespace('shop'),
    new MongoDBNamespace('shop'),
    new MongoDBNamespace('shop', 'films'),
    new MongoDBNamespace('shop', 'a.b'),
  ]);
  expect(() => MongoDBNamespace.fromString('')).toThrow('A namespace must be text');
  expect(() => MongoDBNamespace.fromString(5 as never)).toThrow(
    'A namespace must be text such as "shop.films", but is "5".',
  );
  expect(HostAddress.fromSrvRecord({ name: 'db1.example.com', port: 27018 }).toString()).toBe('db1.example.com:27018');
});

test('the error of a missing package names the package and has its cause', () => {
  const cause = new Error('not found');
  const error = new MongoMissingDependencyError('snappy is missing.', { cause, dependencyName: 'snappy' });
  expect([error.dependencyName, error.cause, error.message]).toEqual(['snappy', cause, 'snappy is missing.']);
});
