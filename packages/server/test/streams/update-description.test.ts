import { describe, expect, test } from 'vitest';
import type { Document } from 'bson';
import { kinds, set, watch } from './stream.js';

/** Returns the change event of one update. */
const eventOf = async (
  before: Document,
  update: Document | readonly Document[],
  { version = '8.2.1', options = {}, more = {} }: { version?: string; options?: Document; more?: Document } = {},
): Promise<Document> => {
  const world = set({ version });
  await world.client.plain({ insert: 'c', documents: [{ _id: 1, ...before }] });
  const stream = await watch(world, options);
  await world.client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: update, ...more }] });
  const events = await stream.more();
  expect(kinds(events)).toHaveLength(1);
  return events[0]!;
};

const nothing = { updatedFields: {}, removedFields: [], truncatedArrays: [] };

/** A large field, so that a delta is smaller than the whole document. */
const filler = { filler: 'x'.repeat(200) };

describe('updateDescription', () => {
  test.each([
    ['$set reports the field', { a: 1 }, { $set: { a: 2, b: 3 } }, { updatedFields: { a: 2, b: 3 } }],
    [
      '$set of a missing path reports the created subdocument',
      {},
      { $set: { 'a.b.c': 1 } },
      { updatedFields: { a: { b: { c: 1 } } } },
    ],
    [
      '$set below an existing field reports the path',
      { a: { b: 1 } },
      { $set: { 'a.c.d': 1 } },
      { updatedFields: { 'a.c': { d: 1 } } },
    ],
    ['$unset reports the name', { a: 1, b: { c: 1 } }, { $unset: { a: 1, 'b.c': 1 } }, { removedFields: ['a', 'b.c'] }],
    [
      '$unset of an array element reports null',
      { a: [1, 2] },
      { $unset: { 'a.1': 1 } },
      { updatedFields: { 'a.1': null } },
    ],
    ['$inc reports the sum', { a: 1 }, { $inc: { a: 4 } }, { updatedFields: { a: 5 } }],
    [
      '$rename reports both names',
      { a: 1 },
      { $rename: { a: 'b' } },
      { updatedFields: { b: 1 }, removedFields: ['a'] },
    ],
    ['$push reports the element', { arr: [0, 1, 2, 3, 4] }, { $push: { arr: 5 } }, { updatedFields: { 'arr.5': 5 } }],
    [
      '$push with $each reports each element',
      { a: [0] },
      { $push: { a: { $each: [1, 2] } } },
      { updatedFields: { 'a.1': 1, 'a.2': 2 } },
    ],
    [
      '$push with $position reports the whole array',
      { a: [1] },
      { $push: { a: { $each: [0], $position: 0 } } },
      { updatedFields: { a: [0, 1] } },
    ],
    [
      '$push with $slice reports the whole array',
      { a: [1, 2] },
      { $push: { a: { $each: [3], $slice: -2 } } },
      { updatedFields: { a: [2, 3] } },
    ],
    ['$push to a missing field reports the array', {}, { $push: { a: 1 } }, { updatedFields: { a: [1] } }],
    ['$addToSet reports the element', { a: [1] }, { $addToSet: { a: 2 } }, { updatedFields: { 'a.1': 2 } }],
    ['$pop reports the whole array', { a: [1, 2] }, { $pop: { a: 1 } }, { updatedFields: { a: [1] } }],
    ['$pull reports the whole array', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { updatedFields: { a: [2] } }],
    [
      'an array index reports the element',
      { a: [{ b: 1 }] },
      { $set: { 'a.0.b': 2 } },
      { updatedFields: { 'a.0.b': 2 } },
    ],
    ['$[] reports each element', { a: [1, 2] }, { $inc: { 'a.$[]': 1 } }, { updatedFields: { 'a.0': 2, 'a.1': 3 } }],
  ])('%s', async (_, before, update, description) => {
    expect(await eventOf(before, update)).toMatchObject({
      operationType: 'update',
      updateDescription: { ...nothing, ...description },
    });
  });

  test('lists existing fields before new fields, and nested fields last', async () => {
    const { updateDescription } = await eventOf({ a: {}, c: 1 }, { $set: { 'a.b': 1, b: 2, c: 3 } });
    expect(Object.keys((updateDescription as Document)['updatedFields'])).toEqual(['c', 'b', 'a.b']);
  });

  test('is absent for replacements', async () => {
    const event = await eventOf({ a: 1 }, { b: 1 });
    expect(event).toMatchObject({ operationType: 'replace', fullDocument: { _id: 1, b: 1 } });
    expect(event).not.toHaveProperty('updateDescription');
  });

  test('has no truncatedArrays before version 5.0', async () => {
    const { updateDescription } = await eventOf({ a: 1 }, { $set: { a: 2 } }, { version: '4.4.0' });
    expect(updateDescription).toEqual({ updatedFields: { a: 2 }, removedFields: [] });
  });
});

