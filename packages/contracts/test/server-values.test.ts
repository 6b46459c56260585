import { numberOf, objectIdOf, textOf, wholeOf } from '@tessera/contracts';
import { Long, ObjectId, Timestamp, UUID } from 'bson';
import { expect, test } from 'vitest';

const id = ObjectId.createFromTime(1);
const odd = [null, undefined, true, 'x', '5', {}, [], NaN, Infinity, { toBigInt: 5 }, { toHexString: 5 }];
/** Values of other BSON types with the methods of the right ones, and documents that a server marks as BSON values. */
const alike = [new UUID(), Timestamp.fromNumber(7), { _bsontype: 'ObjectId' }, { _bsontype: 'Long' }];

test('textOf and objectIdOf return strings and ObjectIds, and undefined for other values', () => {
  expect([textOf('x'), textOf(5), textOf(null)]).toEqual(['x', undefined, undefined]);
  expect([objectIdOf(id), ...odd.map(objectIdOf)]).toEqual([id, ...odd.map(() => undefined)]);
});

test('objectIdOf, wholeOf and numberOf return undefined for a UUID, a Timestamp and a document with a field _bsontype', () => {
  for (const read of [objectIdOf, wholeOf, numberOf])
    expect(alike.map((value: unknown) => read(value))).toEqual(alike.map(() => undefined));
});

test('wholeOf returns numbers as bigints without their fraction, and undefined for other values', () => {
  expect([7n, 7, -1, 1.5, -1.5, Long.fromNumber(7)].map(wholeOf)).toEqual([7n, 7n, -1n, 1n, -1n, 7n]);
  expect(odd.map(wholeOf)).toEqual(odd.map(() => undefined));
});

test('numberOf returns finite numbers with their fraction, and undefined for other values', () => {
  expect([7n, 1.5, 0, Long.fromNumber(7)].map(numberOf)).toEqual([7, 1.5, 0, 7]);
  expect(odd.map(numberOf)).toEqual(odd.map(() => undefined));
});
