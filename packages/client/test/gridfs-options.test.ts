import { expect, test } from 'vitest';
import { GridFSBucket, MongoInvalidArgumentError } from '@tessera/client';
import { withServer } from './with-server.js';

const methods: readonly (readonly [name: string, give: (bucket: GridFSBucket, options: never) => unknown])[] = [
  ['openUploadStream', (bucket, options) => bucket.openUploadStream('a', options)],
  ['openUploadStreamWithId', (bucket, options) => bucket.openUploadStreamWithId(1, 'a', options)],
  ['openDownloadStream', (bucket, options) => bucket.openDownloadStream(1, options)],
  ['openDownloadStreamByName', (bucket, options) => bucket.openDownloadStreamByName('a', options)],
  ['upload', (bucket, options) => bucket.upload('a', Uint8Array.of(1), options)],
  ['download', (bucket, options) => bucket.download(1, options)],
  ['downloadByName', (bucket, options) => bucket.downloadByName('a', options)],
  ['find', (bucket, options) => bucket.find({}, options)],
  ['delete', (bucket, options) => bucket.delete(1, options)],
  ['deleteByName', (bucket, options) => bucket.deleteByName('a', options)],
  ['rename', (bucket, options) => bucket.rename(1, 'b', options)],
  ['renameByName', (bucket, options) => bucket.renameByName('a', 'b', options)],
  ['drop', (bucket, options) => bucket.drop(options)],
];
const wrong = [
  5,
  'x',
  { signal: new AbortController() },
  { metadata: 5 },
  { revision: NaN },
  { start: NaN },
  { writeConcern: 0.5 },
];

test.each(methods)('%s of a bucket rejects options of a wrong type and sends nothing', async (_name, give) => {
  await withServer(async ({ client, events }) => {
    const bucket = new GridFSBucket(client.db());
    for (const options of wrong) {
      const call = async (): Promise<unknown> => give(bucket, options as never);
      await expect(call()).rejects.toBeInstanceOf(MongoInvalidArgumentError);
    }
    expect(events).toEqual([]);
  });
});

test('a bucket and its methods accept null as options', async () => {
  await withServer(async ({ client }) => {
    const bucket = new GridFSBucket(client.db(), null);
    const { _id } = await bucket.upload('a', Uint8Array.of(1), null);
    await bucket.rename(_id, 'b', null);
    expect(await bucket.find({}, null).toArray()).toMatchObject([{ filename: 'b' }]);
    await bucket.delete(_id, null);
    await bucket.drop(null);
  });
});

test('an _id that cannot be converted to a string is reported as not found', async () => {
  await withServer(async ({ client }) => {
    const missing = new GridFSBucket(client.db()).delete(Object.create(null));
    await expect(missing).rejects.toMatchObject({
      code: 'ENOENT',
      message: 'File not found for id of the type object',
    });
  });
});

test('the methods of a bucket reject a timeoutMS of a wrong type', async () => {
  await withServer(async ({ client, events }) => {
    const bucket = new GridFSBucket(client.db());
    for (const timeoutMS of [Symbol('x'), Object.create(null), NaN, -1]) {
      const options = { timeoutMS: timeoutMS as number };
      await expect(bucket.delete(1, options)).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      await expect(bucket.upload('a', Uint8Array.of(1), options)).rejects.toBeInstanceOf(MongoInvalidArgumentError);
      await expect(bucket.download(1, options).next()).rejects.toBeInstanceOf(MongoInvalidArgumentError);
    }
    expect(events).toEqual([]);
  });
});
