// A CommonJS program that uses the driver under the name of the official one. Its argument is a connection string whose
// password needs SASLprep.
const assert = require('node:assert/strict');
const mongodb = require('mongodb');
const bson = require('bson');
const deep = require('mongodb/lib/bson');
const { BulkWriteResult } = require('mongodb/lib/bulk/common');

/** An empty outcome, from which mongoose creates a result. */
const empty = {
  ...{ ok: 1, nInserted: 0, nUpserted: 0, nMatched: 0, nModified: 0, nRemoved: 0 },
  ...{ upserted: [], writeErrors: [], insertedIds: [], writeConcernErrors: [] },
};

async function main() {
  assert.equal(mongodb.ObjectId, bson.ObjectId);
  assert.deepEqual(
    ['UUID', 'Decimal128', 'Double', 'Binary', 'ObjectId', 'Long', 'Int32', 'EJSON', 'BSON'].filter(
      name => deep[name] === undefined || deep[name] !== bson[name],
    ),
    [],
  );
  assert.equal(require('mongodb/lib/index'), mongodb);
  assert.match(require('mongodb/package.json').version, /^7\./);
  const absent = 'mongodb/lib/absent';
  assert.throws(() => require(absent), { code: 'MODULE_NOT_FOUND' });
  assert.equal(new BulkWriteResult(empty, false).insertedCount, 0);

  const client = new mongodb.MongoClient(process.argv[2]);
  const films = client.db('shop').collection('films');
  const result = await films.bulkWrite([{ insertOne: { document: { title: 'Metropolis' } } }]);
  assert.equal(Object.getPrototypeOf(result), BulkWriteResult.prototype);

  // Values and errors of the ES module.
  const module = await import('mongodb');
  assert.notEqual(module.ObjectId, mongodb.ObjectId);
  const _id = new module.ObjectId();
  await films.insertOne({ _id, long: module.Long.fromBits(1, 1), binary: new module.Binary(Buffer.from('a'), 5) });
  const found = await films.findOne({ _id }, { promoteLongs: false });
  assert(found._id instanceof mongodb.ObjectId && found._id.equals(_id) && _id.equals(found._id));
  assert(found.long instanceof mongodb.Long && found.binary instanceof mongodb.Binary);
  const error = await films.insertOne({ _id }).catch(thrown => thrown);
  assert(error instanceof mongodb.MongoServerError && error instanceof module.MongoServerError);
  assert(error instanceof module.MongoError && !(error instanceof module.MongoNetworkError));
  assert.equal(error.code, 11_000);
  await client.close();
  console.log('required');
}

main();
