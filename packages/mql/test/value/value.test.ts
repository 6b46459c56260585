import { Decimal128, deserialize, serialize } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CommandError } from '../../src/errors.js';
import { decode, encode } from '../../src/value/bson.js';
import { compare, equal, hashKey } from '../../src/value/compare.js';
import { Decimal } from '../../src/value/decimal.js';
import { Doc } from '../../src/value/doc.js';
import { add, addExactly, compareNumbers, divide, mod, multiply } from '../../src/value/numbers.js';
import { lookup } from '../../src/value/path.js';
import { isoDate, show } from '../../src/value/show.js';
import type { Value } from '../../src/value/value.js';
import {
  BinaryValue,
  DateValue,
  double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  TimestampValue,
  UNDEFINED,
} from '../../src/value/value.js';
import { anyDoc, anyNumber, anyValue } from './arbitrary.js';

const sign = (n: number): number => Math.sign(n);
const decimal = (text: string): Decimal => Decimal.parse(text)!;

describe('compare', () => {
  test('is antisymmetric, and equal keys mean equal values', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        expect(sign(compare(a, b)) + sign(compare(b, a))).toBe(0);
        expect(hashKey(a) === hashKey(b)).toBe(equal(a, b));
        expect(equal(a, a)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('is transitive', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (...values) => {
        const [a, b, c] = values.sort(compare);
        expect(compare(a, b)).toBeLessThanOrEqual(0);
        expect(compare(b, c)).toBeLessThanOrEqual(0);
        expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });

  test('orders numbers exactly and totally across int, long, double and decimal', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, anyNumber, (...values) => {
        const [a, b, c] = values.sort(compareNumbers) as [Value, Value, Value];
        expect(compare(a, c)).toBeLessThanOrEqual(0);
        expect(hashKey(a) === hashKey(b)).toBe(equal(a, b));
        expect(hashKey(b) === hashKey(c)).toBe(equal(b, c));
      }),
      { numRuns: 3000 },
    );
    expect(compare(1, 1n)).toBe(0);
    expect(compare(1n, decimal('1.00'))).toBe(0);
    expect(compare(double(0.1), decimal('0.1'))).toBe(1);
    expect(compare(2n ** 53n + 1n, double(2 ** 53))).toBe(1);
    expect(compare(double(NaN), decimal('-Infinity'))).toBe(-1);
    expect(compare(double(NaN), decimal('NaN'))).toBe(0);
    expect(compare(double(-0), 0)).toBe(0);
  });

  test('orders types as MongoDB does', () => {
    const id = ObjectIdValue.fromHex('000000000000000000000000');
    const sorted: Value[] = [
      MIN_KEY,
      UNDEFINED,
      null,
      double(NaN),
      1,
      'a',
      Doc.EMPTY,
      [],
      new BinaryValue(0, Uint8Array.of(9)),
      new BinaryValue(0, Uint8Array.of(1, 1)),
      id,
      false,
      true,
      new DateValue(0),
      new TimestampValue(0, 0),
      MAX_KEY,
    ];
    expect([...sorted].reverse().sort(compare)).toEqual(sorted);
  });

  test('orders strings by code point, not by UTF-16 code unit', () => {
    expect(compare('\u{1f600}', '\uffee')).toBe(1);
    expect(compare('\ud7ff', '\u{10000}')).toBe(-1);
    expect(compare('ab', 'a')).toBe(1);
  });
});

describe('BSON', () => {
  test('decode(encode(d)) is d, and encoding its fields again gives the same bytes', () => {
    fc.assert(
      fc.property(anyDoc, doc => {
        const again = decode(encode(doc));
        expect(compare(again, doc)).toBe(0);
        expect(Doc.of(again.entries()).bytes).toEqual(doc.bytes);
        for (const [key] of doc) expect(hashKey(again.get(key))).toBe(hashKey(doc.get(key)));
      }),
      { numRuns: 1000 },
    );
  });

  test('decodes the output of npm bson, and npm bson decodes its output', () => {
    const document = { a: 1, b: { c: ['x', 2.5, null, true], '': 'ü' }, d: Decimal128.fromString('-1.20E+5') };
    const doc = decode(serialize(document));
    expect(show(doc)).toBe('{ a: 1, b: { c: [ "x", 2.5, null, true ], : "ü" }, d: -1.20E+5 }');
    expect(deserialize(Doc.of(doc.entries()).bytes)).toEqual(document);
  });

  test('names the elements of an array by their indexes, also in long arrays', () => {
    const items = Array.from({ length: 100_001 }, (_, i) => i % 7);
    expect(Buffer.compare(encode(Doc.of([['a', items]])), serialize({ a: items }))).toBe(0);
  });

  test(
    'rejects invalid bytes with 22 InvalidBSON or 15 Overflow, and never reads out of bounds',
    { timeout: 30_000 },
    () => {
      fc.assert(
        fc.property(anyDoc, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }), (doc, hits) => {
          const bytes = encode(doc).slice();
          for (const [at, byte] of hits) bytes[at % bytes.length] = byte;
          try {
            const read = decode(bytes);
            // Valid bytes can be read to the end.
            show(read);
            Doc.of(read.entries());
          } catch (error) {
            expect(error).toBeInstanceOf(CommandError);
            expect([15, 22]).toContain((error as CommandError).code);
          }
        }),
        { numRuns: 3000 },
      );
      const deep: number[] = [];
      for (let i = 0; i < 300; i++) deep.unshift(3, 97, 0);
      expect(() => decode(Uint8Array.of(4, 0, 0, 0))).toThrow(CommandError);
      let nested = Doc.EMPTY;
      for (let i = 0; i < 250; i++) nested = Doc.of([['a', nested]]);
      expect(() => decode(nested.bytes)).toThrow('maximum nested object depth');
    },
  );

  test('keeps duplicate keys: get finds the first, with replaces it in place', () => {
    const doc = decode(
      Doc.of([
        ['a', 1],
        ['1', 2],
        ['a', 3],
        ['0', 4],
      ]).bytes,
    );
    expect(doc.keys()).toEqual(['a', '1', 'a', '0']);
    expect(doc.get('a')).toBe(1);
    expect(show(doc.with('a', 9).with('z', 5).without('1'))).toBe('{ a: 9, a: 3, 0: 4, z: 5 }');
  });
});

