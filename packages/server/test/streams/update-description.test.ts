import { describe, expect, test } from 'vitest';
import type { Document } from 'bson';
import { kinds, set, watch } from './stream.js';

/** What a stream tells of one update. */
const told = async (
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

/** Fields that make it cheaper to tell what has changed than the whole document. */
const filler = { filler: 'x'.repeat(200) };

describe('SERVER.md 6.3.20: updateDescription is shaped by the operator', () => {
  test.each([
    ['$set tells the field', { a: 1 }, { $set: { a: 2, b: 3 } }, { updatedFields: { a: 2, b: 3 } }],
    [
      '$set of what is not there tells the whole that it makes',
      {},
      { $set: { 'a.b.c': 1 } },
      { updatedFields: { a: { b: { c: 1 } } } },
    ],
    [
      '$set below what is there tells the path',
      { a: { b: 1 } },
      { $set: { 'a.c.d': 1 } },
      { updatedFields: { 'a.c': { d: 1 } } },
    ],
    ['$unset tells the name', { a: 1, b: { c: 1 } }, { $unset: { a: 1, 'b.c': 1 } }, { removedFields: ['a', 'b.c'] }],
    ['$unset of an element leaves null', { a: [1, 2] }, { $unset: { 'a.1': 1 } }, { updatedFields: { 'a.1': null } }],
    ['$inc tells the sum', { a: 1 }, { $inc: { a: 4 } }, { updatedFields: { a: 5 } }],
    ['$rename tells both', { a: 1 }, { $rename: { a: 'b' } }, { updatedFields: { b: 1 }, removedFields: ['a'] }],
    ['$push tells the element', { arr: [0, 1, 2, 3, 4] }, { $push: { arr: 5 } }, { updatedFields: { 'arr.5': 5 } }],
    [
      '$push of several tells each',
      { a: [0] },
      { $push: { a: { $each: [1, 2] } } },
      { updatedFields: { 'a.1': 1, 'a.2': 2 } },
    ],
    [
      '$push at a position tells the whole array',
      { a: [1] },
      { $push: { a: { $each: [0], $position: 0 } } },
      { updatedFields: { a: [0, 1] } },
    ],
    [
      '$push with $slice tells the whole array',
      { a: [1, 2] },
      { $push: { a: { $each: [3], $slice: -2 } } },
      { updatedFields: { a: [2, 3] } },
    ],
    ['$push where nothing is tells the array', {}, { $push: { a: 1 } }, { updatedFields: { a: [1] } }],
    ['$addToSet tells the element', { a: [1] }, { $addToSet: { a: 2 } }, { updatedFields: { 'a.1': 2 } }],
    ['$pop tells the whole array', { a: [1, 2] }, { $pop: { a: 1 } }, { updatedFields: { a: [1] } }],
    ['$pull tells the whole array', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { updatedFields: { a: [2] } }],
    ['a position tells the element', { a: [{ b: 1 }] }, { $set: { 'a.0.b': 2 } }, { updatedFields: { 'a.0.b': 2 } }],
    ['$[] tells each element', { a: [1, 2] }, { $inc: { 'a.$[]': 1 } }, { updatedFields: { 'a.0': 2, 'a.1': 3 } }],
  ])('%s', async (_, before, update, description) => {
    expect(await told(before, update)).toMatchObject({
      operationType: 'update',
      updateDescription: { ...nothing, ...description },
    });
  });

  test('what was there comes before what is new, and both before what is below', async () => {
    const { updateDescription } = await told({ a: {}, c: 1 }, { $set: { 'a.b': 1, b: 2, c: 3 } });
    expect(Object.keys((updateDescription as Document)['updatedFields'])).toEqual(['c', 'b', 'a.b']);
  });

  test('a replacement has none', async () => {
    const event = await told({ a: 1 }, { b: 1 });
    expect(event).toMatchObject({ operationType: 'replace', fullDocument: { _id: 1, b: 1 } });
    expect(event).not.toHaveProperty('updateDescription');
  });

  test('a server before 5.0 knows no truncatedArrays', async () => {
    const { updateDescription } = await told({ a: 1 }, { $set: { a: 2 } }, { version: '4.4.0' });
    expect(updateDescription).toEqual({ updatedFields: { a: 2 }, removedFields: [] });
  });
});

describe('a pipeline that updates', () => {
  test.each([
    [
      'tells what is different',
      { a: 1, b: 1, ...filler },
      [{ $set: { a: 2 } }, { $unset: 'b' }],
      { updatedFields: { a: 2 }, removedFields: ['b'] },
    ],
    [
      'tells below',
      { a: { b: 'x'.repeat(50), c: 1 }, ...filler },
      [{ $set: { 'a.c': 2 } }],
      { updatedFields: { 'a.c': 2 } },
    ],
    [
      'tells that an array was cut off, and that only it does',
      { a: ['x'.repeat(50), 2, 3], ...filler },
      [{ $set: { a: { $slice: ['$a', 2] } } }],
      { truncatedArrays: [{ field: 'a', newSize: 2 }] },
    ],
    ['tells a short array as a whole', { a: [1, 2], ...filler }, [{ $set: { a: [3] } }], { updatedFields: { a: [3] } }],
  ])('%s', async (_, before, update, description) => {
    expect(await told(before, update)).toMatchObject({
      operationType: 'update',
      updateDescription: { ...nothing, ...description },
    });
  });

  test('is a replacement where that is shorter, and before 5.0 always', async () => {
    expect(await told({ a: 1 }, [{ $replaceWith: { b: 1 } }])).toMatchObject({ operationType: 'replace' });
    const old = await told({ a: 1, ...filler }, [{ $set: { a: 2 } }], { version: '4.4.0' });
    expect(old).toMatchObject({ operationType: 'replace', fullDocument: { _id: 1, a: 2, ...filler } });
  });
});

describe('disambiguatedPaths', () => {
  const expanded = { options: { showExpandedEvents: true } };

  test('tells the parts of a path through a name that looks like a position', async () => {
    const { updateDescription } = await told({ a: [{ '1': 1 }] }, { $set: { 'a.0.1': 2 } }, expanded);
    expect(updateDescription).toEqual({
      ...nothing,
      updatedFields: { 'a.0.1': 2 },
      disambiguatedPaths: { 'a.0.1': ['a', 0, '1'] },
    });
  });

  test('tells nothing of positions alone, nor of a name at the beginning', async () => {
    const { updateDescription } = await told({ a: [1], '0': 1 }, { $set: { 'a.0': 2, '0': 2 } }, expanded);
    expect(updateDescription).toMatchObject({ disambiguatedPaths: {} });
  });

  test('is not there without showExpandedEvents, nor before 6.1', async () => {
    const before = { a: { '1': 1 } };
    const update = { $set: { 'a.1': 2 } };
    expect((await told(before, update))['updateDescription']).not.toHaveProperty('disambiguatedPaths');
    const old = await told(before, update, { ...expanded, version: '6.0.0' });
    expect(old['updateDescription']).not.toHaveProperty('disambiguatedPaths');
  });
});
