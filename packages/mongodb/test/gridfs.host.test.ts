/** GridFS over TCP: each driver reads the files that the other wrote. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The members of a bucket that these tests use, in both drivers. */
interface Bucket {
  openUploadStream(name: string, options?: object): Writable & { readonly id: unknown };
  openDownloadStreamByName(name: string, options?: object): Readable;
  openDownloadStream(id: unknown, options?: object): Readable;
  delete(id: unknown): Promise<void>;
  rename(id: unknown, name: string): Promise<void>;
  find(filter: object): { toArray(): Promise<object[]> };
}

let server: RunningServer;
let clients: readonly { close(): Promise<void> }[] = [];
let buckets: { readonly official: Bucket; readonly ours: Bucket };
beforeAll(async () => {
  server = await startServer();
  const [officialClient, ourClient] = [new official.MongoClient(server.uri), new ours.MongoClient(server.uri)];
  clients = [officialClient, ourClient];
  buckets = {
    official: new official.GridFSBucket(officialClient.db('files')),
    ours: new ours.GridFSBucket(ourClient.db('files')),
  };
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await server.close();
});

const bytes = Uint8Array.from({ length: 1_000_003 }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff);

const collect = async (stream: Readable): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

const failure = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    const { name, message, code } = error as official.MongoError;
    return `${name} ${String(code)}: ${message}`;
  }
  return 'no error';
};

describe.each([
  ['official', 'ours'],
  ['ours', 'official'],
] as const)('the driver %s writes, the driver %s reads:', (writer, reader) => {
  test.each([
    ['empty', 0, {}],
    ['one byte', 1, {}],
    ['whole chunks', 600, { chunkSizeBytes: 200 }],
    ['a last, shorter chunk', 601, { chunkSizeBytes: 200 }],
    ['chunks of the default size', bytes.length, { metadata: { of: 'many' } }],
  ])('%s', async (title, length, options) => {
    const name = `${writer} ${title}`;
    const stream = buckets[writer].openUploadStream(name, options);
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject).once('finish', resolve).end(bytes.subarray(0, length));
    });
    const read = await collect(buckets[reader].openDownloadStream(stream.id));
    expect(Buffer.compare(read, bytes.subarray(0, length))).toBe(0);
    const range = { start: Math.floor(length / 3), end: Math.ceil(length / 2) };
    if (range.end > 0)
      expect(
        Buffer.compare(
          await collect(buckets[reader].openDownloadStreamByName(name, range)),
          bytes.subarray(range.start, range.end),
        ),
      ).toBe(0);
  });

  test('both drivers find the same file documents', async () => {
    const [officialFiles, ourFiles] = await Promise.all(
      [buckets.official, buckets.ours].map(bucket => bucket.find({ filename: { $regex: `^${writer}` } }).toArray()),
    );
    expect(JSON.stringify(ourFiles)).toBe(JSON.stringify(officialFiles));
    expect(officialFiles).not.toEqual([]);
  });
});

test.each<readonly [what: string, run: (bucket: Bucket) => Promise<unknown>]>([
  ['a file that does not exist', bucket => collect(bucket.openDownloadStream('none'))],
  ['a name that does not exist', bucket => collect(bucket.openDownloadStreamByName('none'))],
  [
    'a start after the end of the file',
    bucket => collect(bucket.openDownloadStreamByName('ours one byte', { start: 2 })),
  ],
  ['an end after the end of the file', bucket => collect(bucket.openDownloadStreamByName('ours one byte', { end: 2 }))],
  ['a negative start', bucket => collect(bucket.openDownloadStreamByName('ours one byte', { start: -1, end: 1 }))],
])('both drivers throw the same error: %s', async (_, run) => {
  expect(await failure(() => run(buckets.ours))).toBe(await failure(() => run(buckets.official)));
});

test.each<readonly [what: string, run: (bucket: Bucket) => Promise<unknown>]>([
  ['deleting', bucket => bucket.delete('none')],
  ['renaming', bucket => bucket.rename('none', 'a')],
])('%s a file that does not exist throws the same error, with the code ENOENT', async (_, run) => {
  const expected = await failure(() => run(buckets.official));
  expect(await failure(() => run(buckets.ours))).toBe(expected.replace('undefined', 'ENOENT'));
});

test('pipelines copy a file from the disk to a bucket and back', async () => {
  const path = new URL(import.meta.url).pathname;
  const target = buckets.ours.openUploadStream('this file', { chunkSizeBytes: 500 });
  await pipeline(createReadStream(path, { highWaterMark: 333 }), target);
  expect((await collect(buckets.ours.openDownloadStream(target.id))).equals(await readFile(path))).toBe(true);
});

test('the streams have the types of Node.js streams and the members of GridFS streams', async () => {
  const client = new ours.MongoClient(server.uri);
  const bucket = new ours.GridFSBucket(client.db('files'), { chunkSizeBytes: 10 });
  const target: ours.GridFSBucketWriteStream = bucket.openUploadStream('types');
  await pipeline(bucket.openDownloadStreamByName('ours one byte').start(0).end(1), target);
  const file: ours.GridFSFile | null = target.gridFSFile;
  expect(file?.length).toBe(1);
  expect([target.constructor.name, Object.keys(target).includes('constructor')]).toEqual([
    'GridFSBucketWriteStream',
    false,
  ]);
  expect(bucket.openDownloadStream(target.id).constructor).toBe(ours.GridFSBucketReadStream);
  await client.close();
});
