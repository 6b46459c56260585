import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { aggregate, CommandError, compare, createFilter, project, sort, update, validate } from '../src/index.js';

const people = [
  { name: 'Ada', age: 36, tags: ['math', 'code'] },
  { name: 'Grace', age: 85, tags: ['code', 'navy'] },
  { name: 'alan', age: 41, tags: [] },
];

const names = (documents: readonly object[]): unknown[] =>
  documents.map(document => (document as { name: string }).name);

const failure = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error instanceof CommandError ? [error.code, error.codeName, error.message] : error;
  }
};

describe('createFilter', () => {
  test('matches documents by operators, dotted paths and elements of arrays', () => {
    const found = (filter: object): unknown[] => names(people.filter(createFilter(filter).matches));
    expect([
      found({ age: { $gt: 40 } }),
      found({ tags: 'code' }),
      found({ 'tags.0': 'code' }),
      found({ $expr: { $gt: [{ $size: '$tags' }, 1] } }),
    ]).toEqual([['Grace', 'alan'], ['Ada', 'Grace'], ['Grace'], ['Ada', 'Grace']]);
  });

  test('matches values of npm bson by value', () => {
    const id = new ObjectId();
    expect(createFilter({ _id: id }).matches({ _id: new ObjectId(id.toHexString()) })).toBe(true);
  });

  test('compares strings by the collation', () => {
    const { matches } = createFilter({ name: 'ALAN' }, { collation: { locale: 'en', strength: 2 } });
    expect(names(people.filter(matches))).toEqual(['alan']);
  });

  test('reads the given variables and the given time', () => {
    const options = { variables: { least: 50 }, now: new Date(1_000) };
    expect(names(people.filter(createFilter({ $expr: { $gt: ['$age', '$$least'] } }, options).matches))).toEqual([
      'Grace',
    ]);
    expect(createFilter({ $expr: { $eq: ['$at', '$$NOW'] } }, options).matches({ at: new Date(1_000) })).toBe(true);
  });

  test('throws if it needs a time or random numbers that were not given', () => {
    expect(() => createFilter({ $expr: { $eq: ['$at', '$$NOW'] } }).matches({})).toThrow(
      new TypeError('The expression needs the current time. Pass the option "now".'),
    );
    expect(() => createFilter({ $expr: { $gt: [{ $rand: {} }, 0.5] } }).matches({})).toThrow(
      new TypeError('The expression needs random numbers. Pass the option "random".'),
    );
  });

  test('rejects an invalid filter with the code and message of mongod', () => {
    expect(failure(() => createFilter({ a: { $foo: 1 } }))).toEqual([2, 'BadValue', 'unknown operator: $foo']);
  });
});

describe('update', () => {
  test('applies operators to a copy', () => {
    const before = { _id: 1, n: 1, list: [1, 2] };
    expect(update(before, { $inc: { n: 2 }, $push: { list: 3 }, $set: { 'a.b': true } })).toEqual({
      _id: 1,
      n: 3,
      list: [1, 2, 3],
      a: { b: true },
    });
    expect(before).toEqual({ _id: 1, n: 1, list: [1, 2] });
  });

  test('returns the same object if nothing changes', () => {
    const document = { _id: 1, n: 1 };
    expect(update(document, { $set: { n: 1 } })).toBe(document);
  });

  test('applies a pipeline, a replacement, array filters and the positional operator', () => {
    expect([
      update({ a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }]),
      update({ _id: 1, a: 1 }, { c: 1 }),
      update(
        { list: [{ n: 1 }, { n: 5 }] },
        { $set: { 'list.$[big].big': true } },
        { arrayFilters: [{ 'big.n': { $gt: 2 } }] },
      ),
      update({ list: [1, 5] }, { $set: { 'list.$': 0 } }, { filter: { list: 5 } }),
    ]).toEqual([{ a: 1, b: 2 }, { _id: 1, c: 1 }, { list: [{ n: 1 }, { n: 5, big: true }] }, { list: [1, 0] }]);
  });

  test('applies $setOnInsert to an insert, and $currentDate with the time that it was given', () => {
    expect([
      update({ a: 1 }, { $setOnInsert: { b: 1 } }, { insert: true }),
      update({ a: 1 }, { $setOnInsert: { b: 1 } }),
      update({}, { $currentDate: { at: true } }, { now: new Date(5) }),
    ]).toEqual([{ a: 1, b: 1 }, { a: 1 }, { at: new Date(5) }]);
  });

  test('rejects updates that mongod rejects', () => {
    expect(failure(() => update({ _id: 1 }, { $set: { _id: 2 } }))).toEqual([
      66,
      'ImmutableField',
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    ]);
  });
});

