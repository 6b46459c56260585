import type { Value } from '@tessera/mql/engine';
import { BinaryValue, DateValue, Decimal, Doc, double, ObjectIdValue, TimestampValue } from '@tessera/mql/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnOf, valuesIn } from '../src/bson-column.js';

const words = (...all: readonly bigint[]): readonly number[] =>
  all.flatMap(word => Array.from({ length: 8 }, (_, i) => Number((word >> BigInt(8 * i)) & 0xffn)));

const columnFrom = (...bytes: readonly number[]): BinaryValue => new BinaryValue(7, Uint8Array.from([...bytes, 0]));

const literal = (value: Value): readonly number[] => [...Doc.of([['', value]]).bytes.slice(4, -1)];

/** Returns a word of Simple-8b with numbers of this many bits. */
const packed = (selector: number, bits: number, numbers: readonly bigint[], head = 4): bigint => {
  let word = BigInt(selector);
  numbers.forEach((number, i) => (word |= number << BigInt(head + i * bits)));
  return word | (2n ** 64n - (1n << BigInt(head + numbers.length * bits)));
};

const zigzag = (n: bigint): bigint => (n < 0n ? -n * 2n - 1n : n * 2n);

const shown = (column: BinaryValue): readonly (string | undefined)[] =>
  [...valuesIn(column)].map(value => (value === undefined ? undefined : JSON.stringify(literal(value))));

const same = (column: BinaryValue, values: readonly (Value | undefined)[]): void =>
  expect(shown(column)).toEqual(shown(columnOf(values)));

describe('a BSONColumn', () => {
  test('holds values of all types and missing ones', () => {
    const value = fc.oneof(
      fc.constant(undefined),
      fc.integer(),
      fc.double().map(double),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.integer().map(n => new DateValue(n)),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.string().map(text => Doc.of([['a', text]])),
      fc.constant(['x', 1] as const),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), values => {
        const read = [...valuesIn(columnOf(values))];
        const last = values.findLastIndex(each => each !== undefined) + 1;
        expect(columnOf(read)).toEqual(columnOf(values.slice(0, last)));
        expect(read).toHaveLength(last);
      }),
    );
  });

  test('reads differences of numbers, and missing values between them', () => {
    const missing = (1n << 20n) - 1n;
    const word = packed(12, 20, [zigzag(5n), missing, zigzag(-2n)]);
    same(columnFrom(...literal(7), 0x80, ...words(word)), [7, 12, undefined, 10]);
  });

  test('reads repetitions of the last difference', () => {
    const one = packed(14, 60, [zigzag(1n)]);
    same(
      columnFrom(...literal(0), 0x81, ...words(one, 0x0fn)),
      Array.from({ length: 122 }, (_, i) => i),
    );
    same(
      columnFrom(...literal('x'), 0x80, ...words(0x1fn)),
      Array.from({ length: 241 }, () => 'x'),
    );
  });

  test('reads doubles with a scale, and as the integers of their bits', () => {
    const word = packed(13, 30, [zigzag(11n), zigzag(-3n)]);
    same(columnFrom(...literal(double(1.5)), 0xa0, ...words(word)), [1.5, 2.6, 2.3].map(double));
    same(
      columnFrom(...literal(double(1.5)), 0x80, ...words(packed(14, 60, [zigzag(1n << 51n)]))),
      [1.5, 2].map(double),
    );
  });

  test('reads differences of differences of dates, timestamps and ids', () => {
    const word = packed(12, 20, [zigzag(10n), 0n, zigzag(-4n)]);
    const dates = [100, 110, 120, 126].map(ms => new DateValue(ms));
    same(columnFrom(...literal(dates[0]!), 0x80, ...words(word)), dates);
    const stamps = [100, 110, 120, 126].map(i => new TimestampValue(3, i));
    same(columnFrom(...literal(stamps[0]!), 0x80, ...words(word)), stamps);
    const ids = ['65f9971847423af45aeafc67', '65f9971947423af45aeafc68'].map(hex => ObjectIdValue.fromHex(hex));
    same(columnFrom(...literal(ids[0]!), 0x80, ...words(packed(14, 60, [zigzag(0x0101n)]))), ids);
  });

  test('reads differences of short strings, binary values and decimals', () => {
    const word = packed(13, 30, [zigzag(1n), zigzag(-1n)]);
    same(columnFrom(...literal('ab'), 0x80, ...words(word)), ['ab', 'ac', 'ab']);
    const [a, b] = [Uint8Array.of(1, 2), Uint8Array.of(2, 2)].map(bytes => new BinaryValue(0, bytes));
    same(columnFrom(...literal(a!), 0x80, ...words(word)), [a, b, a]);
    const [one, two] = ['1', '2'].map(text => Decimal.parse(text)!);
    same(columnFrom(...literal(one!), 0x80, ...words(word)), [one, two, one]);
  });

  test('reads words with trailing zeros', () => {
    // Selector 7 with extension 1: two bits and four for zeros.
    same(columnFrom(...literal(0), 0x80, ...words(packed(0x17, 6, Array<bigint>(9).fill((1n << 4n) | 3n), 8))), [
      ...Array.from({ length: 10 }, (_, i) => 4 * i),
    ]);
    // Selector 8 with extension 8: four bits, and five for groups of four zeros.
    same(columnFrom(...literal(0), 0x80, ...words(packed(0x88, 9, Array<bigint>(6).fill((1n << 5n) | 1n), 8))), [
      ...Array.from({ length: 7 }, (_, i) => 8 * i),
    ]);
  });

  test('reads documents as interleaved columns', () => {
    const doc = (a: number, b: string | undefined): Doc =>
      Doc.of([['a', a], ...(b === undefined ? [] : [['c', Doc.of([['b', b]])] as const])]);
    const reference = doc(1, 'x');
    const ofA = [0x80, ...words(packed(12, 20, [0n, zigzag(1n), zigzag(1n)]))];
    const ofB = [0x80, ...words(packed(12, 20, [0n, (1n << 20n) - 1n, 0n]))];
    same(columnFrom(...literal(5), 0xf1, ...reference.bytes, ...ofA, ...ofB, 0, ...literal(6)), [
      ...[5, doc(1, 'x'), doc(2, undefined), doc(3, 'x'), 6],
    ]);
  });

  test('that is damaged fails with code 22', () => {
    const damaged = [
      new BinaryValue(7, Uint8Array.of()),
      new BinaryValue(7, Uint8Array.of(9, 0, 1)),
      columnFrom(0x80, 1, 2),
      columnFrom(...literal(null), 0x80, ...words(packed(14, 60, [1n]))),
      columnFrom(...literal(1), 0x90, ...words(packed(14, 60, [1n]))),
      columnFrom(...literal(double(Number.NaN)), 0x90, ...words(packed(14, 60, [1n]))),
      columnFrom(...literal(double(1e305)), 0xd0, ...words(packed(14, 60, [1n]))),
      columnFrom(...literal(1), 0x80, ...words(0n)),
      columnFrom(0xf1, 200, 0, 0, 0),
    ];
    for (const column of damaged)
      expect(() => [...valuesIn(column)]).toThrow(expect.objectContaining({ code: 22 }) as Error);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        try {
          for (const values = valuesIn(new BinaryValue(7, bytes)); values.next().done !== true;);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.any(Number) as number });
        }
      }),
      { numRuns: 3000 },
    );
  });
});