describe('an update by pipeline', () => {
  test.each([
    [
      'reports the difference',
      { a: 1, b: 1, ...filler },
      [{ $set: { a: 2 } }, { $unset: 'b' }],
      { updatedFields: { a: 2 }, removedFields: ['b'] },
    ],
    [
      'reports nested differences',
      { a: { b: 'x'.repeat(50), c: 1 }, ...filler },
      [{ $set: { 'a.c': 2 } }],
      { updatedFields: { 'a.c': 2 } },
    ],
    [
      'reports a truncated array in truncatedArrays only',
      { a: ['x'.repeat(50), 2, 3], ...filler },
      [{ $set: { a: { $slice: ['$a', 2] } } }],
      { truncatedArrays: [{ field: 'a', newSize: 2 }] },
    ],
    [
      'reports a short array as a whole',
      { a: [1, 2], ...filler },
      [{ $set: { a: [3] } }],
      { updatedFields: { a: [3] } },
    ],
  ])('%s', async (_, before, update, description) => {
    expect(await eventOf(before, update)).toMatchObject({
      operationType: 'update',
      updateDescription: { ...nothing, ...description },
    });
  });

  test('is a replacement if that is shorter, and always before version 5.0', async () => {
    expect(await eventOf({ a: 1 }, [{ $replaceWith: { b: 1 } }])).toMatchObject({ operationType: 'replace' });
    const old = await eventOf({ a: 1, ...filler }, [{ $set: { a: 2 } }], { version: '4.4.0' });
    expect(old).toMatchObject({ operationType: 'replace', fullDocument: { _id: 1, a: 2, ...filler } });
  });
});

describe('disambiguatedPaths', () => {
  const expanded = { options: { showExpandedEvents: true } };

  test('splits a path that contains a numeric field name', async () => {
    const { updateDescription } = await eventOf({ a: [{ '1': 1 }] }, { $set: { 'a.0.1': 2 } }, expanded);
    expect(updateDescription).toEqual({
      ...nothing,
      updatedFields: { 'a.0.1': 2 },
      disambiguatedPaths: { 'a.0.1': ['a', 0, '1'] },
    });
  });

  test('omits paths with array indexes only, and top-level names', async () => {
    const { updateDescription } = await eventOf({ a: [1], '0': 1 }, { $set: { 'a.0': 2, '0': 2 } }, expanded);
    expect(updateDescription).toMatchObject({ disambiguatedPaths: {} });
  });

  test('is absent without showExpandedEvents, and before version 6.1', async () => {
    const before = { a: { '1': 1 } };
    const update = { $set: { 'a.1': 2 } };
    expect((await eventOf(before, update))['updateDescription']).not.toHaveProperty('disambiguatedPaths');
    const old = await eventOf(before, update, { ...expanded, version: '6.0.0' });
    expect(old['updateDescription']).not.toHaveProperty('disambiguatedPaths');
  });
});
