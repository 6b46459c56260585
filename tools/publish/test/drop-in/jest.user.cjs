// A test for Jest, which its users run without flags.
const bson = require('bson');
const { BSON, MongoClient, ObjectId } = require('mongodb');
const { UUID } = require('mongodb/lib/bson');
const uri = require('./uri.json');

test('the driver works in Jest', async () => {
  expect([ObjectId, UUID]).toEqual([bson.ObjectId, bson.UUID]);
  const client = new MongoClient(uri);
  const tests = client.db('jest').collection('tests');
  const { insertedId } = await tests.insertOne({ at: new Date(0) });
  expect(insertedId).toBeInstanceOf(ObjectId);
  expect(BSON.serialize({ insertedId })).toHaveLength(29);
  expect(await tests.findOne()).toEqual({ _id: insertedId, at: new Date(0) });
  await client.close();
});
