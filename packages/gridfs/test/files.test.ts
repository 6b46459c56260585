import { GridFSBucket } from '@tessera/client';
import { ObjectId } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, collect, withBucket, named } from './setup.js';

describe('upload', () => {
  test('"File Upload": all chunks except the last have the chunk size, and the document is stored last with the end time', () =>
    withBucket(async ({ bucket, db, world, commands }) => {
      const { clock } = world.runtime;
      const began = clock.wallTime();
      const source = (async function* () {
        await clock.sleep(3_600_000);
        yield bytesOf(10);
      })();
      const file = await bucket.upload('a.bin', source, { chunkSizeBytes: 4, metadata: { owner: 'me' } });
      expect(file).toEqual({
        _id: expect.any(ObjectId) as unknown,
        length: 10,
        chunkSize: 4,
        uploadDate: expect.any(Date) as unknown,
        filename: 'a.bin',
        metadata: { owner: 'me' },
      });
      expect(file.uploadDate.getTime()).toBeGreaterThan(began + 3_600_000);
      expect(await db.collection('fs.files').find().toArray()).toEqual([file]);
      const chunks = await db.collection('fs.chunks').find({}, { promoteBuffers: true }).sort({ n: 1 }).toArray();
      expect(chunks.map(({ _id, data, ...rest }) => ({ ...rest, data: [...(data as Uint8Array)] }))).toEqual([
        { files_id: file._id, n: 0, data: [...bytesOf(10).slice(0, 4)] },
        { files_id: file._id, n: 1, data: [...bytesOf(10).slice(4, 8)] },
        { files_id: file._id, n: 2, data: [...bytesOf(10).slice(8)] },
      ]);
      expect(named(commands).filter(name => name.startsWith('insert'))).toEqual([
        'insert fs.chunks',
        'insert fs.files',
      ]);
    }));

  test('"File Upload": stores the length as int64 and the chunk size as int32', () =>
    withBucket(async ({ bucket, db }) => {
      const { _id } = await bucket.upload('a.bin', bytesOf(10));
      const typed = { _id, length: { $type: 'long' }, chunkSize: { $type: 'int' } };
      expect(await db.collection('fs.files').countDocuments(typed as object)).toBe(1);
    }));

  test('"File Upload": stores an empty file as a document without chunks, and downloads it without reading chunks', () =>
    withBucket(async ({ bucket, db, commands }) => {
      const { _id, length } = await bucket.upload('empty', new Uint8Array(0));
      expect(length).toBe(0);
      expect(await db.collection('fs.chunks').countDocuments()).toBe(0);
      commands.length = 0;
      expect(await collect(bucket.download(_id))).toEqual(new Uint8Array(0));
      expect(named(commands)).toEqual(['find fs.files']);
    }));

  test(
    'returns the right bytes for any chunk size, any write sizes and any range',
    () =>
      withBucket(async ({ bucket }) => {
        const anything = fc.record({
          chunkSizeBytes: fc.integer({ min: 1, max: 64 }),
          pieces: fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 }),
          cuts: fc.tuple(fc.nat(2000), fc.nat(2000)),
        });
        await fc.assert(
          fc.asyncProperty(anything, async ({ chunkSizeBytes, pieces, cuts }) => {
            const whole = Uint8Array.from(pieces.flatMap(piece => [...piece]));
            const source = (async function* () {
              // All pieces share one buffer, as in some sources, so that written bytes may change.
              const buffer = new Uint8Array(150);
              for (const piece of pieces) {
                buffer.set(piece);
                yield await Promise.resolve(buffer.subarray(0, piece.length));
              }
            })();
            const { _id, length } = await bucket.upload('any', source, { chunkSizeBytes });
            expect(length).toBe(whole.length);
            const [start, end] = cuts.map(cut => cut % (whole.length + 1)).sort((a, b) => a - b) as [number, number];
            expect(await collect(bucket.download(_id))).toEqual(whole);
            expect(await collect(bucket.download(_id, { start, end }))).toEqual(whole.slice(start, end));
          }),
          { numRuns: 60 },
        );
      }),
    60_000,
  );

  test(
    'round-trips a file of many chunks with only a few of them in memory',
    () =>
      withBucket(async ({ bucket, commands }) => {
        const piece = bytesOf(64 * 1024);
        let given = 0;
        const source = (async function* () {
          for (; given < 96; given++) {
            const stored = commands
              .filter(command => command['insert'] === 'fs.chunks')
              .reduce((sum, command) => sum + (command['documents'] as unknown[]).length, 0);
            expect(given * piece.length - stored * 100_000).toBeLessThan(2.5 * 1024 * 1024);
            yield await Promise.resolve(piece);
          }
        })();
        const { _id, length } = await bucket.upload('many', source, { chunkSizeBytes: 100_000 });
        expect(length).toBe(96 * piece.length);
        let at = 0;
        for await (const bytes of bucket.download(_id)) {
          for (const [index, byte] of bytes.entries())
            if (byte !== piece[(at + index) % piece.length]) throw new Error(`byte ${at + index} is wrong`);
          at += bytes.length;
        }
        expect(at).toBe(length);
      }),
    60_000,
  );

  test('"Aborting an upload": throws the error of a failed source, and deletes the chunks', () =>
    withBucket(async ({ bucket, db }) => {
      const gone = new Error('the disk is gone');
      const source = (async function* () {
        yield await Promise.resolve(bytesOf(10));
        throw gone;
      })();
      await expect(bucket.upload('a', source, { chunkSizeBytes: 4 })).rejects.toBe(gone);
      expect(await db.collection('fs.chunks').countDocuments()).toBe(0);
    }));

  test('throws the reason of an aborted signal, and deletes the chunks', () =>
    withBucket(async ({ bucket, db }) => {
      const control = new AbortController();
      const reason = new Error('no longer wanted');
      const source = (async function* () {
        yield await Promise.resolve(bytesOf(10));
        control.abort(reason);
        yield bytesOf(10);
      })();
      const { signal } = control;
      await expect(bucket.upload('a', source, { chunkSizeBytes: 4, signal })).rejects.toBe(reason);
      expect(await db.collection('fs.chunks').countDocuments()).toBe(0);
    }));

  test('deletes chunks that were already stored when the signal aborts', () =>
    withBucket(async ({ bucket, db, world }) => {
      const control = new AbortController();
      const reason = new Error('no longer wanted');
      const stored: number[] = [];
      const source = (async function* () {
        yield await Promise.resolve(bytesOf(10));
        await world.runtime.clock.sleep(1_000);
        stored.push(await db.collection('fs.chunks').countDocuments());
        control.abort(reason);
        yield bytesOf(10);
      })();
      const { signal } = control;
      await expect(bucket.upload('a', source, { chunkSizeBytes: 4, signal })).rejects.toBe(reason);
      expect([...stored, await db.collection('fs.chunks').countDocuments()]).toEqual([2, 0]);
    }));

  test('"Operation Failure": throws the error of a failed insert, and deletes nothing', () =>
    withBucket(async ({ bucket, commands, failPoint }) => {
      await bucket.upload('first', bytesOf(1));
      await failPoint({ times: 1 }, { failCommands: ['insert'], errorCode: 2 });
      commands.length = 0;
      await expect(bucket.upload('a', bytesOf(10), { chunkSizeBytes: 4 })).rejects.toMatchObject({ code: 2 });
      expect(named(commands)).toEqual(['insert fs.chunks']);
    }));

  test('rejects content that is not bytes', () =>
    withBucket(async ({ bucket }) => {
      const source = (async function* () {
        yield await Promise.resolve('text' as never);
      })();
      await expect(bucket.upload('a', source)).rejects.toThrow(
        'An upload requires bytes (Uint8Array), but the source returned a string.',
      );
    }));

  test.each([0, -1, 1.5, NaN])('rejects a chunk size of %d', size =>
    withBucket(({ db, bucket }) => {
      const message = `The option "chunkSizeBytes" must be a whole number of bytes of at least 1, but is ${size}.`;
      expect(() => new GridFSBucket(db, { chunkSizeBytes: size })).toThrow(message);
      expect(() => bucket.openUploadStream('a', { chunkSizeBytes: size })).toThrow(message);
      return Promise.resolve();
    }),
  );
});
