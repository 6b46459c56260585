import { ObjectId } from 'bson';
import { expectTypeOf } from 'expect-type';
import { describe, expect, test } from 'vitest';
import type { FieldPath, ModifyResult, StrictCollection, WithId } from '@tessera/client';
import { withServer } from './with-server.js';

interface Award {
  name: string;
  year: number;
}
interface Film {
  title: string;
  year: number;
  tags: string[];
  seen?: Date;
  crew?: { name: string; awards: Award[] };
  cast: { name: string; role: string }[];
  views: Record<string, number>;
  notes: unknown;
  owner: ObjectId;
}
interface Category {
  name: string;
  parts: Category[];
}
type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };

declare const films: StrictCollection<Film>;
declare const categories: StrictCollection<Category>;
declare const shapes: StrictCollection<Shape>;
declare const film: Film;

/** Takes a function that only the compiler checks. */
const never = (_: () => unknown): void => undefined;

describe('StrictCollection accepts', () => {
  test('fields, dotted paths, operators and values of the schema in a filter', () => {
    never(() => [
      films.find({
        title: /x/,
        year: { $gt: 3, $mod: [2, 0] },
        'crew.name': null,
        'crew.awards.name': { $regex: 'x' },
      }),
      films.find({ tags: 'a', 'tags.0': 'a', 'cast.0.role': { $in: ['x', null, /y/] }, 'cast.role': { $ne: 'x' } }),
      films.find({ cast: { $elemMatch: { name: 'x', role: { $not: /y/ } }, $size: 3 }, tags: { $all: ['a', /b/] } }),
      films.find({ $or: [{ _id: new ObjectId() }, { owner: { $in: [new ObjectId()] } }], $expr: { $gt: ['$a', 1] } }),
      films.find({ seen: { $lt: new Date(), $exists: true }, crew: { name: 'x', awards: [] } }),
      films.find({ 'views.today': { $gt: 3 }, 'notes.of.any': 'type' }),
      categories.find({ 'parts.parts.parts.name': 'x', 'parts.0.parts.1.name': 'y' }),
      shapes.find({ kind: 'circle', radius: { $gt: 3 } }),
    ]);
  });

  test('every operator of an update, with positions in arrays', () => {
    never(() => [
      films.updateOne({}, { $set: { title: 'x', 'crew.name': 'y', 'tags.0': 'a', 'views.today': 1 } }),
      films.updateOne({}, { $set: { 'cast.$.role': 'x', 'cast.$[].role': 'x', 'crew.awards.$[a].year': 3 } }),
      films.updateOne({}, { $push: { tags: 'a', cast: { $each: [{ name: 'a', role: 'b' }], $sort: { name: 1 } } } }),
      films.updateOne({}, { $pull: { tags: { $in: ['a'] }, cast: { name: 'x' } }, $pullAll: { tags: ['a'] } }),
      films.updateMany({}, { $inc: { year: 1 }, $addToSet: { tags: { $each: ['a'] } }, $pop: { tags: 1 } }),
      films.updateMany({}, { $currentDate: { seen: true }, $unset: { crew: '' }, $rename: { title: 'name' } }),
      films.updateOne({}, { $setOnInsert: { _id: new ObjectId() } }, { upsert: true }),
      films.updateOne({}, [{ $set: { title: '$name' } }]),
      films.updateOne({}, { $set: { 'cast.$[a].role': 'x' } }, { arrayFilters: [{ 'a.role': { $gt: 'x' } }] }),
    ]);
  });

  test('sorts, projections, indexes and members of bulk writes', () => {
    never(() => [
      films.find({}, { sort: { year: -1, 'crew.name': 'asc' }, projection: { title: 1, cast: { $slice: 3 } } }),
      films.find().sort('year').limit(3).skip(1).project({ _id: 0, 'crew.name': 1 }).toArray(),
      films.createIndex({ year: -1, 'cast.name': 1, '$**': 'text' }, { partialFilterExpression: { year: { $gt: 3 } } }),
      films.createIndexes([{ key: { title: 'text' }, name: 'words' }]),
      films.bulkWrite([
        { insertOne: { document: film } },
        { updateOne: { filter: { year: 1 }, update: { $set: { year: 2 } }, upsert: true } },
        { replaceOne: { filter: { year: 1 }, replacement: film } },
        { deleteMany: { filter: {} } },
      ]),
    ]);
  });
});

describe('StrictCollection returns', () => {
  test('the documents of the schema', () => {
    never(() => {
      expectTypeOf(films.find().sort({ year: 1 }).limit(3).toArray()).resolves.toEqualTypeOf<WithId<Film>[]>();
      expectTypeOf(films.findOne({ year: 1 })).resolves.toEqualTypeOf<WithId<Film> | null>();
      expectTypeOf(films.findOneAndDelete({ year: 1 })).resolves.toEqualTypeOf<WithId<Film> | null>();
      expectTypeOf(films.findOneAndDelete({}, { includeResultMetadata: true })).resolves.toEqualTypeOf<
        ModifyResult<Film>
      >();
    });
  });

  test('the values of a path from distinct', () => {
    never(() => {
      expectTypeOf(films.distinct('crew.awards.year')).resolves.toEqualTypeOf<number[]>();
      expectTypeOf(films.distinct('tags')).resolves.toEqualTypeOf<string[]>();
    });
  });
});

test('FieldPath lists the fields and dotted paths of a schema', () => {
  expectTypeOf<FieldPath<{ a: { b: string; c?: number[] }; d: Date }>>().toEqualTypeOf<
    'a' | 'a.b' | 'a.c' | `a.c.${number}` | 'd'
  >();
});

test('strict returns the collection itself', async () => {
  await withServer(async ({ client }) => {
    const loose = client.db('shop').collection<Film>('films');
    expect(loose.strict()).toBe(loose);
    await Promise.resolve();
  });
});
