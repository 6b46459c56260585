// A test for Vitest.
import * as bson from 'bson';
import { MongoClient, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import uri from './uri.json';

test('the driver works in Vitest', async () => {
  expect(ObjectId).toBe(bson.ObjectId);
  const client = new MongoClient(uri);
  const tests = client.db('vitest').collection('tests');
  const { insertedId } = await tests.insertOne({ at: new Date(0) });
  expect(insertedId).toBeInstanceOf(ObjectId);
  expect(await tests.findOne()).toEqual({ _id: insertedId, at: new Date(0) });
  await client.close();
});
