/** The public signatures, method by method: the types that a program for the official driver passes and receives. */
import { expectTypeOf } from 'expect-type';
import { describe, test } from 'vitest';
import type { Readable } from 'node:stream';
import type {
  AggregateOptions,
  AggregationCursor,
  Binary,
  BulkWriteOptions,
  BulkWriteResult,
  ChangeStream,
  ChangeStreamDocument,
  ChangeStreamInsertDocument,
  ClientBulkWriteResult,
  ClientSession,
  ClusterTime,
  Collection,
  CollectionInfo,
  CompressorName,
  CountDocumentsOptions,
  Db,
  DeleteResult,
  Document,
  ExplainOptions,
  Filter,
  FindCursor,
  FindOptions,
  GridFSBucket,
  GridFSBucketReadStream,
  GridFSBucketWriteStream,
  GridFSChunk,
  GridFSFile,
  IndexDescriptionCompact,
  IndexDescriptionInfo,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  ListCollectionsCursor,
  ListCollectionsOptions,
  Long,
  ModifyResult,
  MongoClient,
  MongoClientOptions,
  ObjectId,
  OrderedBulkOperation,
  ReadPreference,
  ReadPreferenceMode,
  RunCommandCursor,
  ServerSessionId,
  Timestamp,
  TransactionOptions,
  UnorderedBulkOperation,
  UpdateFilter,
  UpdateResult,
  WithId,
  WriteConcern,
  WriteConcernSettings,
} from '@tessera/mongodb';

interface Film {
  title: string;
  year: number;
  tags: string[];
  readonly genres: readonly string[];
  crew: { name: string; ages: number[] }[];
  seen?: Date;
}
type Kept = WithId<Film>;

declare const client: MongoClient;
declare const db: Db;
declare const films: Collection<Film>;
declare const plain: Collection;
declare const open: Collection<Document & { year: number; tags: string[] }>;
declare const session: ClientSession;
declare const bucket: GridFSBucket;
declare const options: MongoClientOptions;
declare const either: boolean;

/** Takes a function that only the compiler checks. */
const never = (_: () => unknown): void => undefined;

describe('a client', () => {
  test('has typed options and members', () => {
    never(() => {
      expectTypeOf(options.writeConcern).toEqualTypeOf<WriteConcern | WriteConcernSettings | undefined>();
      expectTypeOf(options.readPreference).toEqualTypeOf<ReadPreference | ReadPreferenceMode | undefined>();
      expectTypeOf(options.compressors).toEqualTypeOf<CompressorName[] | string | undefined>();
      expectTypeOf(options.family).toEqualTypeOf<number | undefined>();
      options.retryReads = false;
      expectTypeOf(client.readPreference.mode).toEqualTypeOf<ReadPreferenceMode>();
      expectTypeOf(client.db('shop', { readPreference: 'secondary' })).toEqualTypeOf<Db>();
      expectTypeOf(client.startSession({ snapshot: true })).toEqualTypeOf<ClientSession>();
      expectTypeOf(client.watch()).toEqualTypeOf<ChangeStream<Document, ChangeStreamDocument>>();
    });
  });

  test('returns the result of the callback of withSession and withTransaction', () => {
    never(() => {
      expectTypeOf(client.withSession(() => Promise.resolve(2))).resolves.toEqualTypeOf<number>();
      expectTypeOf(client.withSession({ snapshot: true }, () => Promise.resolve('a'))).resolves.toEqualTypeOf<string>();
      expectTypeOf(session.withTransaction(() => Promise.resolve([1]))).resolves.toEqualTypeOf<number[]>();
      // @ts-expect-error -- the callback must return a promise
      void client.withSession(() => null);
      expectTypeOf(session.id).toExtend<ServerSessionId | undefined>();
      expectTypeOf(session.clusterTime).toEqualTypeOf<ClusterTime | undefined>();
      expectTypeOf<NonNullable<ClusterTime['signature']>>().toEqualTypeOf<{ hash: Binary; keyId: Long }>();
      expectTypeOf(session.operationTime).toEqualTypeOf<Timestamp | undefined>();
    });
  });

  test('checks bulk writes by the schemas of their namespaces', () => {
    never(() => {
      const written = client.bulkWrite<{ 'shop.films': Film }>([
        { namespace: 'shop.films', name: 'deleteMany', filter: { year: { $lt: 1950 } } },
      ]);
      expectTypeOf(written).resolves.toEqualTypeOf<ClientBulkWriteResult>();
      // @ts-expect-error -- an unknown namespace
      void client.bulkWrite<{ 'shop.films': Film }>([{ namespace: 'shop.books', name: 'deleteMany', filter: {} }]);
      // @ts-expect-error -- updateMany has no sort
      void client.bulkWrite([{ namespace: 'a.b', name: 'updateMany', filter: {}, update: {}, sort: { a: 1 } }]);
    });
  });

  test('accepts listeners for its events, and any other name', () => {
    never(() => {
      client.on('commandStarted', event => {
        expectTypeOf(event.commandName).toEqualTypeOf<string>();
      });
      client.once('connectionPoolCreated', ({ options: pool }) => {
        expectTypeOf(pool.maxPoolSize).toEqualTypeOf<number>();
      });
      client.on('anything', (...given) => {
        // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver
        expectTypeOf(given).toEqualTypeOf<any[]>();
      });
    });
  });
});

