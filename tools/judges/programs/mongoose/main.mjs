// Checks the features of mongoose on the deployment of the environment variable MONGODB_URI. MONGOOSE is the path of its module.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { check, skip, thrownBy } from '../npm-mongodb/checks.mjs';
import { hasLog, isSet, noLog, noStepDown, stepDown, uri } from '../npm-mongodb/deployment.mjs';
import { files } from '../npm-mongodb/files.mjs';
import { logins } from '../npm-mongodb/logins.mjs';

/** @type {{ default: typeof import('mongoose') }} */
const { default: mongoose } = await import(pathToFileURL(process.env.MONGOOSE).href);
const { Schema } = mongoose;

const connection = await mongoose.createConnection(uri, { dbName: 'peers', heartbeatFrequencyMS: 500 }).asPromise();

const Author = connection.model('Author', new Schema({ name: { type: String, required: true, unique: true } }));
const bookSchema = new Schema(
  {
    title: { type: String, required: true, index: true },
    pages: { type: Number, min: 1 },
    tags: [String],
    chapters: [{ name: String, pages: Number }],
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
    price: Schema.Types.Decimal128,
    notes: { type: Map, of: String },
  },
  { timestamps: true, optimisticConcurrency: true },
);
bookSchema.virtual('isLong').get(function isLong() {
  return this.pages > 500;
});
const Book = connection.model('Book', bookSchema);

const fresh = async () => {
  for (const model of [Author, Book]) {
    await model.collection.drop().catch(() => undefined);
    await model.createCollection();
    await model.syncIndexes();
  }
};
const whenLogged = (name, work) => (hasLog ? check(name, work) : skip(name, noLog));

await check('documents are saved, found, changed and deleted', async () => {
  await fresh();
  const book = await Book.create({
    title: 'One',
    pages: 600,
    tags: ['a'],
    price: '1.10',
    notes: new Map([['x', 'y']]),
  });
  assert.ok(book.isLong && book.createdAt instanceof Date);
  book.tags.push('b');
  book.chapters.push({ name: 'First', pages: 10 });
  await book.save();
  const found = await Book.findOne({ tags: 'b' });
  assert.deepEqual([found.tags.slice(), found.price.toString(), found.notes.get('x')], [['a', 'b'], '1.10', 'y']);
  assert.equal((await Book.updateMany({ pages: { $gt: 1 } }, { $inc: { pages: 1 } })).modifiedCount, 1);
  const updated = await Book.findOneAndUpdate(
    { title: 'One' },
    { $set: { title: 'Two' } },
    { returnDocument: 'after' },
  );
  assert.deepEqual([updated.title, updated.pages], ['Two', 601]);
  assert.equal((await Book.deleteOne({ _id: book._id })).deletedCount, 1);
  assert.equal(await Book.countDocuments(), 0);
});

await check('a schema rejects invalid documents, and a unique index returns an error', async () => {
  await fresh();
  assert.equal((await thrownBy(() => Book.create({ pages: 0 }))).name, 'ValidationError');
  await Author.create({ name: 'Ann' });
  assert.equal((await thrownBy(() => Author.create({ name: 'Ann' }))).code, 11000);
  assert.deepEqual(
    (await Author.listIndexes()).map(({ name }) => name),
    ['_id_', 'name_1'],
  );
});

await check('references are populated with queries and with $lookup', async () => {
  await fresh();
  const authors = await Author.insertMany([{ name: 'Ann' }, { name: 'Bob' }]);
  await Book.insertMany(Array.from({ length: 30 }, (_, i) => ({ title: `t${i}`, author: authors[i % 2]._id })));
  const books = await Book.find().sort({ _id: 1 }).populate('author').limit(2);
  assert.deepEqual(
    books.map(({ author }) => author.name),
    ['Ann', 'Bob'],
  );
  let count = 0;
  for await (const book of Book.find().batchSize(4).cursor()) count += book.title.startsWith('t') ? 1 : 0;
  assert.equal(count, 30);
  const counted = await Book.aggregate([
    { $lookup: { from: 'authors', localField: 'author', foreignField: '_id', as: 'who' } },
    { $unwind: '$who' },
    { $sortByCount: '$who.name' },
    { $sort: { _id: 1 } },
  ]);
  assert.deepEqual(counted, [
    { _id: 'Ann', count: 15 },
    { _id: 'Bob', count: 15 },
  ]);
});

