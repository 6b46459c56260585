import { describe, expect, test } from 'vitest';
import { upsertDocument } from '../src/update/upsert.js';
import { parseUpdate } from '../src/update/update.js';
import type { Doc } from '../src/value/doc.js';
import { isArray, TimestampValue, UNDEFINED } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, double, oid, refusal, text, v } from './shorthand.js';
import { nowMs, nowTimestamp } from './update-cases.js';

type Fields = { readonly [key: string]: Shorthand };

const upsert = (filter: Fields, update: Shorthand, arrayFilters?: readonly Shorthand[]): Doc => {
  const parsed = v(update);
  const updater = parseUpdate(isArray(parsed) ? parsed : (parsed as Doc), {
    arrayFilters: arrayFilters?.map(v),
    pipeline: () => doc => doc.with('p', doc.size),
  });
  return upsertDocument(d(filter), updater, { nowMs, nowTimestamp, stamp: nowTimestamp, newId: () => oid(7) });
};

describe('an upsert with modifiers: "creates a document from the equality clauses in the query"', () => {
  test.each<readonly [Fields, Fields, Fields]>([
    [{}, { $set: { a: 1 } }, { _id: oid(7), a: 1 }],
    [{ _id: 1 }, { $set: { a: 1 } }, { _id: 1, a: 1 }],
    [{ b: 2 }, { $set: { a: 1 } }, { _id: oid(7), b: 2, a: 1 }],
    [{ b: 2, a: 1, _id: 5 }, { $set: { z: 1 } }, { _id: 5, a: 1, b: 2, z: 1 }],
    [{ a: { $eq: 1 } }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ a: { $in: [1] } }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ a: { $in: [1, 2] } }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ a: { $all: [1] } }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ $and: [{ a: 1 }, { b: { $eq: 2 } }] }, { $set: { z: 1 } }, { _id: oid(7), a: 1, b: 2, z: 1 }],
    [{ $and: [{ $and: [{ a: 1 }] }], c: 3 }, { $set: { z: 1 } }, { _id: oid(7), a: 1, c: 3, z: 1 }],
    [{ a: { $in: [1, double(1)] } }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ $or: [{ a: 1 }, { a: 1 }] }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ $or: [{ _id: 1 }, { _id: { $in: [1] } }] }, { $set: { z: 1 } }, { _id: 1, z: 1 }],
    [{ $or: [{ a: 1 }, { a: 2 }] }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ $or: [{ a: 1 }, { a: 1, b: 1 }] }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ '_id.x': 1, '_id.y': 2 }, { $set: { z: 1 } }, { _id: { x: 1, y: 2 }, z: 1 }],
    [{ $or: [{ a: 1 }] }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ $or: [{ a: 1 }, { b: 2 }] }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ $nor: [{ a: 1 }] }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ a: { $gt: 5 }, b: { $ne: 1 }, c: /x/, d: { $exists: true } }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ a: { $eq: 1, $gt: 0 } }, { $set: { z: 1 } }, { _id: oid(7), a: 1, z: 1 }],
    [{ a: null }, { $set: { z: 1 } }, { _id: oid(7), a: null, z: 1 }],
    [{ a: [1, 2] }, { $push: { a: 3 } }, { _id: oid(7), a: [1, 2, 3] }],
    [{ a: { x: 1, y: 2 } }, { $set: { 'a.z': 3 } }, { _id: oid(7), a: { x: 1, y: 2, z: 3 } }],
    [{ 'a.b': 1, 'a.c': 2 }, { $set: { z: 1 } }, { _id: oid(7), a: { b: 1, c: 2 }, z: 1 }],
    [{ 'a.0': 1 }, { $set: { z: 1 } }, { _id: oid(7), a: { 0: 1 }, z: 1 }],
    [{ a: { $elemMatch: { b: 1 } } }, { $set: { z: 1 } }, { _id: oid(7), z: 1 }],
    [{ a: 1 }, { $set: { a: 2 } }, { _id: oid(7), a: 2 }],
    [{ a: 1 }, { $inc: { a: 2 } }, { _id: oid(7), a: 3 }],
    [{ a: 1 }, { $unset: { a: 1 } }, { _id: oid(7) }],
    [{ a: 1 }, { $rename: { a: 'b' } }, { _id: oid(7), b: 1 }],
    [{}, { $setOnInsert: { a: 1 }, $set: { b: 2 } }, { _id: oid(7), a: 1, b: 2 }],
    [{}, { $set: { _id: 3, a: 1 } }, { _id: 3, a: 1 }],
    [{}, { $setOnInsert: { _id: 3 } }, { _id: 3 }],
    [{ _id: { a: 1 } }, { $set: { b: 1 } }, { _id: { a: 1 }, b: 1 }],
    [{ _id: { $eq: 1 } }, { $set: { b: 1 } }, { _id: 1, b: 1 }],
    [{ _id: 1 }, { $set: { _id: double(1) } }, { _id: 1 }],
    [{ a: [1, 2] }, { $set: { 'a.$[]': 0 } }, { _id: oid(7), a: [0, 0] }],
    [{ date: 'x' }, { $set: { $hotel: 1 } }, { _id: oid(7), date: 'x', $hotel: 1 }],
    [{ $expr: { $eq: [1, 1] }, $comment: 'x', a: 1 }, { $set: { b: 1 } }, { _id: oid(7), a: 1, b: 1 }],
  ])('%j, %j', (filter, update, expected) => {
    expect(text(upsert(filter, update))).toBe(text(d(expected)));
  });
});

