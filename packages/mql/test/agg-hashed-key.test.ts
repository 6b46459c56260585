import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { md5 } from '../src/agg/md5.js';
import { DateValue, ObjectIdValue, TimestampValue, UNDEFINED } from '../src/value/value.js';
import { checkExpressions as check, evaluate, refused } from './agg-cases.js';
import { double } from './shorthand.js';

check("$toHashedIndexKey returns mongod's hashes", [
  [{ $toHashedIndexKey: 'hashThisStringLiteral' }, -5776344739422278694n],
  [{ $toHashedIndexKey: 42 }, -944302157085130861n],
  [{ $toHashedIndexKey: 123 }, -6548868637522515075n],
  [{ $toHashedIndexKey: new TimestampValue(0, 0) }, -7867208682377458672n],
  [{ $toHashedIndexKey: ObjectIdValue.fromHex('47cc67093475061e3d95369d') }, 1576265281381834298n],
  [{ $toHashedIndexKey: new DateValue(0) }, -1178696894582842035n],
  [{ $toHashedIndexKey: '$missing' }, 2338878944348059895n],
  [{ $toHashedIndexKey: null }, 2338878944348059895n],
  [{ $toHashedIndexKey: { $pow: [2, 4] } }, 2598032665634823220n],
  [{ $toHashedIndexKey: UNDEFINED }, 40158834000849533n],
]);

test('$toHashedIndexKey returns equal hashes for equal numbers of all types, ignores fractions, and distinguishes other values', () => {
  const [five, ...same] = [5, 5n, double(5), 5.9].map(value => evaluate({ $toHashedIndexKey: value }));
  expect(same).toEqual([five, five, five]);
  const others = [4, '5', [5], { a: 5 }, { b: 5 }, null, true].map(value =>
    evaluate({ $toHashedIndexKey: { $literal: value } }),
  );
  expect(new Set([five, ...others]).size).toBe(8);
});

check('$toHashedIndexKey takes one operand', [
  [
    { $toHashedIndexKey: [1, 2] },
    refused(16020, 'Expression $toHashedIndexKey takes exactly 1 arguments. 2 were passed in.'),
  ],
]);

test.each([0, 1, 55, 56, 63, 64, 65, 1000])('md5 hashes %i bytes as in RFC 1321', length => {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) & 0xff);
  const digest = md5(bytes);
  expect(Buffer.from(digest.buffer).toString('hex')).toBe(createHash('md5').update(bytes).digest('hex'));
});
