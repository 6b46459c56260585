import { expectTypeOf } from 'expect-type';
import { describe, test } from 'vitest';
import type { ObjectId } from 'bson';
import type {
  AggregateOptions,
  BulkWriteResult,
  ChangeStreamOptions,
  ClientBulkWriteModel,
  ClientBulkWriteResult,
  ClientSession,
  ClientUpdateResult,
  Collection,
  Db,
  DeleteResult,
  Filter,
  FindCursor,
  FindOptions,
  IndexDescriptionCompact,
  IndexInfo,
  InsertManyResult,
  InsertOneResult,
  ModifyResult,
  MongoClient,
  MongoError,
  OptionalUnlessRequiredId,
  ServerDescription,
  TopologyDescription,
  UpdateFilter,
  UpdateResult,
  WithId,
} from '@tessera/client';
import { MongoServerError } from '@tessera/client';
import type { Document } from '@tessera/contracts';

interface Film {
  title: string;
  year: number;
  tags: string[];
  crew?: { name: string; age: number };
  seen: Date;
}
interface Numbered {
  _id: number;
  name: string;
}

declare const films: Collection<Film>;
declare const numbered: Collection<Numbered>;
declare const plain: Collection;
declare const client: MongoClient;

/** Takes a function that only the compiler checks. */
const never = (_: () => unknown): void => undefined;

