import { describe, expect, test } from 'vitest';
import { createWorld } from '@tessera/sim';
import { createServer } from '@tessera/server';
import { defaultParts, MongoClient } from '@tessera/client';
import type { BsonCodec } from '@tessera/contracts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A client whose codec tells how many shapes were asked of it: what is learned of documents lives in these. */
const counting = async (use: (client: MongoClient, shapes: () => number) => Promise<void>): Promise<void> => {
  const world = createWorld({ turn }, {});
  let count = 0;
  const bson: BsonCodec = {
    ...defaultParts.bson,
    shape: options => {
      count++;
      return defaultParts.bson.shape(options);
    },
  };
  await world.run(async () => {
    const server = createServer(world.at('db1'));
    await server.listen('db1:27017');
    const client = new MongoClient('mongodb://db1', {}, { runtime: world.runtime, parts: { bson } });
    await client.connect();
    await use(client, () => count);
    await client.close();
    await server.close();
  });
};

describe('what is learned of the documents of a collection', () => {
  test('is found again by every handle of it', () =>
    counting(async (client, shapes) => {
      await client.db('shop').collection('films').findOne({});
      const before = shapes();
      for (let i = 0; i < 5; i++) await client.db('shop').collection('films').findOne({});
      expect(shapes()).toBe(before);
    }));

  test('is found again by operations with options of their own, unless these change how documents are read', () =>
    counting(async (client, shapes) => {
      const films = client.db('shop').collection('films');
      await films.findOne({});
      const before = shapes();
      await films.findOne({}, { readPreference: 'secondaryPreferred' });
      await client
        .db('shop', { readConcern: 'local' })
        .collection('films', { writeConcern: { w: 1 } })
        .findOne({});
      await films.insertOne({ _id: 1 as never }, { forceServerObjectId: true });
      expect(shapes()).toBe(before);
      expect(await films.findOne({}, { promoteValues: false })).toMatchObject({ _id: { _bsontype: 'Int32' } });
      expect(shapes()).toBe(before + 2);
    }));

  test('is kept of so many collections only', () =>
    counting(async (client, shapes) => {
      const { handles } = client;
      const first = handles.of('shop', 'films');
      expect(handles.of('shop', 'films')).toBe(first);
      for (let i = 0; i < 256; i++) handles.of('shop', `other${i}`);
      expect(handles.of('shop', 'films')).not.toBe(first);
      expect(shapes()).toBeLessThan(20);
    }));
});
