/** The time limits of GridFS. Rule: Client Side Operations Timeout, "GridFS API". */
import type { Writable } from 'node:stream';
import { GridFSBucket } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { bytesOf, collect, withBucket, named } from './setup.js';
import type { Setup } from './setup.js';

const timeout = { name: 'MongoOperationTimeoutError' };

/** Creates the empty collections, and opens a connection of the client. */
const prepare = async ({ another, db, client }: Setup): Promise<void> => {
  const internal = another().db(db.databaseName);
  for (const name of ['fs.files', 'fs.chunks']) await internal.createCollection(name);
  await client.connect();
};

const slow = (command: string, blockTimeMS: number): Document => ({
  failCommands: [command],
  blockConnection: true,
  blockTimeMS,
});

const ended = (stream: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    (stream as Writable).on('error', reject).end((error?: Error | null) => {
      if (error == null) resolve();
      else reject(error);
    });
  });

test('Client Side Operations Timeout, prose test 6: uploads via openUploadStream can be timed out', () =>
  withBucket(
    async setup => {
      await prepare(setup);
      await setup.failPoint({ times: 1 }, slow('insert', 200));
      const stream = setup.bucket.openUploadStream('filename');
      (stream as unknown as Writable).write(Uint8Array.of(0x12));
      await expect(ended(stream)).rejects.toMatchObject(timeout);
    },
    {},
    { timeoutMS: 150 },
  ));

test('Client Side Operations Timeout, prose test 6: aborting an upload stream can be timed out', () =>
  withBucket(
    async setup => {
      await prepare(setup);
      await setup.failPoint({ times: 1 }, slow('delete', 200));
      const stream = setup.bucket.openUploadStream('filename');
      (stream as unknown as Writable).write(Uint8Array.of(1, 2, 3, 4));
      await expect(stream.abort()).rejects.toMatchObject(timeout);
    },
    { chunkSizeBytes: 2 },
    { timeoutMS: 150 },
  ));

test('Client Side Operations Timeout, prose test 7: a download can be timed out', () =>
  withBucket(
    async setup => {
      await prepare(setup);
      const _id = new ObjectId('000000000000000000000005');
      await setup
        .another()
        .db(setup.db.databaseName)
        .collection<Document>('fs.files')
        .insertOne({
          ...{ _id, length: 10, chunkSize: 4, uploadDate: new Date(0), md5: '57d83cd477bfb1ccd975ab33d827a92b' },
          ...{ filename: 'length-10', contentType: 'application/octet-stream', aliases: [], metadata: {} },
        });
      const stream = setup.bucket.openDownloadStream(_id) as unknown as AsyncIterable<Uint8Array>;
      await setup.failPoint({ skip: 1 }, slow('find', 200));
      setup.commands.length = 0;
      await expect(collect(stream)).rejects.toMatchObject(timeout);
      expect(named(setup.commands)).toEqual(['find fs.files', 'find fs.chunks']);
    },
    {},
    { timeoutMS: 150 },
  ));

const whole: readonly (readonly [
  what: string,
  commands: readonly string[],
  run: (setup: Setup, id: unknown) => unknown,
])[] = [
  ['an upload', ['find', 'listIndexes'], ({ db }) => new GridFSBucket(db).upload('b', bytesOf(5))],
  ['a download', ['find'], ({ bucket }, id) => collect(bucket.download(id))],
  ['delete', ['delete'], ({ bucket }, id) => bucket.delete(id)],
  ['deleteByName', ['find', 'delete'], ({ bucket }) => bucket.deleteByName('a')],
  ['drop', ['drop'], ({ bucket }) => bucket.drop()],
];

test.each(whole)('applies timeoutMS to %s as a whole, not to each command', (_, failCommands, run) =>
  withBucket(
    async setup => {
      await prepare(setup);
      const internal = setup.another().db(setup.db.databaseName);
      const { _id } = await new GridFSBucket(internal).upload('a', bytesOf(5));
      if (failCommands.includes('listIndexes')) await internal.collection('fs.files').deleteMany({});
      await setup.failPoint('alwaysOn', { failCommands, blockConnection: true, blockTimeMS: 100 });
      const { clock } = setup.world.runtime;
      const began = clock.now();
      await expect(run(setup, _id)).rejects.toMatchObject(timeout);
      expect(clock.now() - began).toBeGreaterThan(140);
      expect(clock.now() - began).toBeLessThan(170);
      await setup.failPoint('off');
    },
    {},
    { timeoutMS: 150 },
  ),
);

test('counts the limit of a stream from its creation, and sends nothing after it has passed', () =>
  withBucket(
    async setup => {
      const { bucket, world, commands } = setup;
      await prepare(setup);
      const { _id } = await bucket.upload('a', bytesOf(5));
      const [reading, writing] = [bucket.openDownloadStream(_id), bucket.openUploadStream('b')];
      commands.length = 0;
      await world.runtime.clock.sleep(200);
      await expect(collect(reading as never)).rejects.toMatchObject({
        ...timeout,
        message: 'Download timed out after 150ms',
      });
      (writing as unknown as Writable).write(bytesOf(1));
      await expect(ended(writing)).rejects.toMatchObject({ ...timeout, message: 'Upload timed out after 150ms' });
      expect(commands).toEqual([]);
    },
    { timeoutMS: 150 },
  ));

test("prefers timeoutMS of a call to that of the bucket, and that to the database's", () =>
  withBucket(
    async setup => {
      const { bucket, failPoint } = setup;
      await prepare(setup);
      const { _id } = await bucket.upload('a', bytesOf(5), { timeoutMS: 0 });
      await failPoint('alwaysOn', slow('find', 100));
      expect(await collect(bucket.download(_id))).toEqual(bytesOf(5));
      await expect(collect(bucket.download(_id, { timeoutMS: 150 }))).rejects.toMatchObject(timeout);
      await failPoint('off');
    },
    { timeoutMS: 1000 },
    { timeoutMS: 50 },
  ));

test('a signal aborts an operation in progress', () =>
  withBucket(async setup => {
    const { bucket, failPoint, world } = setup;
    await prepare(setup);
    const { _id } = await bucket.upload('a', bytesOf(5));
    await failPoint('alwaysOn', { failCommands: ['find', 'update'], blockConnection: true, blockTimeMS: 5000 });
    const reason = new Error('no longer wanted');
    for (const run of [
      (signal: AbortSignal) => collect(bucket.download(_id, { signal })),
      (signal: AbortSignal) => bucket.rename(_id, 'b', { signal }),
    ]) {
      const control = new AbortController();
      const done = run(control.signal);
      void world.runtime.clock.sleep(10).then(() => {
        control.abort(reason);
      });
      await expect(done).rejects.toBe(reason);
    }
    await failPoint('off');
  }));
