import { extendedJson } from '@tessera/log';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 37) & 255);

const values: readonly unknown[] = [
  ...[null, true, 'text', '"quotes"\n', '😀', 1, -1.5, NaN, -Infinity, 0, 1e300],
  ...[[], [1, [2]], {}, { a: { b: 1 } }, { 'a"b': 1 }],
  ...[new Date(0), new Date(1_234_567), new Date(-1), new Date(8.64e15)],
  ...[/a+/iu, new BSONRegExp('a', 'ix'), new BSONSymbol('s'), new Code('f'), new Code('f', { a: 1 })],
  ...[new ObjectId('0123456789abcdef01234567'), new DBRef('c', new ObjectId('0123456789abcdef01234567'), 'd')],
  ...[new Int32(1), new Double(1.5), new Double(NaN), Decimal128.fromString('1.10'), new MinKey(), new MaxKey()],
  ...[Long.fromNumber(7), new Timestamp({ t: 1, i: 2 }), new UUID('00112233-4455-6677-8899-aabbccddeeff')],
  ...[0, 1, 2, 3, 4, 255].map(length => new Binary(bytes(length), length)),
];

describe('Logging, "Representing Documents in Log Messages"', () => {
  test('writes documents as relaxed Extended JSON like npm bson', () => {
    for (const value of values)
      expect(extendedJson({ value }, Infinity)).toBe(EJSON.stringify({ value }, { relaxed: true }));
  });

  test('keeps all digits of an int64', () => {
    const value = { long: Long.MAX_VALUE, big: 2n ** 63n - 1n };
    expect(extendedJson(value, Infinity)).toBe('{"long":9223372036854775807,"big":9223372036854775807}');
  });

  test('writes bytes as binary data, and values that JSON cannot represent as null', () => {
    expect(extendedJson({ bytes: bytes(3), nothing: undefined }, Infinity)).toBe(
      '{"bytes":{"$binary":{"base64":"ACVK","subType":"00"}},"nothing":null}',
    );
  });
});

const wholeText = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

describe('Logging, "Configurable Max Document Length"', () => {
  test('truncates a longer document at the limit, which excludes the ellipsis', () => {
    expect(extendedJson({ x: 'y' }, 9)).toBe('{"x":"y"}');
    expect(extendedJson({ x: 'y' }, 8)).toBe('{"x":"y"...');
    expect(extendedJson({ x: 'y' }, 1)).toBe('{...');
  });

  test('Command Logging and Monitoring, prose test 3: rounds a limit inside a code point down to its start', () => {
    expect(extendedJson({ x: '😀' }, 7)).toBe('{"x":"...');
    expect(extendedJson({ x: '😀' }, 8)).toBe('{"x":"😀...');
    expect(extendedJson({ x: 'é€' }, 7)).toBe('{"x":"é...');
  });

  test('writes a prefix of the whole, without half a code point, for every document and limit', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.uint8Array({ maxLength: 40 }).map(each => new Binary(each)),
    );
    const { node } = fc.letrec<{ node: unknown }>(tie => ({
      node: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(node, fc.integer({ min: 1, max: 120 }), (value, limit) => {
        const whole = extendedJson({ value }, Infinity);
        const cut = extendedJson({ value }, limit);
        if (whole.length <= limit) return cut === whole;
        const kept = cut.slice(0, -3);
        const isShort =
          kept.length === limit || (kept.length === limit - 1 && /[\ud800-\udbff]/.test(whole[limit - 1]!));
        return cut.endsWith('...') && isShort && whole.startsWith(kept) && wholeText(kept);
      }),
    );
  });

  test('keeps a code point of two units next to the limit', () => {
    for (const [limit, kept] of [
      [6, '{"x":"'],
      [7, '{"x":"'],
      [8, '{"x":"😀'],
      [9, '{"x":"😀a'],
    ] as const)
      expect(extendedJson({ x: '😀a' }, limit)).toBe(`${kept}...`);
    // The first code point of two units; its second unit is the smallest possible one.
    expect(extendedJson({ x: '\u{10000}' }, 7)).toBe('{"x":"...');
  });

  test('writes a Binary up to its position, regardless of its buffer', () => {
    const binary = new Binary(bytes(8), 5);
    binary.position = 3;
    expect(extendedJson(binary, Infinity)).toBe('{"$binary":{"base64":"ACVK","subType":"05"}}');
  });

  test('"Performance Considerations": reads only the beginning of long texts and bytes', () => {
    const text = extendedJson({ a: 'x'.repeat(1_000_000), b: new Binary(new Uint8Array(1_000_000)) }, 10);
    expect(text).toBe('{"a":"xxxx...');
  });

  test('"Performance Considerations": does not read values beyond the limit', () => {
    let looked = 0;
    const look = { get: () => ++looked, enumerable: true };
    const long = Object.defineProperties(
      {},
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, look])),
    );
    expect(extendedJson([long], 20)).toBe('[{"k0":1,"k1":2,"k2"...');
    expect(looked).toBe(3);
  });
});