await check('the second of two conflicting saves fails', async () => {
  await fresh();
  await Book.create({ title: 'One', pages: 1 });
  const [one, two] = [await Book.findOne(), await Book.findOne()];
  one.pages = 2;
  two.pages = 3;
  await one.save();
  assert.equal((await thrownBy(() => two.save())).name, 'VersionError');
});

await check('bulk writes and bulk saves', async () => {
  await fresh();
  const result = await Book.bulkWrite([
    { insertOne: { document: { title: 'a', pages: 1 } } },
    { updateOne: { filter: { title: 'b' }, update: { $set: { pages: 2 } }, upsert: true } },
    { deleteOne: { filter: { title: 'a' } } },
  ]);
  assert.deepEqual([result.insertedCount, result.upsertedCount, result.deletedCount], [1, 1, 1]);
  await Book.bulkSave([new Book({ title: 'c' }), new Book({ title: 'd' })]);
  assert.deepEqual((await Book.distinct('title')).sort(), ['b', 'c', 'd']);
});

await whenLogged('an aborted transaction restores the state of its documents', async () => {
  await fresh();
  const author = await Author.create({ name: 'Ann' });
  await thrownBy(() =>
    connection.transaction(async session => {
      author.name = 'Eve';
      await author.save({ session });
      await Book.create([{ title: 'One' }], { session });
      throw new Error('The transaction is rolled back.');
    }),
  );
  assert.deepEqual([await Book.countDocuments(), (await Author.findOne()).name], [0, 'Ann']);
  await connection.transaction(async session => {
    await author.save({ session });
    await Book.create([{ title: 'One' }], { session });
  });
  assert.deepEqual([await Book.countDocuments(), (await Author.findOne()).name], [1, 'Eve']);
});

const failover = 'a transaction with a step-down is carried out once';
if (!isSet) skip(failover, noStepDown);
else
  await check(failover, async () => {
    await fresh();
    let attempts = 0;
    await connection.transaction(async session => {
      attempts += 1;
      await Book.create([{ title: 'One' }], { session });
      if (attempts === 1) await stepDown(connection.getClient());
      await Author.create([{ name: 'Ann' }], { session });
    });
    assert.deepEqual([attempts > 1, await Book.countDocuments(), await Author.countDocuments()], [true, 1, 1]);
  });

/** Opens a change stream of books on the server, so that it returns all later changes. */
const watching = async () => {
  const stream = Book.watch([], { hydrate: true, fullDocument: 'updateLookup', maxAwaitTimeMS: 200 });
  await stream.$driverChangeStreamPromise;
  await stream.driverChangeStream.tryNext();
  return stream;
};
const fieldsOf = ({ operationType, fullDocument }) => [operationType, fullDocument instanceof Book, fullDocument.title];

await whenLogged('a model returns changes and resumes after a token', async () => {
  await fresh();
  const first = await watching();
  const [book] = await Book.create([{ title: 'One' }, { title: 'Two' }], { ordered: true });
  await Book.updateOne({ _id: book._id }, { title: 'Three' });
  const event = await first.next();
  assert.deepEqual(fieldsOf(event), ['insert', true, 'One']);
  await first.close();
  const second = Book.watch([], { hydrate: true, fullDocument: 'updateLookup', resumeAfter: event._id });
  assert.deepEqual(fieldsOf(await second.next()), ['insert', true, 'Two']);
  assert.deepEqual(fieldsOf(await second.next()), ['update', true, 'Three']);
  await second.close();
});

const over = 'a model returns changes after a step-down';
if (!isSet) skip(over, noStepDown);
else
  await check(over, async () => {
    await fresh();
    const stream = await watching();
    await Book.create([{ title: 'One' }], { w: 'majority' });
    assert.deepEqual(fieldsOf(await stream.next()), ['insert', true, 'One']);
    await stepDown(connection.getClient());
    await Book.create([{ title: 'Two' }], { w: 'majority' });
    assert.deepEqual(fieldsOf(await stream.next()), ['insert', true, 'Two']);
    await stream.close();
  });

await files(mongoose.mongo, connection.db);

await logins(async address => {
  const other = mongoose.createConnection(address, { serverSelectionTimeoutMS: 3000 });
  try {
    await other.asPromise();
    return other.getClient();
  } catch (error) {
    await other.close();
    throw error;
  }
}, connection.getClient());

await connection.close();
console.log('done');
