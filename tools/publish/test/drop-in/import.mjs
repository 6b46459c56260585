// An ES module that uses the driver under the name of the official one. Its argument is a connection string.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as bson from 'bson';
import mongodb, { MongoClient, MongoServerError, ObjectId } from 'mongodb';
import * as deep from 'mongodb/lib/bson';
import { BulkWriteResult } from 'mongodb/lib/bulk/common.js';
import * as all from 'mongodb';

assert.equal(ObjectId, bson.ObjectId);
assert.equal(deep.EJSON, bson.EJSON);
assert.equal(BulkWriteResult, all.BulkWriteResult);
const { default: whole, ...names } = all;
assert.equal(whole, mongodb);
assert.deepEqual({ ...mongodb }, names);

const commonjs = createRequire(import.meta.url)('mongodb');
assert.deepEqual(Object.keys(commonjs).sort(), Object.keys(names).sort());
assert.deepEqual(
  Object.keys(names).filter(name => names[name]?.name !== commonjs[name]?.name),
  [],
);

const client = new MongoClient(process.argv[2]);
const films = client.db('shop').collection('screenings');
const _id = new commonjs.ObjectId();
await films.insertOne({ _id });
const error = await films.insertOne({ _id }).catch(thrown => thrown);
assert(error instanceof MongoServerError && error instanceof commonjs.MongoServerError);
assert((await films.findOne({ _id }))._id instanceof ObjectId);
await client.close();
console.log('imported');
