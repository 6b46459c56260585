import { PassThrough, Readable } from 'node:stream';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { GridFSBucketReadStream, GridFSBucketWriteStream, GridFSFile } from '@tessera/client';
import type { World } from '@tessera/sim';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { bytesOf, collect, withBucket, named } from './setup.js';

/** Types the streams as those of Node.js. */
const writable = (stream: GridFSBucketWriteStream): Writable & GridFSBucketWriteStream => stream as never;
const readable = (stream: GridFSBucketReadStream): Readable & Omit<GridFSBucketReadStream, 'on'> => stream as never;

const errorOf = (stream: Readable | Writable): Promise<Error> =>
  new Promise(resolve => stream.once('error', resolve as (error: unknown) => void));

describe('write streams', () => {
  test('store bytes and text written in pieces as one file, and expose its document', () =>
    withBucket(async ({ bucket, db }) => {
      const stream = writable(bucket.openUploadStream('a.txt', { chunkSizeBytes: 4, metadata: { of: 'text' } }));
      const { id, filename, chunkSizeBytes } = stream;
      expect({ id, filename, chunkSizeBytes }).toEqual({
        id: expect.any(ObjectId) as unknown,
        filename: 'a.txt',
        chunkSizeBytes: 4,
      });
      expect({ gridFSFile: stream.gridFSFile, done: stream.done }).toEqual({ gridFSFile: null, done: false });
      stream.write('Metro');
      stream.write(Uint8Array.from(Buffer.from('polis')));
      await new Promise<void>(resolve => stream.end(resolve));
      const stored = await db.collection('fs.files').findOne();
      expect({ gridFSFile: stream.gridFSFile, done: stream.done, length: stream.length }).toEqual({
        gridFSFile: stored,
        done: true,
        length: 10,
      });
      expect(Buffer.from(await collect(bucket.download(id))).toString()).toBe('Metropolis');
    }));

  test('can be piped from one file to another with backpressure in both directions', () =>
    withBucket(async ({ bucket }) => {
      const { _id } = await bucket.upload('a', bytesOf(300_000), { chunkSizeBytes: 10_000 });
      const target = writable(bucket.openUploadStream('b', { chunkSizeBytes: 7_000 }));
      const narrow = new PassThrough({ highWaterMark: 1000 });
      await pipeline(readable(bucket.openDownloadStream(_id)), narrow, target);
      expect(Buffer.compare(await collect(bucket.download(target.id)), bytesOf(300_000))).toBe(0);
    }));

  test('signal backpressure to a caller that writes faster than the server stores', () =>
    withBucket(async ({ bucket, failPoint, world }) => {
      await bucket.upload('first', bytesOf(1));
      await failPoint({ times: 1 }, { failCommands: ['insert'], blockConnection: true, blockTimeMS: 60_000 });
      const { clock } = world.runtime;
      const began = clock.now();
      const stream = writable(bucket.openUploadStream('big', { chunkSizeBytes: 100_000 }));
      const piece = new Uint8Array(100_000);
      let written = 0;
      const source = Readable.from(
        (function* () {
          for (; written < 100; written++) yield piece;
        })(),
      );
      const done = pipeline(source, stream);
      await clock.sleep(30_000);
      expect(written).toBeLessThan(40);
      await done;
      expect(clock.now() - began).toBeGreaterThan(59_000);
      expect(stream.length).toBe(10_000_000);
    }));

  test('accept ids of any type', () =>
    withBucket(async ({ bucket }) => {
      for (const id of ['text', 7, { a: 1 }, false]) {
        const stream = writable(bucket.openUploadStreamWithId(id, 'a'));
        expect(stream.id).toBe(id);
        await new Promise<void>(resolve => stream.end(bytesOf(3), resolve));
        expect(await collect(bucket.download(id))).toEqual(bytesOf(3));
      }
      expect(bucket.openUploadStream('a', { id: 'mine' }).id).toBe('mine');
      expect(bucket.openUploadStreamWithId(null, 'a').id).toBeInstanceOf(ObjectId);
    }));

  test('emit the error of a failed insert', () =>
    withBucket(async ({ bucket }) => {
      await bucket.upload('a', bytesOf(3), { id: 1 });
      const stream = writable(bucket.openUploadStreamWithId(1, 'a'));
      const error = errorOf(stream);
      stream.end(bytesOf(3));
      expect(await error).toMatchObject({ code: 11000 });
      expect(stream.gridFSFile).toBe(null);
    }));

  test('"Aborting an upload": delete the chunks and reject further writes', () =>
    withBucket(async ({ bucket, db, commands }) => {
      const stream = writable(bucket.openUploadStream('a', { chunkSizeBytes: 4 }));
      await new Promise(resolve => stream.write(bytesOf(10), resolve));
      const closed = new Promise<void>(resolve => stream.once('close', resolve));
      await stream.abort();
      await closed;
      expect(commands.at(-1)).toMatchObject({
        delete: 'fs.chunks',
        deletes: [{ q: { files_id: { $eq: stream.id } }, limit: 0 }],
      });
      expect(await db.collection('fs.chunks').countDocuments()).toBe(0);
      expect(await db.collection('fs.files').countDocuments()).toBe(0);
      await expect(
        new Promise<void>((resolve, reject) =>
          stream.write(bytesOf(1), error => {
            if (error == null) resolve();
            else reject(error);
          }),
        ),
      ).rejects.toThrow();
      await expect(stream.abort()).rejects.toMatchObject({
        name: 'MongoAPIError',
        message: 'Cannot call abort() on a stream twice',
      });
    }));

  test('fail a pending write on abort() without emitting an error, and delete every chunk', () =>
    withBucket(async ({ bucket, db }) => {
      const stream = writable(bucket.openUploadStream('a', { chunkSizeBytes: 100_000 }));
      const errors: unknown[] = [];
      stream.on('error', error => errors.push(error));
      const closed = new Promise<void>(resolve => stream.once('close', resolve));
      const results: unknown[] = [];
      stream.write(bytesOf(5_000_000), error => results.push((error as Error | undefined)?.message));
      stream.write(bytesOf(5_000_000), error => results.push((error as Error | undefined)?.message));
      await stream.abort();
      await closed;
      expect(errors).toEqual([]);
      expect(results).toEqual(['Stream has been aborted', 'Stream has been aborted']);
      expect(await db.collection('fs.chunks').countDocuments()).toBe(0);
    }));

  test('report the error of an index listener in a later turn without failing the upload', async () => {
    const mistake = new RangeError('mistaken');
    const begun: { readonly world: World; readonly upload: Promise<GridFSFile> }[] = [];
    const run = withBucket(async ({ bucket, world }) => {
      bucket.on('index', () => {
        throw mistake;
      });
      // The world's run ends when a timer throws, so the upload continues in the next run.
      const upload = bucket.upload('a', bytesOf(3));
      begun.push({ world, upload });
      await upload;
    });
    await expect(run).rejects.toBe(mistake);
    const { world, upload } = begun[0]!;
    await expect(world.run(() => upload)).resolves.toMatchObject({ filename: 'a', length: 3 });
  });

  test('"Aborting an upload": keep a file that is already stored', () =>
    withBucket(async ({ bucket }) => {
      const stream = writable(bucket.openUploadStream('a'));
      await new Promise<void>(resolve => stream.end(bytesOf(3), resolve));
      await expect(stream.abort()).rejects.toMatchObject({
        name: 'MongoAPIError',
        message: 'Cannot abort a stream that has already completed',
      });
      expect(await collect(bucket.download(stream.id))).toEqual(bytesOf(3));
    }));

  test('"Aborting an upload": throw if the chunks cannot be deleted', () =>
    withBucket(async ({ bucket, failPoint }) => {
      const stream = writable(bucket.openUploadStream('a'));
      await failPoint({ times: 1 }, { failCommands: ['delete'], errorCode: 2 });
      await expect(stream.abort()).rejects.toMatchObject({ code: 2 });
      expect(stream.destroyed).toBe(true);
    }));

  test('store no file if they are destroyed', () =>
    withBucket(async ({ bucket, db }) => {
      const stream = writable(bucket.openUploadStream('a', { chunkSizeBytes: 4 }));
      await new Promise(resolve => stream.write(bytesOf(10), resolve));
      const closed = new Promise<void>(resolve => stream.once('close', resolve));
      stream.destroy();
      await closed;
      expect(await db.collection('fs.files').countDocuments()).toBe(0);
    }));
});