describe('a database', () => {
  test('returns collections with a schema', () => {
    never(() => {
      expectTypeOf(db.collection<Film>('films')).toEqualTypeOf<Collection<Film>>();
      expectTypeOf(db.createCollection<Film>('films', { capped: true, size: 1 })).resolves.toEqualTypeOf<
        Collection<Film>
      >();
      expectTypeOf(db.collections()).resolves.toEqualTypeOf<Collection[]>();
      expectTypeOf(db.command({ ping: 1 })).resolves.toEqualTypeOf<Document>();
      expectTypeOf(db.aggregate<Film>([{ $documents: [] }])).toEqualTypeOf<AggregationCursor<Film>>();
      expectTypeOf(db.aggregate()).toEqualTypeOf<AggregationCursor<Document>>();
      expectTypeOf(db.runCursorCommand({ find: 'films' })).toEqualTypeOf<RunCommandCursor>();
      expectTypeOf(db.dropCollection('films')).resolves.toEqualTypeOf<boolean>();
    });
  });

  test('lists collections with only their names, in full, or either', () => {
    type Named = Pick<CollectionInfo, 'name' | 'type'>;
    never(() => {
      expectTypeOf(db.listCollections({}, { nameOnly: true })).toEqualTypeOf<ListCollectionsCursor<Named>>();
      expectTypeOf(db.listCollections({}, { nameOnly: false })).toEqualTypeOf<ListCollectionsCursor<CollectionInfo>>();
      expectTypeOf(db.listCollections()).toEqualTypeOf<ListCollectionsCursor<Named | CollectionInfo>>();
      expectTypeOf(db.listCollections<Named>({}, { nameOnly: either })).toEqualTypeOf<ListCollectionsCursor<Named>>();
      expectTypeOf<{ writeConcern: { w: 0 } }>().not.toExtend<ListCollectionsOptions>();
    });
  });

  test('describes indexes in full or by their keys', () => {
    type Both = IndexDescriptionInfo[] | IndexDescriptionCompact;
    never(() => {
      expectTypeOf(db.indexInformation('films')).resolves.toEqualTypeOf<IndexDescriptionCompact>();
      expectTypeOf(db.indexInformation('films', { full: true })).resolves.toEqualTypeOf<IndexDescriptionInfo[]>();
      expectTypeOf(db.indexInformation('films', { full: either })).resolves.toEqualTypeOf<Both>();
      expectTypeOf(films.indexes()).resolves.toEqualTypeOf<IndexDescriptionInfo[]>();
      expectTypeOf(films.indexes({ full: false })).resolves.toEqualTypeOf<IndexDescriptionCompact>();
      expectTypeOf(films.indexes({ full: either })).resolves.toEqualTypeOf<Both>();
      expectTypeOf(films.indexInformation({ full: either })).resolves.toEqualTypeOf<Both>();
    });
  });
});

