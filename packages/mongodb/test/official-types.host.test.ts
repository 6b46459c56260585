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

describe('values that applications read from results, errors and events', () => {
  test('ids without a schema have any type', () => {
    expectTypeOf<ours.BulkWriteResult['insertedIds'][0]>().toBeAny();
    expectTypeOf<ours.BulkWriteResult['upsertedIds'][0]>().toBeAny();
    expectTypeOf<ours.MongoBulkWriteError['insertedIds'][0]>().toBeAny();
    expectTypeOf<ours.MongoBulkWriteError['upsertedIds'][0]>().toBeAny();
    expectTypeOf<ours.ClientInsertOneResult['insertedId']>().toBeAny();
    expectTypeOf<ours.ClientUpdateResult['upsertedId']>().toBeAny();
  });

  test('documents of runCursorCommand have any type', () => {
    type Read<Cursor extends { next(): unknown }> = Awaited<ReturnType<Cursor['next']>>;
    expectTypeOf<Read<ours.RunCommandCursor>>().toEqualTypeOf<Read<official.RunCommandCursor>>();
  });

  test('the tag sets of a read preference are an array that can be passed on', () => {
    expectTypeOf<ours.ReadPreference['tags']>().toExtend<official.ReadPreference['tags']>();
    expectTypeOf<ours.ReadPreference['tags']>().toExtend<ours.TagSet[] | undefined>();
  });

  test('causes of errors have a message', () => {
    expectTypeOf<ours.MongoError['cause']>().toEqualTypeOf<official.MongoError['cause']>();
  });

  test('the version of the Stable API in the options of a client', () => {
    expectTypeOf<ours.MongoClient['options']['serverApi']>().toEqualTypeOf<ours.ServerApi | undefined>();
  });

  test('endSession accepts the options of the official driver', () => {
    expectTypeOf<official.EndSessionOptions>().toExtend<Parameters<ours.ClientSession['endSession']>[0]>();
    expectTypeOf<{ force: boolean; forceClear: boolean }>().toExtend<Parameters<ours.ClientSession['endSession']>[0]>();
  });
});
