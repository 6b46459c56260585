import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { docOf, fromValue, plainOf, valueOf } from '../src/plain/value.js';
import { Doc } from '../src/value/doc.js';

const id = new ObjectId('0123456789abcdef01234567');

const values: readonly (readonly [name: string, value: unknown])[] = [
  ['an int', 5],
  ['the smallest and largest int', [-2147483648, 2147483647]],
  ['integers beyond 32 bits', [2147483648, -2147483649, 2 ** 53]],
  ['negative zero', -0],
  ['fractions, NaN and infinities', [0.5, Number.NaN, Number.POSITIVE_INFINITY]],
  ['a bigint', 5n],
  ['booleans and null', [true, false, null]],
  ['a string', 'é\u{1f600}'],
  ['nested documents and arrays', { a: [{ b: [] }, {}] }],
  ['a Date', new Date(1_700_000_000_000)],
  ['bytes', Uint8Array.of(1, 2, 3)],
  ['an ObjectId', id],
  ['a Long', Long.fromString('9223372036854775807')],
  ['an Int32 and a Double', [new Int32(7), new Double(7)]],
  ['a Decimal128', Decimal128.fromString('1.50')],
  ['a Timestamp', new Timestamp({ t: 1, i: 4_294_967_295 })],
  ['a Binary and a UUID', [new Binary(Uint8Array.of(9), 128), new UUID('aaaaaaaa-aaaa-4aaa-aaaa-aaaaaaaaaaaa')]],
  ['a Binary with spare bytes', Binary.createFromBase64('AQID', 0)],
  ['a regular expression of BSON', new BSONRegExp('a|b', 'ix')],
  ['a symbol', new BSONSymbol('s')],
  ['code with and without a scope', [new Code('x'), new Code('x', { x: 1 })]],
  ['a DBRef', new DBRef('c', id, 'db')],
  ['MinKey and MaxKey', [new MinKey(), new MaxKey()]],
];

describe('docOf encodes a document to the bytes of npm bson', () => {
  test.each(values)('%s', (_, value) => {
    expect(docOf({ value }).bytes).toEqual(Uint8Array.from(serialize({ value })));
  });

  test('omits fields that are undefined or functions, and replaces such array elements with null', () => {
    const object = { a: undefined, f: () => 1, list: [undefined, 1] };
    expect(docOf(object).bytes).toEqual(Uint8Array.from(serialize(object)));
  });

  test('encodes any JavaScript values', () => {
    const leaf = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.date({ noInvalidDate: true }),
    );
    const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree')),
        fc.dictionary(
          fc.string().filter(name => !name.includes('\0')),
          tie('tree'),
        ),
      ),
    }));
    fc.assert(
      fc.property(tree, value => {
        expect(docOf({ value }).bytes).toEqual(Uint8Array.from(serialize({ value })));
      }),
    );
  });

  test('encodes the result of toBSON', () => {
    expect(docOf({ value: { toBSON: () => ({ a: 1 }) } }).bytes).toEqual(
      Uint8Array.from(serialize({ value: { a: 1 } })),
    );
  });

  test('encodes a Map as a document', () => {
    expect(docOf(new Map([['a', 1]])).bytes).toEqual(Uint8Array.from(serialize({ a: 1 })));
  });
});

describe('plainOf returns values as the driver does', () => {
  test("returns equal instances of bson's classes", () => {
    const same = [id, new Timestamp({ t: 1, i: 2 }), new Date(5), new MinKey(), new MaxKey()];
    expect(same.map(value => fromValue(valueOf(value)))).toEqual(same);
  });

  test('returns a decimal as a Decimal128 with the same digits', () => {
    expect(String(fromValue(valueOf(Decimal128.fromString('1.50'))))).toBe('1.50');
  });

  test('returns a long as a number if it is exact, otherwise as a Long', () => {
    expect([5n, 2n ** 53n - 1n, 2n ** 53n].map(value => fromValue(valueOf(value)))).toEqual([
      5,
      2 ** 53 - 1,
      Long.fromBigInt(2n ** 53n),
    ]);
  });

  test('returns a regular expression as a RegExp if JavaScript supports it', () => {
    expect(fromValue(valueOf(/a/im))).toEqual(/a/im);
  });

  test('returns a binary of subtype 4 as a UUID', () => {
    const uuid = new UUID('aaaaaaaa-aaaa-4aaa-aaaa-aaaaaaaaaaaa');
    expect(fromValue(valueOf(new Binary(uuid.buffer, 4)))).toEqual(uuid);
  });

  test('returns an unchanged document as the same object, and a field named __proto__ as an own field', () => {
    const object = { a: 1 };
    expect(plainOf(docOf(object))).toBe(object);
    const odd = plainOf(Doc.of([['__proto__', 1]]));
    expect([Object.keys(odd), Object.getPrototypeOf(odd)]).toEqual([['__proto__'], Object.prototype]);
  });
});

describe('rejects values that BSON cannot represent', () => {
  test.each([
    ['a symbol', Symbol('s'), 'A symbol is not a BSON value.'],
    ['an invalid Date', new Date(Number.NaN), 'A Date is invalid: its time is NaN.'],
    ['a bigint of more than 64 bits', 2n ** 63n, 'The bigint 9223372036854775808 does not fit into 64 bits.'],
    ['an unknown class', { _bsontype: 'Odd' }, 'A value has the unknown BSON type "Odd".'],
  ])('%s', (_, value, message) => {
    expect(() => valueOf(value)).toThrow(new TypeError(message));
  });

  test.each([[null], [[1]], ['text'], [undefined]])('rejects %j as a document', value => {
    expect(() => docOf(value as never)).toThrow(TypeError);
  });
});

test('ignores inherited properties', () => {
  expect(docOf(Object.create({ a: 1 }) as never).get('a')).toBeUndefined();
  expect([docOf({}).get('toString'), docOf({}).get('__proto__')]).toEqual([undefined, undefined]);
  class Named {
    own = 1;
    get inherited(): number {
      return 2;
    }
  }
  const named = docOf(new Named());
  expect([named.get('own'), named.get('inherited'), named.entries()]).toEqual([1, undefined, [['own', 1]]]);
});