describe('aggregate', () => {
  test('groups, sorts and looks up in other collections', () => {
    const pipeline = [
      { $unwind: '$tags' },
      { $group: { _id: '$tags', count: { $sum: 1 } } },
      { $lookup: { from: 'notes', localField: '_id', foreignField: '_id', as: 'notes' } },
      { $sort: { _id: 1 } },
    ];
    expect(aggregate(people, pipeline, { collections: { notes: [{ _id: 'navy', text: 'sea' }] } })).toEqual([
      { _id: 'code', count: 2, notes: [] },
      { _id: 'math', count: 1, notes: [] },
      { _id: 'navy', count: 1, notes: [{ _id: 'navy', text: 'sea' }] },
    ]);
  });

  test('returns documents that no stage changes as the same objects', () => {
    expect(aggregate(people, [{ $match: { name: 'Ada' } }])[0]).toBe(people[0]);
  });

  test('reads documents one by one, and stops after a limit', () => {
    let given = 0;
    const source = function* (): Generator<{ n: number }> {
      for (;;) yield { n: given++ };
    };
    expect([aggregate(source(), [{ $limit: 2 }]), given]).toEqual([[{ n: 0 }, { n: 1 }], 2]);
  });

  test.each([
    [{ $out: 'other' }, 'aggregate() does not support the stage $out, which writes to a collection. Remove the stage.'],
    [
      { $merge: 'other' },
      'aggregate() does not support the stage $merge, which writes to a collection. Remove the stage.',
    ],
  ])('rejects %j', (stage, message) => {
    expect(() => aggregate([], [stage])).toThrow(new TypeError(message));
  });
});

test('sort orders documents by several fields, and keeps the order of equal ones', () => {
  expect([
    names(sort(people, { age: -1 })),
    names(sort(people, { name: 1 })),
    names(sort(people, { name: 1 }, { collation: { locale: 'en' } })),
    names(sort(people, { none: 1 })),
  ]).toEqual([
    ['Grace', 'alan', 'Ada'],
    ['Ada', 'Grace', 'alan'],
    ['Ada', 'alan', 'Grace'],
    ['Ada', 'Grace', 'alan'],
  ]);
});

test('project includes, excludes and computes fields', () => {
  expect([
    project(people[0]!, { name: 1 }),
    project(people[0]!, { tags: 0 }),
    project(people[0]!, { twice: { $multiply: ['$age', 2] } }),
    project(people[0]!, { 'tags.$': 1 }, { filter: { tags: 'code' } }),
  ]).toEqual([{ name: 'Ada' }, { name: 'Ada', age: 36 }, { twice: 72 }, { tags: ['code'] }]);
});

test("validate returns undefined for a valid document, otherwise mongod's details", () => {
  const validator = { $jsonSchema: { required: ['name'], properties: { age: { bsonType: 'int' } } } };
  expect(validate({ name: 'x', age: 1 }, validator)).toBeUndefined();
  expect(validate({ age: 1 }, validator)).toEqual({
    operatorName: '$jsonSchema',
    schemaRulesNotSatisfied: [
      { operatorName: 'required', specifiedAs: { required: ['name'] }, missingProperties: ['name'] },
    ],
  });
});

test('compare orders values of different types as MongoDB does', () => {
  const values = [
    true,
    'b',
    1,
    null,
    [1],
    { a: 1 },
    new Date(1),
    'a',
    undefined,
    new ObjectId('0123456789abcdef01234567'),
  ];
  expect([...values].sort((a, b) => compare(a, b))).toEqual([
    null,
    1,
    'a',
    'b',
    { a: 1 },
    [1],
    new ObjectId('0123456789abcdef01234567'),
    true,
    new Date(1),
    undefined,
  ]);
  expect([compare(undefined, null), compare('a', 'A', { collation: { locale: 'en', strength: 2 } })]).toEqual([-1, 0]);
});
