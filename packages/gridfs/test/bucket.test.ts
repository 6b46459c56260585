import { GridFSBucket } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { hasIndex } from '../src/indexes.js';
import { Double, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { bytesOf, collect, withBucket, named } from './setup.js';
import type { Setup } from './setup.js';

const names = async ({ bucket }: Pick<Setup, 'bucket'>): Promise<readonly string[]> =>
  (await bucket.find().sort({ filename: 1 }).toArray()).map(file => file.filename);

describe('"Indexes"', () => {
  const both = ['find fs.files', 'listIndexes fs.files', 'createIndexes fs.files'].concat([
    'listIndexes fs.chunks',
    'createIndexes fs.chunks',
  ]);

  test('are created immediately before the first write', () =>
    withBucket(async ({ bucket, db, commands }) => {
      let calls = 0;
      bucket.on('index', () => calls++);
      await expect(collect(bucket.download('none'))).rejects.toThrow();
      bucket.openUploadStream('a');
      expect(named(commands)).toEqual(['find fs.files']);
      commands.length = 0;
      await bucket.upload('a', bytesOf(1));
      expect(named(commands)).toEqual([...both, 'insert fs.chunks', 'insert fs.files']);
      expect(commands[0]).toMatchObject({ filter: {}, projection: { _id: 1 } });
      commands.length = 0;
      await bucket.upload('b', bytesOf(1));
      expect(named(commands)).toEqual(['insert fs.chunks', 'insert fs.files']);
      expect(calls).toBe(1);
      const keys = async (name: string): Promise<unknown> =>
        (await db.collection(name).indexes()).map(({ key, unique }) => ({ key, unique }));
      expect(await keys('fs.files')).toEqual([
        { key: { _id: 1 }, unique: undefined },
        { key: { filename: 1, uploadDate: 1 }, unique: undefined },
      ]);
      expect(await keys('fs.chunks')).toEqual([
        { key: { _id: 1 }, unique: undefined },
        { key: { files_id: 1, n: 1 }, unique: true },
      ]);
    }));

  test('are not checked if the bucket has files', () =>
    withBucket(async ({ bucket, db, commands }) => {
      await bucket.upload('a', bytesOf(1));
      commands.length = 0;
      await new GridFSBucket(db).upload('b', bytesOf(1));
      expect(named(commands)).toEqual(['find fs.files', 'insert fs.chunks', 'insert fs.files']);
    }));

  test('are not created again if they exist, with any number type', () =>
    withBucket(async ({ bucket, db, commands }) => {
      await db.collection('fs.files').createIndex({ filename: new Double(1), uploadDate: Long.fromNumber(1) } as never);
      await db.collection('fs.chunks').createIndex({ files_id: new Double(1), n: 1 } as never, { unique: true });
      commands.length = 0;
      await bucket.upload('a', bytesOf(1));
      expect(named(commands)).toEqual([
        ...['find fs.files', 'listIndexes fs.files', 'listIndexes fs.chunks'],
        ...['insert fs.chunks', 'insert fs.files'],
      ]);
    }));

  test.each<readonly [there: Document, isIt: boolean]>([
    [{ filename: 1, uploadDate: 1 }, true],
    [{ filename: 1.0, uploadDate: Long.fromNumber(1) }, true],
    [{ filename: new Double(1), uploadDate: 1n }, true],
    [{ uploadDate: 1, filename: 1 }, false],
    [{ filename: 1 }, false],
    [{ filename: 1, uploadDate: -1 }, false],
    [{ filename: 1, uploadDate: 1, length: 1 }, false],
  ])('recognizes the index on %o: %s', (key, isIt) => {
    expect(hasIndex([{ key: { _id: 1 } }, { key }], { filename: 1, uploadDate: 1 })).toBe(isIt);
  });

  test('are created in an empty database whose collections do not exist', () =>
    withBucket(async ({ bucket, db, commands }) => {
      await db.dropDatabase();
      commands.length = 0;
      await bucket.upload('a', bytesOf(9), { chunkSizeBytes: 2 });
      expect(named(commands)).toEqual([...both, 'insert fs.chunks', 'insert fs.files']);
    }));

  test('cause the upload to fail if creation fails, and are created by the next upload', () =>
    withBucket(async ({ bucket, failPoint, commands }) => {
      await failPoint({ times: 1 }, { failCommands: ['createIndexes'], errorCode: 13 });
      await expect(bucket.upload('a', bytesOf(1))).rejects.toMatchObject({ code: 13 });
      commands.length = 0;
      await bucket.upload('a', bytesOf(1));
      expect(named(commands).slice(0, 5)).toEqual(both);
    }));

  test('are created again after drop', () =>
    withBucket(async ({ bucket, commands }) => {
      await bucket.upload('a', bytesOf(1));
      commands.length = 0;
      await bucket.drop();
      expect(named(commands)).toEqual(['drop fs.files', 'drop fs.chunks']);
      commands.length = 0;
      await bucket.upload('a', bytesOf(1));
      expect(named(commands).slice(0, 5)).toEqual(both);
    }));
});

describe('files', () => {
  const three = async ({ bucket }: Pick<Setup, 'bucket'>): Promise<void> => {
    for (const name of ['a', 'a', 'b']) await bucket.upload(name, bytesOf(3), { metadata: { of: name } });
  };

  test('"Generic Find on Files Collection": finds files by filter, sort and limit', () =>
    withBucket(async setup => {
      await three(setup);
      const { bucket } = setup;
      expect(
        await bucket
          .find({ 'metadata.of': 'b' })
          .map(file => file.filename)
          .toArray(),
      ).toEqual(['b']);
      expect((await bucket.find({}, { sort: { filename: -1 }, limit: 2 }).toArray()).map(f => f.filename)).toEqual([
        'b',
        'a',
      ]);
    }));

  test('"File Deletion": deletes the document first and then the chunks, and throws if the file does not exist', () =>
    withBucket(async setup => {
      await three(setup);
      const { bucket, db, commands } = setup;
      const file = await bucket.find({ filename: 'b' }).next();
      commands.length = 0;
      await bucket.delete(file!._id);
      expect(named(commands)).toEqual(['delete fs.files', 'delete fs.chunks']);
      expect([await names(setup), await db.collection('fs.chunks').countDocuments()]).toEqual([['a', 'a'], 2]);
      await expect(bucket.delete(file!._id)).rejects.toMatchObject({
        name: 'MongoRuntimeError',
        message: `File not found for id ${String(file!._id)}`,
      });
    }));

  test('"File deletion by filename": deletes all revisions', () =>
    withBucket(async setup => {
      await three(setup);
      const { bucket, db, commands } = setup;
      commands.length = 0;
      await bucket.deleteByName('a');
      expect(named(commands)).toEqual(['find fs.files', 'delete fs.files', 'delete fs.chunks']);
      expect([await names(setup), await db.collection('fs.chunks').countDocuments()]).toEqual([['b'], 1]);
      await expect(bucket.deleteByName('a')).rejects.toThrow('FileNotFound: no file has the name a');
    }));

  test('"Renaming stored files": renames by id and by name', () =>
    withBucket(async setup => {
      await three(setup);
      const { bucket } = setup;
      const file = await bucket.find({ filename: 'b' }).next();
      await bucket.rename(file!._id, 'c');
      expect(await names(setup)).toEqual(['a', 'a', 'c']);
      await bucket.renameByName('a', 'z');
      expect(await names(setup)).toEqual(['c', 'z', 'z']);
      await expect(bucket.rename('none', 'x')).rejects.toThrow('File with id none not found');
      await expect(bucket.renameByName('a', 'x')).rejects.toThrow('FileNotFound: no file has the name a');
    }));
});

describe('options', () => {
  test('uses bucketName, and the concerns of the bucket instead of those of the database', () =>
    withBucket(
      async ({ bucket, commands }) => {
        const { _id } = await bucket.upload('a', bytesOf(1));
        await collect(bucket.download(_id));
        await bucket.rename(_id, 'b');
        const concerns = commands
          .filter(command => !('listIndexes' in command || 'createIndexes' in command))
          .map(({ readConcern, writeConcern, ...command }) => [
            named([command])[0],
            ...[readConcern, writeConcern].filter(concern => concern !== undefined),
          ]);
        const [local, journal] = [{ level: 'local' }, { j: true }];
        expect(concerns).toEqual([
          ['find pictures.files', local],
          ...[
            ['insert pictures.chunks', journal],
            ['insert pictures.files', journal],
          ],
          ...[
            ['find pictures.files', local],
            ['find pictures.chunks', local],
          ],
          ['update pictures.files', journal],
        ]);
      },
      { bucketName: 'pictures', readConcern: 'local', writeConcern: { j: true } },
      { readConcern: { level: 'available' }, writeConcern: { w: 1 } },
    ));

  test('uses the write concern of an upload', () =>
    withBucket(async ({ bucket, commands }) => {
      await bucket.upload('a', bytesOf(1), { writeConcern: { j: true } });
      const inserts = commands.filter(command => 'insert' in command);
      expect(inserts.map(({ writeConcern }) => writeConcern as unknown)).toEqual([{ j: true }, { j: true }]);
    }));

  test('does not throw "not found" for unacknowledged writes, which have no counts', () =>
    withBucket(
      async ({ bucket }) => {
        await bucket.delete('none');
        await bucket.rename('none', 'a');
      },
      { writeConcern: { w: 0 } },
    ));

  test('sends no time limit without timeoutMS', () =>
    withBucket(async ({ bucket, commands }) => {
      const { _id } = await bucket.upload('a', bytesOf(1));
      await collect(bucket.download(_id));
      expect(commands.filter(command => 'maxTimeMS' in command)).toEqual([]);
    }));
});
