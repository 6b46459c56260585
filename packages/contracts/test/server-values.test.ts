import { numberOf, objectIdOf, textOf, wholeOf } from '@tessera/contracts';
import { Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';

const id = ObjectId.createFromTime(1);
const odd = [null, undefined, true, 'x', '5', {}, [], NaN, Infinity, { toBigInt: 5 }, { toHexString: 5 }];

test('texts and ids are taken as they are, and nothing else is', () => {
  expect([textOf('x'), textOf(5), textOf(null)]).toEqual(['x', undefined, undefined]);
  expect([objectIdOf(id), ...odd.map(objectIdOf)]).toEqual([id, ...odd.map(() => undefined)]);
});

test('whole numbers become bigints, and a fraction is cut off', () => {
  expect([7n, 7, -1, 1.5, -1.5, Long.fromNumber(7)].map(wholeOf)).toEqual([7n, 7n, -1n, 1n, -1n, 7n]);
  expect(odd.map(wholeOf)).toEqual(odd.map(() => undefined));
});

test('numbers keep their fraction, and only finite ones are numbers', () => {
  expect([7n, 1.5, 0, Long.fromNumber(7)].map(numberOf)).toEqual([7, 1.5, 0, 7]);
  expect(odd.map(numberOf)).toEqual(odd.map(() => undefined));
});