describe('a collection', () => {
  test('returns mutable results with the type of the _id', () => {
    never(() => {
      expectTypeOf(films.insertOne({ title: '', year: 1, tags: [], genres: [], crew: [] })).resolves.toEqualTypeOf<
        InsertOneResult<Film>
      >();
      expectTypeOf<InsertOneResult<Film>>().toEqualTypeOf<{ acknowledged: boolean; insertedId: ObjectId }>();
      expectTypeOf<InsertManyResult<{ _id: number }>['insertedIds']>().toEqualTypeOf<Record<number, number>>();
      expectTypeOf(films.updateOne({}, { $inc: { year: 1 } })).resolves.toEqualTypeOf<UpdateResult<Film>>();
      expectTypeOf(films.deleteMany({ year: 1 })).resolves.toEqualTypeOf<DeleteResult>();
      expectTypeOf(films.bulkWrite([{ deleteOne: { filter: {} } }])).resolves.toEqualTypeOf<BulkWriteResult>();
      expectTypeOf(films.initializeOrderedBulkOp()).toEqualTypeOf<OrderedBulkOperation>();
      expectTypeOf(films.initializeUnorderedBulkOp()).toEqualTypeOf<UnorderedBulkOperation>();
      expectTypeOf(films.rename('movies')).resolves.toEqualTypeOf<Collection>();
    });
  });

  test('finds documents of the schema, or of a given type', () => {
    never(() => {
      expectTypeOf(films.find({ year: 1995 })).toEqualTypeOf<FindCursor<Kept>>();
      expectTypeOf(films.find<{ title: string }>({})).toEqualTypeOf<FindCursor<{ title: string }>>();
      expectTypeOf(films.findOne({ title: /heat/i })).resolves.toEqualTypeOf<Kept | null>();
      expectTypeOf(films.findOne<{ year: number }>()).resolves.toEqualTypeOf<{ year: number } | null>();
      expectTypeOf(films.findOneAndDelete({})).resolves.toEqualTypeOf<Kept | null>();
      expectTypeOf(
        films.findOneAndUpdate({}, [], { includeResultMetadata: false }),
      ).resolves.toEqualTypeOf<Kept | null>();
      expectTypeOf(films.findOneAndUpdate({}, {}, { includeResultMetadata: true })).resolves.toEqualTypeOf<
        ModifyResult<Film>
      >();
      expectTypeOf(films.countDocuments({}, { limit: 3 })).resolves.toEqualTypeOf<number>();
      expectTypeOf(plain.findOne()).resolves.toEqualTypeOf<WithId<Document> | null>();
    });
  });

  test('has options that a program can change', () => {
    never(() => {
      const found: FindOptions = {};
      found.sort = { year: -1 };
      found.projection = { title: 1 };
      expectTypeOf<{ writeConcern: { w: 0 } }>().not.toExtend<FindOptions>();
      const filter: Filter<Film> = {};
      filter.$and = [{ year: 1 }];
      filter.$and.push({ title: 'Heat' });
      return [found, filter];
    });
  });

  test('returns distinct values of a field, and of any type for a path', () => {
    never(() => {
      expectTypeOf(films.distinct('title')).resolves.toEqualTypeOf<string[]>();
      expectTypeOf(films.distinct('genres', {})).resolves.toEqualTypeOf<string[]>();
      expectTypeOf(films.distinct('_id')).resolves.toEqualTypeOf<ObjectId[]>();
      // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver
      expectTypeOf(films.distinct('crew.name', {}, { maxTimeMS: 5 })).resolves.toEqualTypeOf<any[]>();
    });
  });

  test('only sorts updates of one document', () => {
    never(() => {
      void films.updateOne({}, { $set: { year: 1 } }, { sort: { year: 1 } });
      void films.replaceOne({}, { title: '', year: 1, tags: [], genres: [], crew: [] }, { sort: ['year'] });
      // @ts-expect-error -- updateMany has no sort
      void films.updateMany({}, { $set: { year: 1 } }, { sort: { year: 1 } });
    });
  });
});

describe('filters and updates', () => {
  test('check the fields of a schema, and accept any path', () => {
    expectTypeOf<{ 'crew.0.name': string; tags: 'drama'; title: RegExp }>().toExtend<Filter<Film>>();
    expectTypeOf<{ year: { $in: readonly number[] } }>().toExtend<Filter<Film>>();
    expectTypeOf<{ year: string }>().not.toExtend<Filter<Film>>();
    expectTypeOf<{ title: { $size: 1 } }>().not.toExtend<Filter<Film>>();
    expectTypeOf<{ $set: { 'crew.$[one].name': string } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $inc: { title: 1 } }>().not.toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $push: { year: 1 } }>().not.toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $addToSet: { tags: 1 } }>().not.toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $pull: { crew: { name: string } } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $push: { genres: { $each: string[]; $sort: 1 } } }>().toExtend<UpdateFilter<Film>>();
  });

  test('accept arrays of a schema with further fields of any type', () => {
    never(() => {
      void open.updateOne({ other: 1 }, { $push: { tags: 'a' }, $addToSet: { other: 1 }, $pull: { more: 2 } });
      void plain.updateOne({ 'a.b': 1 }, { $push: { a: 1 }, $pullAll: { b: [2] }, $inc: { c: 1 } });
    });
  });
});

