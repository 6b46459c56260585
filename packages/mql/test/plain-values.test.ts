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

describe('a document has the bytes that npm bson gives it', () => {
  test.each(values)('%s', (_, value) => {
    expect(docOf({ value }).bytes).toEqual(Uint8Array.from(serialize({ value })));
  });

  test('fields that are undefined or functions are left out, items are null', () => {
    const object = { a: undefined, f: () => 1, list: [undefined, 1] };
    expect(docOf(object).bytes).toEqual(Uint8Array.from(serialize(object)));
  });

  test('any document of JavaScript values', () => {
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

  test('an object with toBSON is what that returns', () => {
    expect(docOf({ value: { toBSON: () => ({ a: 1 }) } }).bytes).toEqual(
      Uint8Array.from(serialize({ value: { a: 1 } })),
    );
  });

  test('a Map is a document', () => {
    expect(docOf(new Map([['a', 1]])).bytes).toEqual(Uint8Array.from(serialize({ a: 1 })));
  });
});

describe('a value returns as the driver returns it', () => {
  test('classes of bson return as equal ones', () => {
    const same = [id, new Timestamp({ t: 1, i: 2 }), new Date(5), new MinKey(), new MaxKey()];
    expect(same.map(value => fromValue(valueOf(value)))).toEqual(same);
  });

  test('a decimal is a Decimal128 with the same digits', () => {
    expect(String(fromValue(valueOf(Decimal128.fromString('1.50'))))).toBe('1.50');
  });

  test('a long that a number holds exactly is a number, any other a Long', () => {
    expect([5n, 2n ** 53n - 1n, 2n ** 53n].map(value => fromValue(valueOf(value)))).toEqual([
      5,
      2 ** 53 - 1,
      Long.fromBigInt(2n ** 53n),
    ]);
  });

  test('a regular expression is a RegExp where JavaScript can express it', () => {
    expect(fromValue(valueOf(/a/im))).toEqual(/a/im);
  });

  test('a binary of subtype 4 is a UUID', () => {
    const uuid = new UUID('aaaaaaaa-aaaa-4aaa-aaaa-aaaaaaaaaaaa');
    expect(fromValue(valueOf(new Binary(uuid.buffer, 4)))).toEqual(uuid);
  });

  test('an unchanged document returns as the same object, a field named __proto__ as an own field', () => {
    const object = { a: 1 };
    expect(plainOf(docOf(object))).toBe(object);
    const odd = plainOf(Doc.of([['__proto__', 1]]));
    expect([Object.keys(odd), Object.getPrototypeOf(odd)]).toEqual([['__proto__'], Object.prototype]);
  });
});

describe('a value that BSON cannot hold is rejected', () => {
  test.each([
    ['a symbol', Symbol('s'), 'A symbol is not a BSON value.'],
    ['an invalid Date', new Date(Number.NaN), 'A Date is invalid: its time is NaN.'],
    ['a bigint of more than 64 bits', 2n ** 63n, 'The bigint 9223372036854775808 does not fit into 64 bits.'],
    ['an unknown class', { _bsontype: 'Odd' }, 'A value has the unknown BSON type "Odd".'],
  ])('%s', (_, value, message) => {
    expect(() => valueOf(value)).toThrow(new TypeError(message));
  });

  test.each([[null], [[1]], ['text'], [undefined]])('a document that is %j', value => {
    expect(() => docOf(value as never)).toThrow(TypeError);
  });
});

test('fields of prototypes are no fields of a document', () => {
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
