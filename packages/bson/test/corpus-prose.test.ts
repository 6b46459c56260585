import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode, parseExtendedJson, stringifyExtendedJson } from '@tessera/bson';

describe('BSON Corpus, prose test 1: encoding rejects null bytes in null-terminated strings', () => {
  test.each<[string, npm.Document, string]>([
    ['a field name of the root document', { 'a\0b': 1 }, 'Cannot write "a\0b" as BSON: its key contains a NUL'],
    ['a field name of a sub-document', { a: { 'b\0': 1 } }, 'Cannot write "a.b\0" as BSON: its key contains a NUL'],
    ['a field name in an array', { a: [{ '\0': 1 }] }, 'Cannot write "a.0.\0" as BSON: its key contains a NUL'],
    ['a key of a Map', { a: new Map([['b\0', 1]]) }, 'Cannot write "a.b\0" as BSON: its key contains a NUL'],
    [
      'a field name in a scope',
      { a: new npm.Code('f', { 'b\0': 1 }) },
      'Cannot write "a.b\0" as BSON: its key contains a NUL',
    ],
    ['a pattern', { a: new RegExp('b\0') }, 'Cannot write "a" as BSON: its "pattern" contains a NUL'],
    [
      'a pattern that was set later',
      { a: Object.assign(new npm.BSONRegExp('b'), { pattern: '\0' }) },
      'Cannot write "a" as BSON: its "pattern" contains a NUL',
    ],
    [
      'options that were set later',
      { a: Object.assign(new npm.BSONRegExp('b'), { options: 'i\0' }) },
      'Cannot write "a" as BSON: its "options" contains a NUL',
    ],
  ])('%s', (_, document, message) => {
    const shape = bson.shape();
    for (const how of [undefined, shape, shape, { checkKeys: true }, { ignoreUndefined: true }])
      expect(() => encode(document, how)).toThrow(message);
  });

  test('the class for regular expressions rejects null bytes', () => {
    expect(() => new npm.BSONRegExp('a\0')).toThrow();
    expect(() => new npm.BSONRegExp('a', 'i\0')).toThrow();
  });

  test('a writer rejects null bytes', () => {
    const writer = bson.writer();
    writer.begin(0);
    for (const write of [
      () => writer.int32('a\0', 1),
      () => writer.int64('a\0', 1),
      () => writer.value('a\0', 1),
      () => writer.open('a\0', 'document'),
      () => writer.section('a\0'),
    ])
      expect(write).toThrow(/contains a NUL/);
  });

  test('accepts null bytes in a string value', () => {
    expect(decode(encode({ a: 'x\0y' }))).toEqual({ a: 'x\0y' });
  });
});

describe('BSON Corpus, prose test 2: duplicate keys', () => {
  const data = Buffer.from('1700000010666f6f000100000010666f6f000200000000', 'hex');

  test('2.1 encoding with a builder keeps both keys in order', () => {
    const writer = bson.writer();
    writer.begin(0);
    writer.int32('foo', 1);
    writer.int32('foo', 2);
    writer.endBody();
    expect(Buffer.from(writer.take()).toString('hex')).toBe(data.toString('hex'));
  });

  test('2.2 decode returns the last value, a view finds the first, and Extended JSON contains both', () => {
    expect(decode(data)).toEqual({ foo: 2 });
    expect(decode(data, { promoteValues: false })).toEqual({ foo: new npm.Int32(2) });
    expect(bson.read(data).int('foo')).toBe(1);
    expect(stringifyExtendedJson(data)).toBe('{"foo":1,"foo":2}');
  });

  test('2.3 a round trip keeps only the last value', () => {
    expect(encode(decode(data))).toEqual(encode({ foo: 2 }));
  });

  test.each(['{ "foo": 1, "foo": 2 }', '{ "foo": { "$numberInt": "1" }, "foo": { "$numberInt": "2" } }'])(
    '2.4 parsing Extended JSON keeps the last value: %s',
    text => {
      for (const promoteValues of [true, false])
        expect(encode(parseExtendedJson(text, { promoteValues }))).toEqual(encode({ foo: 2 }));
    },
  );
});

describe('BSON Decimal128', () => {
  const read = (text: string): string =>
    String(decode(encode({ d: npm.Decimal128.fromString(text) }))['d'] as npm.Decimal128);

  test('"Reading from BSON": decodes a Decimal128 as a Decimal128, never as a number', () => {
    const bytes = encode({ d: npm.Decimal128.fromString('2.000') });
    for (const options of [{}, { promoteValues: true, promoteLongs: true }, { useBigInt64: true }])
      expect(decode(bytes, options)['d']).toStrictEqual(npm.Decimal128.fromString('2.000'));
  });

  test('"To String Representation": zeros, exponents and special values survive a round trip', () => {
    const same = ['0', '-0', '2.000', '1E+3', '1.5E-7', '9.999999999999999999999999999999999E+6144', 'Infinity', 'NaN'];
    expect(same.map(read)).toEqual(same);
    expect(['Inf', '-infinity', '+0.003', '017.', '.5', '0.73e-7'].map(read)).toEqual([
      ...['Infinity', '-Infinity', '0.003', '17', '0.5', '7.3E-8'],
    ]);
  });

  test('"BSON Decimal128 implementation details": clamps an exponent if the value stays exact, and rejects it otherwise', () => {
    expect(read('1E+6112')).toBe('1.0E+6112');
    for (const inexact of [
      '1E+6145',
      '1E-6177',
      '1.00000000000000000000000000000000001',
      '.',
      '+',
      '-',
      ' 1',
      '1 ',
      '',
    ])
      expect(() => parseExtendedJson(JSON.stringify({ d: { $numberDecimal: inexact } }))).toThrow();
  });

  test('any 16 bytes survive a round trip', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => 255 - i);
    const document = { d: new npm.Decimal128(Buffer.from(bytes)) };
    expect(encode(decode(encode(document)))).toEqual(encode(document));
  });
});
