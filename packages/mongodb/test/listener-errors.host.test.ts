/** Exceptions of listeners, and error events without a listener, in a separate process with each driver. */
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from './program.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ replicaSet: 'rs0' });
});
afterAll(() => server.close());

type Driver = '@tessera/mongodb' | 'mongodb';
const drivers: readonly Driver[] = ['@tessera/mongodb', 'mongodb'];

/**
 * The official driver emits events inside its own work, so an exception of a listener ends that work. Its change stream
 * stops after the first exception, `connect()` fails, and an upload never finishes. This driver throws each exception
 * as an uncaught exception in a later turn of the event loop, and continues.
 */
const expected: Readonly<Record<'changes' | 'clients' | 'buckets', Readonly<Record<Driver, unknown>>>> = {
  changes: {
    '@tessera/mongodb': ['closed: false', 'uncaught: change 1 threw', 'uncaught: change 2 threw'],
    mongodb: ['closed: false', 'uncaught: change 1 threw'],
  },
  clients: {
    '@tessera/mongodb': ['close: done', 'connect: done', 'uncaught: close threw', 'uncaught: open threw'],
    mongodb: ['close: done', 'connect: failed: open threw'],
  },
  buckets: {
    '@tessera/mongodb': ['uncaught: index threw', 'upload: done'],
    mongodb: ['uncaught: index threw', 'upload: hangs'],
  },
};

/** Script that records uncaught exceptions, so that the process continues. */
const recording = `
  const record = [];
  const outcomeOf = promise => promise.then(() => 'done', error => 'failed: ' + error.message);
  process.on('uncaughtException', error => record.push('uncaught: ' + error.message));
  const thrower = name => () => { throw new Error(name + ' threw'); };`;

/** Returns what the script recorded, sorted, because uncaught exceptions arrive in a later turn. */
const run = async (driver: Driver, script: string): Promise<readonly string[]> => {
  const { ended } = start(`${recording}\n${script}\nconsole.log(JSON.stringify(record));`, driver);
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as string[]).sort();
};

describe.each(drivers)('%s: a change stream with listeners', driver => {
  test('ends the process with an uncaught error event if the server rejects it and there is no error listener', async () => {
    const { ended } = start(
      `const client = new MongoClient('${server.uri}');
       client.db('shop').collection('films').watch([{ $noSuchStage: {} }]).on('change', () => undefined);
       setTimeout(() => console.log('still there'), 10_000);`,
      driver,
    );
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('MongoServerError');
    expect(stderr).toContain('$noSuchStage');
  });

  test('throws an exception of a change listener as uncaught, and emits the following changes', async () => {
    const record = await run(
      driver,
      `const client = new MongoClient('${server.uri}');
       const films = client.db('shop').collection('films_${driver.length}');
       await films.insertOne({ _id: 0 });
       const stream = films.watch();
       const seen = new Promise(resolve => stream.on('change', change => {
         if (change.documentKey._id === 2) resolve();
         throw new Error('change ' + change.documentKey._id + ' threw');
       }));
       ${driver === 'mongodb' ? "await new Promise(resolve => stream.cursor.once('init', resolve));" : 'await stream.open();'}
       await films.insertMany([{ _id: 1 }, { _id: 2 }]);
       await Promise.race([seen, new Promise(resolve => setTimeout(resolve, 3_000))]);
       await new Promise(resolve => setTimeout(resolve, 50));
       record.push('closed: ' + stream.closed);
       await client.close();`,
    );
    expect(record).toEqual(expected.changes[driver]);
  });
});

describe.each(drivers)('%s: an exception in a listener', driver => {
  test('for open and close of a client', async () => {
    const record = await run(
      driver,
      `const client = new MongoClient('${server.uri}');
       client.on('open', thrower('open')).on('close', thrower('close'));
       record.push('connect: ' + await outcomeOf(client.connect()));
       record.push('close: ' + await outcomeOf(client.close()));
       await new Promise(resolve => setTimeout(resolve, 50));`,
    );
    expect(record).toEqual(expected.clients[driver]);
  });

  test('for index of a GridFS bucket', async () => {
    const record = await run(
      driver,
      `const client = new MongoClient('${server.uri}');
       const bucket = new module.GridFSBucket(client.db('files_${driver.length}'));
       bucket.on('index', thrower('index'));
       const upload = bucket.openUploadStream('a.txt');
       const finished = new Promise((resolve, reject) => upload.on('finish', resolve).on('error', reject));
       upload.end('text');
       record.push('upload: ' + await Promise.race([outcomeOf(finished), new Promise(resolve => setTimeout(resolve, 1_000, 'hangs'))]));
       await new Promise(resolve => setTimeout(resolve, 50));
       await client.close();`,
    );
    expect(record).toEqual(expected.buckets[driver]);
  });
});
