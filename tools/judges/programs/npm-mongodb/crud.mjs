import assert from 'node:assert/strict';
import { check, skip, thrownBy } from './checks.mjs';
import { uri } from './deployment.mjs';

/** @param {typeof import('mongodb')} driver @param {import('mongodb').MongoClient} client @param {import('mongodb').Db} db */
export async function crud(driver, client, db) {
  const { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, MinKey, MaxKey, Code } = driver;
  const fresh = async name => {
    await db
      .collection(name)
      .drop()
      .catch(() => undefined);
    return db.collection(name);
  };

  /** Checks that a closed cursor is killed. Connects to the first mongos only, because a cursor exists on one server. */
  const isGoneWhenClosed = async () => {
    const alone = await new driver.MongoClient(uri.replace(/,[^/]*/, '')).connect();
    try {
      const open = async () => Number((await alone.db('admin').command({ serverStatus: 1 })).metrics.cursor.open.total);
      const before = await open();
      const cursor = alone.db(db.databaseName).collection('cursor').find().batchSize(2);
      await cursor.next();
      assert.equal(await open(), before + 1);
      await cursor.close();
      assert.equal(await open(), before);
    } finally {
      await alone.close();
    }
  };

  await check('inserted documents are found', async () => {
    const c = await fresh('insert');
    assert.equal((await c.insertOne({ _id: 1, a: 'x' })).insertedId, 1);
    const many = await c.insertMany([{ _id: 2, a: 'y' }, { _id: 3, a: 'x' }, { a: 'z' }]);
    assert.equal(many.insertedCount, 3);
    assert.ok(many.insertedIds[2] instanceof ObjectId);
    assert.deepEqual(await c.findOne({ a: 'y' }), { _id: 2, a: 'y' });
    assert.deepEqual(await c.find({ a: 'x' }).sort({ _id: -1 }).toArray(), [
      { _id: 3, a: 'x' },
      { _id: 1, a: 'x' },
    ]);
    assert.equal(await c.countDocuments({}), 4);
    assert.equal(await c.estimatedDocumentCount(), 4);
    assert.deepEqual((await c.distinct('a')).sort(), ['x', 'y', 'z']);
  });

  await check('every BSON type survives a round trip', async () => {
    const c = await fresh('types');
    const doc = {
      _id: new ObjectId('0123456789abcdef01234567'),
      double: new Double(1),
      int: new Int32(7),
      long: Long.fromString('9007199254740993'),
      decimal: Decimal128.fromString('1.10'),
      binary: new Binary(Buffer.from([1, 2, 3]), 5),
      date: new Date(-1),
      regex: /^a/i,
      time: new Timestamp({ t: 7, i: 3 }),
      min: new MinKey(),
      max: new MaxKey(),
      code: new Code('f', { a: 1 }),
      nothing: null,
      yes: true,
      nested: { array: [[], {}, ''] },
    };
    await c.insertOne(doc);
    const raw = { promoteValues: false };
    const found = await c.findOne({ _id: doc._id }, raw);
    assert.deepEqual(Object.keys(found), Object.keys(doc));
    for (const key of ['double', 'int', 'long', 'decimal', 'time', 'min', 'max', 'code'])
      assert.equal(found[key]._bsontype, doc[key]._bsontype, key);
    assert.equal(found.long.toString(), '9007199254740993');
    assert.equal(found.decimal.toString(), '1.10');
    assert.deepEqual([...found.binary.buffer.subarray(0, 3), found.binary.sub_type], [1, 2, 3, 5]);
    assert.deepEqual([found.date, found.regex, found.nested], [doc.date, doc.regex, doc.nested]);
    for (const [key, type] of Object.entries({ double: 1, int: 16, long: 18, decimal: 19, regex: 11, code: 15 }))
      assert.equal(await c.countDocuments({ [key]: { $type: type } }), 1, key);
  });

  await check('updates, replacements and upserts change documents and report counts', async () => {
    const c = await fresh('update');
    await c.insertMany([1, 2, 3].map(_id => ({ _id, n: _id, tags: ['a'] })));
    const one = await c.updateOne({ _id: 1 }, { $inc: { n: 10 }, $push: { tags: { $each: ['c', 'b'], $sort: 1 } } });
    assert.deepEqual([one.matchedCount, one.modifiedCount], [1, 1]);
    assert.deepEqual(await c.findOne({ _id: 1 }), { _id: 1, n: 11, tags: ['a', 'b', 'c'] });
    const many = await c.updateMany({ n: { $lt: 10 } }, [{ $set: { n: { $multiply: ['$n', 2] } } }]);
    assert.deepEqual([many.matchedCount, many.modifiedCount], [2, 2]);
    const none = await c.updateOne({ _id: 2 }, { $set: { n: 4 } });
    assert.deepEqual([none.matchedCount, none.modifiedCount], [1, 0]);
    await c.updateOne({ _id: 1 }, { $set: { 'tags.$[t]': 'z' } }, { arrayFilters: [{ t: 'b' }] });
    assert.deepEqual((await c.findOne({ _id: 1 })).tags, ['a', 'z', 'c']);
    const upserted = await c.updateOne({ _id: 9, kind: 'new' }, { $setOnInsert: { made: true } }, { upsert: true });
    assert.deepEqual([upserted.upsertedCount, upserted.upsertedId], [1, 9]);
    assert.deepEqual(await c.findOne({ _id: 9 }), { _id: 9, kind: 'new', made: true });
    assert.equal((await c.replaceOne({ _id: 9 }, { kind: 'old' })).modifiedCount, 1);
    assert.deepEqual(await c.findOne({ _id: 9 }), { _id: 9, kind: 'old' });
  });

  await check('find and modify returns the document before or after the change', async () => {
    const c = await fresh('modify');
    await c.insertOne({ _id: 1, n: 1 });
    const options = { includeResultMetadata: true };
    const before = await c.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, options);
    assert.deepEqual(before.value, { _id: 1, n: 1 });
    const after = await c.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { ...options, returnDocument: 'after' });
    assert.deepEqual(after.value, { _id: 1, n: 3 });
    const replaced = await c.findOneAndReplace({ _id: 1 }, { n: 'x' }, { ...options, returnDocument: 'after' });
    assert.deepEqual(replaced.value, { _id: 1, n: 'x' });
    assert.deepEqual((await c.findOneAndDelete({ _id: 1 }, options)).value, { _id: 1, n: 'x' });
    assert.equal((await c.findOneAndDelete({ _id: 1 }, options)).value, null);
  });

  await check('deletes report counts', async () => {
    const c = await fresh('delete');
    await c.insertMany([1, 2, 3, 4].map(n => ({ n })));
    assert.equal((await c.deleteOne({ n: { $gt: 1 } })).deletedCount, 1);
    assert.equal((await c.deleteMany({ n: { $gt: 1 } })).deletedCount, 2);
    assert.equal(await c.countDocuments(), 1);
  });

  await check('a duplicate key fails with error 11000, with its key and value', async () => {
    const c = await fresh('unique');
    assert.equal(await c.createIndex({ a: 1 }, { unique: true }), 'a_1');
    await c.insertOne({ _id: 1, a: 'x' });
    const error = await thrownBy(() => c.insertOne({ _id: 2, a: 'x' }));
    assert.equal(error.code, 11000);
    assert.match(error.message, /^E11000 duplicate key error collection: \w+\.unique index: a_1 dup key: { a: "x" }/);
    assert.deepEqual([error.keyPattern, error.keyValue], [{ a: 1 }, { a: 'x' }]);
    assert.deepEqual(
      (await c.listIndexes().toArray()).map(({ name }) => name),
      ['_id_', 'a_1'],
    );
    await c.dropIndex('a_1');
    await c.insertOne({ _id: 2, a: 'x' });
  });

  await check('ordered and unordered bulk writes of a collection', async () => {
    const c = await fresh('bulk');
    const result = await c.bulkWrite([
      { insertOne: { document: { _id: 1, n: 0 } } },
      { insertOne: { document: { _id: 2, n: 0 } } },
      { updateMany: { filter: {}, update: { $inc: { n: 1 } } } },
      { replaceOne: { filter: { _id: 3 }, replacement: { n: 5 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } },
    ]);
    assert.deepEqual(
      [result.insertedCount, result.modifiedCount, result.upsertedCount, result.deletedCount, result.upsertedIds[3]],
      [2, 2, 1, 1, 3],
    );
    const operations = [{ _id: 4 }, { _id: 2 }, { _id: 5 }].map(document => ({ insertOne: { document } }));
    const ordered = await thrownBy(() => c.bulkWrite(operations));
    assert.deepEqual([ordered.code, ordered.writeErrors[0].index, ordered.result.insertedCount], [11000, 1, 1]);
    await c.deleteOne({ _id: 4 });
    const unordered = await thrownBy(() => c.bulkWrite(operations, { ordered: false }));
    assert.deepEqual([unordered.writeErrors.length, unordered.result.insertedCount], [1, 2]);
    assert.deepEqual((await c.distinct('_id')).sort(), [2, 3, 4, 5]);
  });

  if (typeof client.bulkWrite !== 'function') skip('bulk writes of a client', 'this version has no client bulk writes');
  else
    await check('bulk writes of a client', async () => {
      const [one, two] = [await fresh('bulk1'), await fresh('bulk2')];
      const result = await client.bulkWrite(
        [
          { name: 'insertOne', namespace: one.namespace, document: { _id: 1 } },
          { name: 'insertOne', namespace: two.namespace, document: { _id: 1 } },
          { name: 'updateOne', namespace: two.namespace, filter: { _id: 1 }, update: { $set: { a: 1 } } },
          { name: 'deleteOne', namespace: one.namespace, filter: { _id: 1 } },
        ],
        { verboseResults: true },
      );
      assert.deepEqual([result.insertedCount, result.modifiedCount, result.deletedCount], [2, 1, 1]);
      assert.deepEqual([...result.updateResults.keys()], [2]);
      assert.deepEqual(await two.findOne({}), { _id: 1, a: 1 });
    });

  await check('a cursor fetches several batches, and is killed when closed', async () => {
    const c = await fresh('cursor');
    await c.insertMany(Array.from({ length: 250 }, (_, _id) => ({ _id })));
    const ids = (await c.find().sort({ _id: 1 }).batchSize(7).toArray()).map(({ _id }) => _id);
    assert.deepEqual(
      ids,
      Array.from({ length: 250 }, (_, i) => i),
    );
    const some = await c
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(5)
      .limit(3)
      .toArray();
    assert.deepEqual(some, [{ _id: 244 }, { _id: 243 }, { _id: 242 }]);
    await isGoneWhenClosed();
  });

  await check('aggregations group, look up and write documents', async () => {
    const [orders, people] = [await fresh('orders'), await fresh('people')];
    await people.insertMany([
      { _id: 'a', name: 'Ann' },
      { _id: 'b', name: 'Bob' },
    ]);
    await orders.insertMany([
      { by: 'a', n: 1 },
      { by: 'a', n: 2 },
      { by: 'b', n: 5 },
    ]);
    const pipeline = [
      { $group: { _id: '$by', total: { $sum: '$n' } } },
      { $lookup: { from: 'people', localField: '_id', foreignField: '_id', as: 'who' } },
      { $project: { total: 1, name: { $first: '$who.name' } } },
      { $sort: { _id: 1 } },
    ];
    const expected = [
      { _id: 'a', total: 3, name: 'Ann' },
      { _id: 'b', total: 5, name: 'Bob' },
    ];
    assert.deepEqual(await orders.aggregate(pipeline).toArray(), expected);
    await orders.aggregate([...pipeline, { $out: 'totals' }]).toArray();
    assert.deepEqual(await db.collection('totals').find().sort({ _id: 1 }).toArray(), expected);
  });

  await check('collections are created, listed, renamed and dropped', async () => {
    await fresh('made');
    await fresh('renamed');
    await db.createCollection('made', { capped: true, size: 4096, max: 2 });
    await db.collection('made').insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    assert.deepEqual(await db.collection('made').find().toArray(), [{ _id: 2 }, { _id: 3 }]);
    const [listed] = await db.listCollections({ name: 'made' }).toArray();
    assert.deepEqual([listed.type, listed.options.capped, listed.options.max], ['collection', true, 2]);
    await db.collection('made').rename('renamed');
    assert.equal(await db.collection('renamed').drop(), true);
    assert.deepEqual(await db.listCollections({ name: 'renamed' }).toArray(), []);
  });
}
