import type { GridFSBucket } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { Double, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { bytesOf, collect, withBucket, named } from './setup.js';
import type { Setup } from './setup.js';

/** Stores a file of ten bytes in three chunks. */
const ten = async ({ bucket }: Pick<Setup, 'bucket'>): Promise<unknown> =>
  (await bucket.upload('ten', bytesOf(10), { chunkSizeBytes: 4 }))._id;

/** Returns name, code and message of the error, as users of the official driver see them. */
const failure = async (from: AsyncIterable<Uint8Array>): Promise<string> => {
  try {
    await collect(from);
  } catch (error) {
    const { name, message, code } = error as Error & { readonly code?: unknown };
    return `${name}${code === undefined ? '' : ` ${String(code)}`}: ${message}`;
  }
  return 'no error';
};

describe('chunks', () => {
  const wrong: readonly (readonly [title: string, change: (setup: Setup) => Promise<unknown>, message: string])[] = [
    [
      'one in the middle is missing',
      ({ db }) => db.collection('fs.chunks').deleteOne({ n: 1 }),
      'MongoGridFSChunkError: ChunkIsMissing: Got unexpected n: 2, expected: 1',
    ],
    [
      'the last is missing',
      ({ db }) => db.collection('fs.chunks').deleteOne({ n: 2 }),
      'MongoGridFSChunkError: ChunkIsMissing: Got no chunk, expected n: 2 of 3 chunks',
    ],
    [
      'all are missing',
      ({ db }) => db.collection('fs.chunks').deleteMany({}),
      'MongoGridFSChunkError: ChunkIsMissing: Got no chunk, expected n: 0 of 3 chunks',
    ],
    [
      'one in the middle is too short',
      ({ db }) => db.collection('fs.chunks').updateOne({ n: 1 }, { $set: { data: bytesOf(3) } }),
      'MongoGridFSChunkError: ChunkIsWrongSize: Got unexpected length: 3, expected: 4',
    ],
    [
      'the last is too long',
      ({ db }) => db.collection('fs.chunks').updateOne({ n: 2 }, { $set: { data: bytesOf(4) } }),
      'MongoGridFSChunkError: ChunkIsWrongSize: Got unexpected length: 4, expected: 2',
    ],
    [
      'there is an extra chunk',
      async ({ db }) => {
        const first = await db.collection<Document>('fs.chunks').findOne({ n: 0 });
        await db.collection('fs.chunks').insertOne({ files_id: first!['files_id'], n: 3, data: bytesOf(1) });
      },
      'MongoGridFSChunkError: ExtraChunk: Got unexpected n: 3, expected file length 10 bytes but already read 10 bytes',
    ],
    [
      'a chunk with an earlier number is repeated',
      async ({ db }) => {
        await db.collection('fs.chunks').dropIndexes();
        const first = await db.collection<Document>('fs.chunks').findOne({ n: 0 });
        await db.collection('fs.chunks').insertOne({ files_id: first!['files_id'], n: 0, data: bytesOf(4) });
      },
      'MongoGridFSChunkError: ExtraChunk: Got unexpected n: 0, expected: 1',
    ],
    [
      'the document has a chunk size of 0',
      ({ db }) => db.collection('fs.files').updateOne({}, { $set: { chunkSize: 0, _name: 1 } }),
      'MongoGridFSChunkError: Cannot read the file ID: its document has length 10 and chunkSize 0.',
    ],
  ];
  test.each(wrong)('"File Download": throws if %s', (_, change, message) =>
    withBucket(async setup => {
      const id = await ten(setup);
      await change(setup);
      expect(await failure(setup.bucket.download(id))).toBe(message.replace('ID', String(id)));
    }),
  );

  test('ignores an empty chunk after the last, as old drivers left it', () =>
    withBucket(async ({ bucket, db }) => {
      const { _id } = await bucket.upload('eight', bytesOf(8), { chunkSizeBytes: 4 });
      await db.collection('fs.chunks').insertOne({ files_id: _id, n: 2, data: new Uint8Array(0) });
      expect(await collect(bucket.download(_id))).toEqual(bytesOf(8));
    }));

  test('"Files collection document": accepts length and chunkSize of any numeric type', () =>
    withBucket(async ({ bucket, db }) => {
      const id = await ten({ bucket });
      for (const [length, chunkSize] of [
        [new Double(10), Long.fromNumber(4)],
        [Long.fromNumber(10), new Double(4)],
      ]) {
        await db.collection('fs.files').updateOne({}, { $set: { length, chunkSize } });
        await db.collection('fs.chunks').updateMany({}, { $mul: { n: new Double(1) } });
        expect(await collect(bucket.download(id))).toEqual(bytesOf(10));
      }
    }));

  test('reads files regardless of the BSON options of the database', () =>
    withBucket(async ({ bucket, another, db }) => {
      const id = await ten({ bucket });
      const { GridFSBucket: Bucket } = await import('@tessera/client');
      for (const options of [{ raw: true }, { promoteValues: false }, { useBigInt64: true }, { promoteLongs: false }]) {
        const other: GridFSBucket = new Bucket(another(options).db(db.databaseName));
        expect(await collect(other.download(id))).toEqual(bytesOf(10));
      }
    }));
});

describe('selecting a file', () => {
  const upload = async ({ bucket, world }: Setup): Promise<void> => {
    for (const length of [1, 2, 3]) {
      await bucket.upload('abc', bytesOf(length));
      await world.runtime.clock.sleep(1000);
    }
  };

  test.each([
    [undefined, 3],
    [0, 1],
    [1, 2],
    [2, 3],
    [-1, 3],
    [-2, 2],
    [-3, 1],
  ])('"File Download by Filename": reads revision %s', (revision, length) =>
    withBucket(async setup => {
      await upload(setup);
      expect(await collect(setup.bucket.downloadByName('abc', { revision }))).toEqual(bytesOf(length));
      expect(await collect(setup.bucket.openDownloadStreamByName('abc', { revision }) as never)).toEqual(
        bytesOf(length),
      );
    }),
  );

  test('"File Download by Filename": distinguishes an unknown name from an unknown revision', () =>
    withBucket(async setup => {
      await upload(setup);
      const { bucket } = setup;
      expect(await failure(bucket.downloadByName('xyz'))).toBe(
        'MongoRuntimeError ENOENT: FileNotFound: file xyz was not found',
      );
      expect(await failure(bucket.downloadByName('xyz', { revision: 3 }))).toBe(
        'MongoRuntimeError ENOENT: FileNotFound: file xyz was not found',
      );
      expect(await failure(bucket.downloadByName('abc', { revision: 3 }))).toBe(
        'MongoRuntimeError ENOENT: FileNotFound: file abc has no revision 3',
      );
    }));

  test('"File Download": throws for an unknown id', () =>
    withBucket(async ({ bucket }) => {
      const id = new ObjectId('000000000000000000000001');
      expect(await failure(bucket.download(id))).toBe(
        'MongoRuntimeError ENOENT: FileNotFound: file 000000000000000000000001 was not found',
      );
    }));

  test('"TFileId Queries": compares any id with $eq', () =>
    withBucket(async ({ bucket, commands }) => {
      await bucket.upload('a', bytesOf(1), { id: 'a' });
      commands.length = 0;
      const query = { $ne: 'x' };
      expect(await failure(bucket.download(query))).toContain('FileNotFound');
      await expect(bucket.delete(query)).rejects.toThrow('File not found for id');
      await expect(bucket.rename(query, 'b')).rejects.toThrow('not found');
      await (bucket.openUploadStreamWithId(query, 'a') as unknown as { abort(): Promise<void> }).abort();
      const filters = commands.map(({ find, filter, ...command }): unknown => {
        const [one] = (command['deletes'] ?? command['updates'] ?? []) as Document[];
        return find === undefined ? (one!['q'] as unknown) : filter;
      });
      const eq = { $eq: query };
      expect(filters).toEqual([{ _id: eq }, { _id: eq }, { files_id: eq }, { _id: eq }, { files_id: eq }]);
      expect(await collect(bucket.download('a'))).toEqual(bytesOf(1));
    }));

  test('rejects a name that is not a string, because it could be a query', () =>
    withBucket(async ({ bucket }) => {
      const refused = 'The argument "filename" must be a string, but is an object.';
      const query = { $ne: '' } as unknown as string;
      expect(() => bucket.downloadByName(query)).toThrow(refused);
      await expect(bucket.deleteByName(query)).rejects.toThrow(refused);
      await expect(bucket.renameByName(query, 'a')).rejects.toThrow(refused);
    }));
});

describe('"Partial File Retrieval"', () => {
  test('reads only the required chunks', () =>
    withBucket(async setup => {
      const id = await ten(setup);
      const { bucket, commands } = setup;
      commands.length = 0;
      expect(await collect(bucket.download(id, { start: 5, end: 7 }))).toEqual(bytesOf(10).slice(5, 7));
      expect(commands[1]).toMatchObject({ filter: { files_id: { $eq: id }, n: { $gte: 1 } }, limit: 1 });
    }));

  test('reads no further chunk if the range ends on a chunk boundary', () =>
    withBucket(async setup => {
      const id = await ten(setup);
      const { bucket, commands } = setup;
      for (const [start, end, limit] of [
        [0, 4, 1],
        [2, 8, 2],
      ] as const) {
        commands.length = 0;
        expect(await collect(bucket.download(id, { start, end }))).toEqual(bytesOf(10).slice(start, end));
        expect(commands.filter(command => command['find'] === 'fs.chunks')).toEqual([
          expect.objectContaining({ limit }),
        ]);
      }
    }));

  const expectBatchSize = (chunkSizeBytes: number, batchSize: number): Promise<void> =>
    withBucket(async ({ bucket, commands }) => {
      const bytes = bytesOf(chunkSizeBytes + 1);
      const { _id } = await bucket.upload('large', bytes, { chunkSizeBytes });
      commands.length = 0;
      expect(Buffer.compare(await collect(bucket.download(_id)), bytes)).toBe(0);
      expect(commands.filter(command => command['find'] === 'fs.chunks')).toEqual([
        expect.objectContaining({ batchSize }),
      ]);
    });

  test.each([
    [100, 1000],
    [255 * 1024, 61],
    [5 * 1024 * 1024, 3],
  ])('reads chunks of %i bytes in batches of at most 16 MB and 1,000 chunks: %i', expectBatchSize);

  test('reads chunks larger than 16 MB one at a time', () => expectBatchSize(16_770_000, 1));

  test('reads no chunk for an empty range', () =>
    withBucket(async setup => {
      const id = await ten(setup);
      const { bucket, commands } = setup;
      commands.length = 0;
      expect(await collect(bucket.download(id, { start: 5, end: 5 }))).toEqual(new Uint8Array(0));
      expect(await collect(bucket.download(id, { start: 10 }))).toEqual(new Uint8Array(0));
      expect(named(commands)).toEqual(['find fs.files', 'find fs.files']);
    }));

  test.each([
    [{ start: -1 }, 'Stream start (-1) must not be negative'],
    [{ end: -1 }, 'Stream end (-1) must not be negative'],
    [{ start: 11 }, 'Stream start (11) must not be more than the length of the file (10)'],
    [{ end: 11 }, 'Stream end (11) must not be more than the length of the file (10)'],
    [{ start: 5, end: 4 }, 'Stream start (5) must not be greater than stream end (4)'],
  ])('rejects %o', (range, message) =>
    withBucket(async setup => {
      const id = await ten(setup);
      expect(await failure(setup.bucket.download(id, range))).toBe(`MongoInvalidArgumentError: ${message}`);
    }),
  );
});

test("ends the server's cursor if the iteration stops early", () =>
  withBucket(async ({ bucket, commands }) => {
    const { _id } = await bucket.upload('long', bytesOf(5000), { chunkSizeBytes: 4 });
    commands.length = 0;
    for await (const bytes of bucket.download(_id)) {
      expect([...bytes]).toEqual([...bytesOf(4)]);
      break;
    }
    expect(named(commands).slice(0, 2)).toEqual(['find fs.files', 'find fs.chunks']);
    expect(commands[2]).toMatchObject({ killCursors: 'fs.chunks' });
  }));