describe("types of the client's API", () => {
  test("found documents have an _id of the schema's type, or an ObjectId", () => {
    expectTypeOf<WithId<Film>['_id']>().toEqualTypeOf<ObjectId>();
    expectTypeOf<WithId<Numbered>['_id']>().toEqualTypeOf<number>();
    expectTypeOf<WithId<Film>['title']>().toEqualTypeOf<string>();
    never(() => {
      expectTypeOf(films.findOne({})).resolves.toEqualTypeOf<WithId<Film> | null>();
      expectTypeOf(films.find()).toEqualTypeOf<FindCursor<WithId<Film>>>();
      expectTypeOf(plain.findOne()).resolves.toEqualTypeOf<WithId<Document> | null>();
    });
  });

  test('cursors of find and aggregate take the option prefetch, and change streams do not', () => {
    expectTypeOf<FindOptions['prefetch']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<AggregateOptions['prefetch']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<ChangeStreamOptions>().not.toHaveProperty('prefetch');
    never(() => {
      expectTypeOf(films.find({}, { prefetch: true })).toEqualTypeOf<FindCursor<WithId<Film>>>();
      // @ts-expect-error -- a number
      films.find({}, { prefetch: 1 });
    });
  });

  test('an inserted document may omit its _id, unless the schema requires it', () => {
    expectTypeOf<{ title: string; year: number; tags: string[]; seen: Date }>().toExtend<
      OptionalUnlessRequiredId<Film>
    >();
    expectTypeOf<{ name: string }>().not.toExtend<OptionalUnlessRequiredId<Numbered>>();
    never(() => {
      expectTypeOf(films.insertOne).returns.resolves.toEqualTypeOf<InsertOneResult<Film>>();
      expectTypeOf(numbered.insertMany).returns.resolves.toEqualTypeOf<InsertManyResult<Numbered>>();
      expectTypeOf<InsertOneResult<Film>['insertedId']>().toEqualTypeOf<ObjectId>();
      expectTypeOf<InsertManyResult<Numbered>['insertedIds']>().toEqualTypeOf<Record<number, number>>();
    });
  });

  test('a filter accepts values, patterns for strings, items for arrays, and operators', () => {
    expectTypeOf<{ title: string }>().toExtend<Filter<Film>>();
    expectTypeOf<{ title: RegExp }>().toExtend<Filter<Film>>();
    expectTypeOf<{ tags: string }>().toExtend<Filter<Film>>();
    expectTypeOf<{ year: { $gte: number; $lt: number } }>().toExtend<Filter<Film>>();
    expectTypeOf<{ $or: { year: number }[] }>().toExtend<Filter<Film>>();
    expectTypeOf<{ 'crew.name': string }>().toExtend<Filter<Film>>();
    expectTypeOf<{ _id: { $in: ObjectId[] } }>().toExtend<Filter<Film>>();
    expectTypeOf<{ year: string }>().not.toExtend<Filter<Film>>();
    expectTypeOf<{ year: { $gt: string } }>().not.toExtend<Filter<Film>>();
    expectTypeOf<{ title: { $size: number } }>().not.toExtend<Filter<Film>>();
  });

  test('an update accepts fields whose type supports the operator', () => {
    expectTypeOf<{ $set: { title: string } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $inc: { year: number } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $push: { tags: string } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $push: { tags: { $each: string[] } } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $unset: { crew: '' } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $currentDate: { seen: true } }>().toExtend<UpdateFilter<Film>>();
    expectTypeOf<{ $inc: { title: number } }>().not.toExtend<UpdateFilter<Film>>();
  });

  test("results have the official driver's shapes", () => {
    never(() => {
      expectTypeOf(films.updateOne).returns.resolves.toEqualTypeOf<UpdateResult<Film>>();
      expectTypeOf(films.deleteMany).returns.resolves.toEqualTypeOf<DeleteResult>();
      expectTypeOf(films.findOneAndDelete({}, { includeResultMetadata: true })).resolves.toEqualTypeOf<
        ModifyResult<Film>
      >();
      expectTypeOf(films.findOneAndDelete({})).resolves.toEqualTypeOf<WithId<Film> | null>();
      expectTypeOf(films.distinct('year')).resolves.toEqualTypeOf<number[]>();
      expectTypeOf(films.distinct('tags')).resolves.toEqualTypeOf<string[]>();
      expectTypeOf(
        films
          .find()
          .map(({ title }) => title)
          .toArray(),
      ).resolves.toEqualTypeOf<string[]>();
      expectTypeOf(films.countDocuments()).resolves.toBeNumber();
    });
  });

  test('MongoClient.bulkWrite uses the schema of each namespace', () => {
    expectTypeOf<{
      name: 'insertOne';
      namespace: 'shop.numbered';
      document: { _id: number; name: string };
    }>().toExtend<ClientBulkWriteModel<{ 'shop.numbered': Numbered & Document; 'shop.films': Film & Document }>>();
    expectTypeOf<{ name: 'insertOne'; namespace: 'shop.numbered'; document: { name: number } }>().not.toExtend<
      ClientBulkWriteModel<{ 'shop.numbered': Numbered & Document }>
    >();
    never(() => {
      expectTypeOf(client.bulkWrite).returns.resolves.toEqualTypeOf<ClientBulkWriteResult>();
      expectTypeOf<ClientBulkWriteResult['updateResults']>().toEqualTypeOf<
        ReadonlyMap<number, ClientUpdateResult> | undefined
      >();
    });
  });

  test('a database and a session return their client', () => {
    const begin = (db: Db) => db.client.startSession();
    const commands = (session: ClientSession) => session.client.db('shop').command({ ping: 1 });
    expectTypeOf<Db['client']>().toEqualTypeOf<MongoClient>();
    expectTypeOf<ReturnType<typeof begin>>().toEqualTypeOf<ClientSession>();
    expectTypeOf(commands).parameters.toEqualTypeOf<[ClientSession]>();
  });

  test('indexes are returned in the requested form', () => {
    never(() => {
      expectTypeOf(films.indexes()).resolves.toEqualTypeOf<IndexInfo[]>();
      expectTypeOf(films.indexes({ full: false })).resolves.toEqualTypeOf<IndexDescriptionCompact>();
      expectTypeOf(films.indexInformation()).resolves.toEqualTypeOf<IndexDescriptionCompact>();
      expectTypeOf(films.indexInformation({ full: true })).resolves.toEqualTypeOf<IndexInfo[]>();
    });
  });

  test('the code of an error may be compared with text and set, and a description has the public error', () => {
    never(() => {
      expectTypeOf<MongoError['code']>().toEqualTypeOf<number | string | undefined>();
      expectTypeOf<MongoServerError['code']>().toEqualTypeOf<number | string | undefined>();
      expectTypeOf<ServerDescription['error']>().toEqualTypeOf<MongoError | null>();
      expectTypeOf<TopologyDescription['error']>().toEqualTypeOf<MongoError | null>();
      new MongoServerError({ message: 'the write failed' }).code = 11000;
    });
  });

  test('explain returns a document, bulkWrite its result, and rename a collection of the given schema', () => {
    never(() => {
      expectTypeOf(films.find().explain()).resolves.toEqualTypeOf<Document>();
      expectTypeOf(films.distinct('year', {}, { explain: true })).resolves.toEqualTypeOf<Document>();
      expectTypeOf(films.bulkWrite).returns.resolves.toEqualTypeOf<BulkWriteResult>();
      expectTypeOf(films.initializeOrderedBulkOp().execute()).resolves.toEqualTypeOf<BulkWriteResult>();
      expectTypeOf(films.rename<Numbered>('numbered')).resolves.toEqualTypeOf<Collection<Numbered>>();
    });
  });
});
