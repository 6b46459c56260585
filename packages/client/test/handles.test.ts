import { describe, expect, test } from 'vitest';
import { createWorld } from '@tessera/sim';
import { createServer } from '@tessera/server';
import { defaultParts, MongoClient } from '@tessera/client';
import type { BsonCodec } from '@tessera/contracts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/**
 * Runs a test with a client whose codec counts the created shapes, which cache what the codec learns about documents.
 */
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

describe('the cached shapes of a collection', () => {
  test('are shared by all its handles', () =>
    counting(async (client, shapes) => {
      await client.db('shop').collection('films').findOne({});
      const before = shapes();
      for (let i = 0; i < 5; i++) await client.db('shop').collection('films').findOne({});
      expect(shapes()).toBe(before);
    }));

  test('are shared by operations with their own options, unless these change how documents are decoded', () =>
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

  test('are kept for a limited number of collections', () =>
    counting(async (client, shapes) => {
      const { handles } = client;
      const first = handles.of('shop', 'films');
      expect(handles.of('shop', 'films')).toBe(first);
      for (let i = 0; i < 256; i++) handles.of('shop', `other${i}`);
      expect(handles.of('shop', 'films')).not.toBe(first);
      expect(shapes()).toBeLessThan(20);
    }));
});