describe('an upsert with a replacement takes only the _id from the query', () => {
  test.each<readonly [Fields, Fields, Fields]>([
    [{ a: 1 }, { b: 2 }, { _id: oid(7), b: 2 }],
    [{ _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
    [{ _id: 1 }, { b: 2, _id: 1 }, { _id: 1, b: 2 }],
    [{ a: 1 }, { b: 2, _id: 9 }, { _id: 9, b: 2 }],
    [{ $and: [{ _id: 4 }] }, {}, { _id: 4 }],
    [{ $or: [{ _id: 4 }, { _id: 4 }] }, {}, { _id: 4 }],
    [{ a: { $all: [1, 2] } }, {}, { _id: oid(7) }],
    [{}, { t: new TimestampValue(0, 0) }, { _id: oid(7), t: nowTimestamp }],
  ])('%j, %j', (filter, update, expected) => {
    expect(text(upsert(filter, update))).toBe(text(d(expected)));
  });
});

test('an upsert with a pipeline starts with the fields of the query', () => {
  expect(text(upsert({ a: 1, b: { $gt: 1 } }, [{ $set: { p: 1 } }]))).toBe(text(d({ _id: oid(7), a: 1, p: 1 })));
  expect(text(upsert({ _id: 3 }, []))).toBe(text(d({ _id: 3, p: 1 })));
});

describe('rejects an upsert with the code and the message of MongoDB', () => {
  test.each<readonly [Fields, Fields, string]>([
    [
      { a: 1, $and: [{ a: 2 }] },
      { $set: { z: 1 } },
      "54 NotSingleValueField: cannot infer query fields to set, path 'a' is matched twice",
    ],
    [
      { $and: [{ a: 1 }, { a: 1 }] },
      { $set: { z: 1 } },
      "54 NotSingleValueField: cannot infer query fields to set, path 'a' is matched twice",
    ],
    [
      { a: { $all: [1, 2] } },
      { $set: { z: 1 } },
      "54 NotSingleValueField: cannot infer query fields to set, path 'a' is matched twice",
    ],
    [
      { a: { x: 1 }, 'a.b': 1 },
      { $set: { z: 1 } },
      "54 NotSingleValueField: cannot infer query fields to set, both paths 'a' and 'a.b' are matched",
    ],
    [
      { 'a.b': 1, a: 1 },
      { $set: { z: 1 } },
      "54 NotSingleValueField: cannot infer query fields to set, both paths 'a' and 'a.b' are matched",
    ],
    [
      { '_id.$gt': 1 },
      { $set: { z: 1 } },
      "52 DollarPrefixedFieldName: _id fields may not contain '$'-prefixed fields: $gt is not valid for storage.",
    ],
    [
      { _id: { $all: [1, 2] } },
      { z: 1 },
      "54 NotSingleValueField: cannot infer query fields to set, path '_id' is matched twice",
    ],
    [
      { $and: [{ _id: 1 }, { _id: 2 }] },
      { z: 1 },
      "54 NotSingleValueField: cannot infer query fields to set, path '_id' is matched twice",
    ],
    [
      { '_id.x': 1 },
      { z: 1 },
      "111 NotExactValueField: field at '_id' must be exactly specified, field at sub-path '_id.x'found",
    ],
    [
      { _id: 1 },
      { $set: { _id: 2 } },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { _id: 1 },
      { _id: 2 },
      "66 ImmutableField: After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2",
    ],
    [{ a: 1 }, { $set: { 'a.b': 1 } }, "28 PathNotViable: Cannot create field 'b' in element {a: 1}"],
    [
      { x: { $gt: 5 } },
      { $set: { 'a.$[]': 9 } },
      "2 BadValue: The path 'a' must exist in the document in order to apply array updates.",
    ],
    [
      { a: 5 },
      { $set: { 'a.$': 9 } },
      '2 BadValue: The positional operator did not find the match needed from the query.',
    ],
    [{ _id: [1] }, { $set: { z: 1 } }, "53 InvalidIdField: The '_id' value cannot be of type array"],
    [{}, { $set: { _id: /x/ } }, "53 InvalidIdField: The '_id' value cannot be of type regex"],
    [{}, { $set: { _id: UNDEFINED } }, "53 InvalidIdField: The '_id' value cannot be of type undefined"],
    [
      { _id: { $eq: { $x: 1 } } },
      { $set: { z: 1 } },
      "52 DollarPrefixedFieldName: _id fields may not contain '$'-prefixed fields: $x is not valid for storage.",
    ],
  ])('%j, %j', (filter, update, expected) => {
    expect(refusal(() => upsert(filter, update))).toBe(expected);
  });
});

describe('the time of an upsert grows with the number of its conditions:', () => {
  const many = 100_000;

  test('with a long $in of different values', () => {
    const $in = Array.from({ length: many }, (_, i) => i);
    expect(text(upsert({ a: { $in } }, { $set: { z: 1 } }))).toBe(text(d({ _id: oid(7), z: 1 })));
  });

  test('with a long $and', () => {
    const $and = Array.from({ length: many }, (_, i) => ({ [`f${String(i).padStart(6, '0')}`]: i }));
    expect(upsert({ $and }, { $set: { z: 1 } }).size).toBe(many + 2);
  });
});
