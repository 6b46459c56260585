/** Types that applications use: they equal those of the official driver. Only the compiler checks these tests. */
import { expectTypeOf } from 'expect-type';
import type * as official from 'mongodb';
import type * as ours from '@tessera/mongodb';
import { describe, test } from 'vitest';

interface Film {
  title: string;
  year: number;
  tags: string[];
  crew: { name: string; ages: number[] };
  scenes: { at: number; place: { name: string } }[];
  seen: Date;
  notes: Map<string, number>;
  sequel: Film;
}

describe('dotted paths', () => {
  test('list the paths of a document', () => {
    type Ours = ours.Join<ours.NestedPaths<Film, []>, '.'>;
    type Theirs = official.Join<official.NestedPaths<Film, []>, '.'>;
    expectTypeOf<Ours>().toEqualTypeOf<Theirs>();
    expectTypeOf<'crew.ages.3'>().toExtend<Ours>();
    expectTypeOf<'crew.none'>().not.toExtend<Ours>();
  });

  test('have the types of the values', () => {
    expectTypeOf<ours.PropertyType<Film, 'crew.name'>>().toEqualTypeOf<official.PropertyType<Film, 'crew.name'>>();
    expectTypeOf<ours.PropertyType<Film, 'scenes.0.place.name'>>().toEqualTypeOf<
      official.PropertyType<Film, 'scenes.0.place.name'>
    >();
    expectTypeOf<ours.PropertyType<Film, 'notes.a'>>().toEqualTypeOf<official.PropertyType<Film, 'notes.a'>>();
    expectTypeOf<ours.PropertyType<Film, 'none.at.all'>>().toEqualTypeOf<official.PropertyType<Film, 'none.at.all'>>();
    expectTypeOf<ours.PropertyType<{ crew?: { name: string } }, 'crew.name'>>().toEqualTypeOf<string>();
    expectTypeOf<ours.NestedPathsOfType<Film, number>>().toEqualTypeOf<official.NestedPathsOfType<Film, number>>();
  });

  test('filters and updates that the compiler checks', () => {
    expectTypeOf<{ 'crew.name': string; year: { $gt: number } }>().toExtend<ours.StrictFilter<Film>>();
    expectTypeOf<{ 'crew.name': 3 }>().not.toExtend<ours.StrictFilter<Film>>();
    expectTypeOf<{ $set: { 'crew.name': string; 'scenes.0.at': number } }>().toExtend<ours.StrictUpdateFilter<Film>>();
    expectTypeOf<{ $set: { 'crew.name': 3 } }>().not.toExtend<ours.StrictUpdateFilter<Film>>();
    expectTypeOf<{ $set: { 'tags.$': 3 } }>().not.toExtend<ours.StrictUpdateFilter<Film>>();
  });
});

test('fields by their types', () => {
  expectTypeOf<ours.AcceptedFields<Film, number, 'yes'>>().toEqualTypeOf<
    official.AcceptedFields<Film, number, 'yes'>
  >();
  expectTypeOf<keyof ours.NotAcceptedFields<Film, number>>().toEqualTypeOf<
    keyof official.NotAcceptedFields<Film, number>
  >();
  expectTypeOf<ours.EnhancedOmit<{ a: 1; b: 2 } | { b: 3 }, 'b'>>().toEqualTypeOf<
    official.EnhancedOmit<{ a: 1; b: 2 } | { b: 3 }, 'b'>
  >();
});