describe('numbers', () => {
  test('an int32 that overflows becomes an int64, an int64 becomes a double', () => {
    expect(add(2147483647, 1)).toBe(2147483648n);
    expect(add(1, 1n)).toBe(2n);
    expect(add((1n << 63n) - 1n, 1)).toEqual(double(2 ** 63));
    expect(addExactly((1n << 63n) - 1n, 1)).toBeUndefined();
    expect(multiply(2147483647, 2147483647)).toBe(4611686014132420609n);
    expect(multiply(-1, 0)).toBe(0);
    expect(mod(-7, 2)).toBe(-1);
    expect(mod(-2, 2)).toBe(0);
    expect(divide(1, 2)).toEqual(double(0.5));
  });

  test('computes decimals exactly to 34 digits', () => {
    expect(String(add(decimal('0.1'), decimal('0.2')))).toBe('0.3');
    expect(String(divide(decimal('1'), 3))).toBe('0.3333333333333333333333333333333333');
    expect(String(divide(decimal('10'), decimal('4')))).toBe('2.5');
    expect(String(add(decimal('1E+40'), decimal('-1E-40')))).toBe('1.000000000000000000000000000000000E+40');
    expect(String(multiply(decimal('1.10'), 2))).toBe('2.20');
    expect(String(mod(decimal('-7.5'), 2))).toBe('-1.5');
    expect(String(decimal('2.5').roundTo(0, 'halfEven'))).toBe('2');
    expect(String(decimal('-2.1').roundTo(0, 'floor'))).toBe('-3');
  });

  test('parses and prints decimals as npm bson does', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 10n ** 34n - 1n }),
        fc.integer({ min: -6176, max: 6111 }),
        (s, c, e) => {
          const mine = Decimal.of(s, c, e);
          const theirs = Decimal128.fromString(`${s ? '-' : ''}${c}E${e}`);
          expect(mine.toString()).toBe(theirs.toString());
          const bytes = new Uint8Array(16);
          mine.writeBytes(bytes, 0);
          expect(bytes).toEqual(new Uint8Array(theirs.bytes));
          expect(Decimal.fromBytes(bytes, 0)).toEqual(mine);
        },
      ),
    );
  });
});

test('lookup maps over arrays, and never treats a number as an index', () => {
  const doc = Doc.of([['a', [Doc.of([['b', 1]]), 5, Doc.of([['b', 2]]), [Doc.of([['b', 3]])]]]]);
  expect(lookup(doc, ['a', 'b'])).toEqual([1, 2]);
  expect(lookup(doc, ['a', '0'])).toEqual([]);
  expect(lookup(doc, ['x', 'b'])).toBeUndefined();
});

test('show prints values as MongoDB does', () => {
  expect(
    show(
      Doc.of([
        ['i', 1],
        ['d', double(1)],
        ['s', 'x'],
        ['n', null],
        ['b', new BinaryValue(0, Uint8Array.of(0x20, 0x21))],
        ['e', Doc.EMPTY],
        ['a', [1n]],
      ]),
    ),
  ).toBe('{ i: 1, d: 1.0, s: "x", n: null, b: BinData(0, 2021), e: {}, a: [ 1 ] }');
  expect(isoDate(1609556645678)).toBe('2021-01-02T03:04:05.678Z');
  fc.assert(
    fc.property(
      fc.integer({ min: -62135596800000, max: 253402300799999 }),
      ms => isoDate(ms) === new Date(ms).toISOString(),
    ),
  );
});
