import { expect, expectTypeOf, test } from 'vitest';
import { createFilter, project, update, validate } from '../src/index.js';
import type { Filter, UpdateFilter } from '../src/index.js';

interface Film {
  readonly title: string;
  readonly year: number;
  readonly tags: readonly string[];
}

const alien: Film = { title: 'Alien', year: 1979, tags: ['space', 'horror'] };

test('a filter of a schema has the types of its fields, and `matches` accepts documents of the schema', () => {
  const { matches } = createFilter<Film>({ year: { $gt: 1950 }, tags: 'space', $or: [{ title: /^A/ }] });
  expectTypeOf(matches).parameters.toEqualTypeOf<[Film]>();
  // @ts-expect-error a year is no text
  createFilter<Film>({ year: { $gt: '1950' } });
  // @ts-expect-error tags are texts
  createFilter<Film>({ tags: 7 });
});

test('a filter without a schema accepts any fields, and `matches` any document', () => {
  expectTypeOf(createFilter({ year: { $gt: 1950 }, 'a.b': 1 }).matches)
    .parameter(0)
    .toExtend<Record<string, unknown>>();
});

test("an update has the types of the document's fields", () => {
  expectTypeOf(update(alien, { $inc: { year: 1 }, $push: { tags: 'drama' } })).toEqualTypeOf<Film>();
  expectTypeOf(update(alien, [{ $set: { year: 1980 } }])).toEqualTypeOf<Film>();
  // @ts-expect-error a title is no number, so it cannot grow
  expect(() => update(alien, { $inc: { title: 1 } })).toThrow();
});

test('validators and the filters of updates and projections have the types of the document', () => {
  validate(alien, { $jsonSchema: { required: ['title'] } });
  project(alien, { 'tags.$': 1 }, { filter: { tags: 'space' } });
  // @ts-expect-error a year is no text
  project(alien, { title: 1 }, { filter: { year: '1979' } });
});

test('Filter and UpdateFilter are exported types', () => {
  expectTypeOf<Filter<Film>>().toHaveProperty('year');
  expectTypeOf<UpdateFilter<Film>>().toHaveProperty('$set');
});