describe('read streams', () => {
  test('emit file, data, end and close, in this order', () =>
    withBucket(async ({ bucket }) => {
      const file = await bucket.upload('a', bytesOf(10), { chunkSizeBytes: 4 });
      const stream = readable(bucket.openDownloadStream(file._id));
      const events: unknown[] = [];
      stream.on('file', given => events.push('file', given));
      stream.on('data', bytes => events.push('data', bytes));
      stream.on('end', () => events.push('end'));
      await new Promise<void>(resolve => {
        stream.on('close', () => {
          events.push('close');
          resolve();
        });
      });
      const whole = Buffer.from(bytesOf(10));
      expect(events).toEqual([
        ...['file', file],
        ...['data', whole.subarray(0, 4), 'data', whole.subarray(4, 8), 'data', whole.subarray(8)],
        ...['end', 'close'],
      ]);
    }));

  test('send nothing before reading starts, and then fetch no more than is read', () =>
    withBucket(async ({ bucket, commands, world }) => {
      const { _id } = await bucket.upload('a', new Uint8Array(36_000_000), { chunkSizeBytes: 4_000_000 });
      commands.length = 0;
      const stream = readable(bucket.openDownloadStream(_id));
      await world.runtime.clock.sleep(1000);
      expect(named(commands)).toEqual([]);
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      await world.runtime.clock.sleep(1000);
      expect(named(commands)).toEqual(['find fs.files', 'find fs.chunks']);
      await iterator.return!();
      expect(commands.at(-1)).toMatchObject({ killCursors: 'fs.chunks' });
    }));

  test('accept start and end through methods until reading has started', () =>
    withBucket(async ({ bucket }) => {
      const { _id } = await bucket.upload('a', bytesOf(10), { chunkSizeBytes: 4 });
      const stream = readable(bucket.openDownloadStream(_id));
      expect(stream.start(3).end(7)).toBe(stream);
      expect(await collect(stream)).toEqual(bytesOf(10).slice(3, 7));
      expect(() => stream.start(1)).toThrow(
        expect.objectContaining({
          name: 'MongoGridFSStreamError',
          message: 'Options cannot be changed after the stream is initialized',
        }) as Error,
      );
    }));

  test('end with an error', () =>
    withBucket(async ({ bucket }) => {
      const stream = readable(bucket.openDownloadStream('none'));
      const error = errorOf(stream);
      stream.resume();
      expect(await error).toMatchObject({
        name: 'MongoRuntimeError',
        code: 'ENOENT',
        message: 'FileNotFound: file none was not found',
      });
    }));

  test('end at once on abort: they emit end and close, no more data, and close the cursor', () =>
    withBucket(async ({ bucket, commands }) => {
      const { _id } = await bucket.upload('a', bytesOf(5000), { chunkSizeBytes: 4 });
      commands.length = 0;
      const stream = readable(bucket.openDownloadStream(_id));
      const events: string[] = [];
      for (const name of ['end', 'close']) stream.on(name, () => events.push(name));
      await new Promise(resolve => stream.once('data', resolve));
      stream.on('data', () => events.push('data'));
      await stream.abort();
      await new Promise<void>(resolve => {
        if (stream.closed) resolve();
        else stream.once('close', resolve);
      });
      expect(events.filter(name => name !== 'end')).toEqual(['close']);
      expect(commands.some(command => command['killCursors'] === 'fs.chunks')).toBe(true);
    }));
});