describe('cursors', () => {
  test('keep or change their type by project, map and the stages', () => {
    never(() => {
      expectTypeOf(films.find().project({ title: 1 })).toEqualTypeOf<FindCursor<Document>>();
      expectTypeOf(films.find().project<{ title: string }>({})).toEqualTypeOf<FindCursor<{ title: string }>>();
      expectTypeOf(films.find().map(({ year }) => year)).toEqualTypeOf<FindCursor<number>>();
      expectTypeOf(
        films
          .find()
          .sort({ a: { $meta: 'textScore' } })
          .hint('a')
          .limit(1),
      ).toEqualTypeOf<FindCursor<Kept>>();
      expectTypeOf(films.aggregate()).toEqualTypeOf<AggregationCursor<Document>>();
      expectTypeOf(films.aggregate<Film>().match({}).out('x')).toEqualTypeOf<AggregationCursor<Film>>();
      expectTypeOf(films.aggregate().addStage<Film>({ $match: {} })).toEqualTypeOf<AggregationCursor<Film>>();
      expectTypeOf(films.aggregate<Film>().group({ _id: 1 })).toEqualTypeOf<AggregationCursor<Film>>();
      expectTypeOf(films.aggregate<Film>().project({ a: 1 })).toEqualTypeOf<AggregationCursor<Document>>();
    });
  });

  test('return documents one by one, in batches, and as streams of Node.js', () => {
    never(() => {
      const cursor = films.find();
      expectTypeOf(cursor.next()).resolves.toEqualTypeOf<Kept | null>();
      expectTypeOf(cursor.tryNext()).resolves.toEqualTypeOf<Kept | null>();
      expectTypeOf(cursor.toArray()).resolves.toEqualTypeOf<Kept[]>();
      expectTypeOf(cursor.readBufferedDocuments()).toEqualTypeOf<Kept[]>();
      expectTypeOf(cursor.stream()).toEqualTypeOf<Readable & AsyncIterable<Kept>>();
      expectTypeOf(cursor[Symbol.asyncIterator]()).toEqualTypeOf<AsyncGenerator<Kept, void, void>>();
      expectTypeOf(cursor.explain('executionStats')).resolves.toEqualTypeOf<Document>();
      // @ts-expect-error -- the type of the documents is that of the cursor
      void cursor.toArray<Film>();
    });
  });
});

describe('options and members that libraries use', () => {
  test('options of commands accept "explain", and options of writes can be changed', () => {
    expectTypeOf<BulkWriteOptions['explain']>().toEqualTypeOf<FindOptions['explain']>();
    expectTypeOf<InsertOneOptions['explain']>().toEqualTypeOf<FindOptions['explain']>();
    expectTypeOf<CountDocumentsOptions['batchSize']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<{ writeConcern: { w: 1 } }>().toExtend<AggregateOptions>();
    expectTypeOf<{ session: ClientSession; maxTimeMS: 5; readConcern: 'snapshot' }>().toExtend<TransactionOptions>();
    expectTypeOf<ExplainOptions>().toEqualTypeOf<{ explain?: FindOptions['explain'] }>();
    never(() => {
      const options: BulkWriteOptions = {};
      options.ordered = false;
      options.comment = 'nightly';
    });
  });

  test('an upload stream has its bucket and collections, and an ObjectId', () => {
    never(() => {
      const stream = bucket.openUploadStream('a');
      expectTypeOf(stream.id).toEqualTypeOf<ObjectId>();
      expectTypeOf(stream.files).toEqualTypeOf<Collection<GridFSFile>>();
      expectTypeOf(stream.chunks).toEqualTypeOf<Collection<GridFSChunk>>();
      expectTypeOf(stream.state.aborted).toEqualTypeOf<boolean>();
      expectTypeOf<GridFSFile['_id']>().toEqualTypeOf<ObjectId>();
    });
  });

  test('a change stream and the cursor of a command describe themselves', () => {
    never(() => {
      expectTypeOf(films.watch().type).toEqualTypeOf<symbol>();
      expectTypeOf<RunCommandCursor['getMoreOptions']['batchSize']>().toEqualTypeOf<number | undefined>();
    });
  });
});

describe('change streams and GridFS', () => {
  test('pass changes with the type of the stream', () => {
    never(() => {
      const stream = films.watch();
      expectTypeOf(stream).toEqualTypeOf<ChangeStream<Film, ChangeStreamDocument<Film>>>();
      expectTypeOf(stream.next()).resolves.toEqualTypeOf<ChangeStreamDocument<Film>>();
      expectTypeOf(stream.stream()).toEqualTypeOf<Readable & AsyncIterable<ChangeStreamDocument<Film>>>();
      expectTypeOf<ChangeStreamDocument<Film>['lsid']>().toEqualTypeOf<ServerSessionId | undefined>();
      films.watch<Film, ChangeStreamInsertDocument<Film> & { note: string }>().on('change', change => {
        expectTypeOf(change.note).toEqualTypeOf<string>();
        expectTypeOf(change.fullDocument).toEqualTypeOf<Film>();
      });
      // @ts-expect-error -- changes are documents
      films.watch<Film, number>();
    });
  });

  test('return streams of Node.js and documents of files', () => {
    never(() => {
      expectTypeOf(bucket.openUploadStream('a')).toEqualTypeOf<GridFSBucketWriteStream>();
      expectTypeOf(
        bucket.openDownloadStreamByName('a', { revision: 0, sort: { _id: 1 }, skip: 1 }),
      ).toEqualTypeOf<GridFSBucketReadStream>();
      expectTypeOf(bucket.find()).toEqualTypeOf<FindCursor<GridFSFile>>();
    });
  });
});
