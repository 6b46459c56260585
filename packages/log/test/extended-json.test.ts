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
  test('documents are relaxed Extended JSON, as npm bson writes it', () => {
    for (const value of values)
      expect(extendedJson({ value }, Infinity)).toBe(EJSON.stringify({ value }, { relaxed: true }));
  });

  test('an int64 keeps all its digits', () => {
    const value = { long: Long.MAX_VALUE, big: 2n ** 63n - 1n };
    expect(extendedJson(value, Infinity)).toBe('{"long":9223372036854775807,"big":9223372036854775807}');
  });

  test('bytes are binary data, and what JSON cannot say is null', () => {
    expect(extendedJson({ bytes: bytes(3), nothing: undefined }, Infinity)).toBe(
      '{"bytes":{"$binary":{"base64":"ACVK","subType":"00"}},"nothing":null}',
    );
  });
});

const wholeText = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

describe('Logging, "Configurable Max Document Length"', () => {
  test('what is longer is cut at the limit; the ellipsis does not count', () => {
    expect(extendedJson({ x: 'y' }, 9)).toBe('{"x":"y"}');
    expect(extendedJson({ x: 'y' }, 8)).toBe('{"x":"y"...');
    expect(extendedJson({ x: 'y' }, 1)).toBe('{...');
  });

  test('Command Logging and Monitoring, prose test 3: a limit within a code point is rounded down to its start', () => {
    expect(extendedJson({ x: '😀' }, 7)).toBe('{"x":"...');
    expect(extendedJson({ x: '😀' }, 8)).toBe('{"x":"😀...');
    expect(extendedJson({ x: 'é€' }, 7)).toBe('{"x":"é...');
  });

  test('for every document and limit: a beginning of the whole, without half a code point', () => {
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

  test('a limit beside a code point of two units does not touch it', () => {
    for (const [limit, kept] of [
      [6, '{"x":"'],
      [7, '{"x":"'],
      [8, '{"x":"😀'],
      [9, '{"x":"😀a'],
    ] as const)
      expect(extendedJson({ x: '😀a' }, limit)).toBe(`${kept}...`);
    // The first code point of two units: its second is the least that there is.
    expect(extendedJson({ x: '\u{10000}' }, 7)).toBe('{"x":"...');
  });

  test('a Binary is as long as its position says, whatever memory it has', () => {
    const binary = new Binary(bytes(8), 5);
    binary.position = 3;
    expect(extendedJson(binary, Infinity)).toBe('{"$binary":{"base64":"ACVK","subType":"05"}}');
  });

  test('"Performance Considerations": of long texts and bytes only the beginning is written', () => {
    const text = extendedJson({ a: 'x'.repeat(1_000_000), b: new Binary(new Uint8Array(1_000_000)) }, 10);
    expect(text).toBe('{"a":"xxxx...');
  });

  test('"Performance Considerations": what lies beyond the limit is not looked at', () => {
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
