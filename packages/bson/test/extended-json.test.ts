import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BSONUndefined, DBPointer, encode, parseExtendedJson, stringifyExtendedJson } from '@tessera/bson';
import { documents } from './values.js';

test(
  'canonical Extended JSON is valid JSON, and parsing and writing it again gives the same text',
  { timeout: 60_000 },
  () => {
    fc.assert(
      fc.property(documents(), document => {
        const text = stringifyExtendedJson(document, { relaxed: false });
        JSON.parse(text);
        expect(stringifyExtendedJson(parseExtendedJson(text), { relaxed: false })).toBe(text);
      }),
    );
  },
);

test('BSON Decimal128: writes significands of more than 34 digits as zero', () => {
  const bits = (3n << 125n) | ((6176n - 40n) << 111n) | 1n;
  const bytes = new Uint8Array(16).map((_, i) => Number((bits >> BigInt(8 * i)) & 255n));
  const text = stringifyExtendedJson({ a: new npm.Decimal128(bytes) }, { relaxed: false });
  expect(text).toBe('{"a":{"$numberDecimal":"0E-40"}}');
  expect(stringifyExtendedJson(parseExtendedJson(text), { relaxed: false })).toBe(text);
});

describe('Extended JSON, "Parsers"', () => {
  test('parses a number as the smallest type that holds it exactly', () => {
    deepStrictEqual(parseExtendedJson('{"a":[1,-0,1.0,1e2,2147483648,-9223372036854775808,9223372036854775808]}'), {
      a: [
        new npm.Int32(1),
        new npm.Double(-0),
        new npm.Double(1),
        new npm.Double(100),
        npm.Long.fromNumber(2147483648),
        npm.Long.MIN_VALUE,
        new npm.Double(2 ** 63),
      ],
    });
  });

  test('promoteValues returns safe numbers as JavaScript numbers, and symbols as strings', () => {
    deepStrictEqual(
      parseExtendedJson(
        '{"a":[1,2.5,{"$numberInt":"3"},{"$numberDouble":"NaN"},{"$numberLong":"5"},{"$numberLong":"9223372036854775807"},{"$symbol":"s"}]}',
        { promoteValues: true },
      ),
      { a: [1, 2.5, 3, NaN, 5, npm.Long.MAX_VALUE, 's'] },
    );
  });

  test('accepts the keys of a wrapper in any order', () => {
    deepStrictEqual(parseExtendedJson('{"a":{"$scope":{"b":1},"$code":"f"}}'), {
      a: new npm.Code('f', { b: new npm.Int32(1) }),
    });
  });

  test('never parses the outermost object or an object with an unknown "$" key as a wrapper', () => {
    deepStrictEqual(parseExtendedJson('{"$oid":"x"}'), { $oid: 'x' });
    deepStrictEqual(parseExtendedJson('{"a":{"$type":"string"},"b":{"$regex":"x","$options":"i"}}'), {
      a: { $type: 'string' },
      b: { $regex: 'x', $options: 'i' },
    });
  });

  test('parses an object that resembles a DBRef as a document', () => {
    deepStrictEqual(parseExtendedJson('{"a":{"$ref":"c","$id":"i"},"b":{"$ref":5}}'), {
      a: { $ref: 'c', $id: 'i' },
      b: { $ref: new npm.Int32(5) },
    });
  });

  test('parses each type that JavaScript lacks as an instance of its class', () => {
    deepStrictEqual(
      parseExtendedJson(
        '{"p":{"$dbPointer":{"$ref":"d.c","$id":{"$oid":"0123456789abcdef01234567"}}},"u":{"$undefined":true},"i":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"},"d":{"$date":"2012-12-24T12:15:30.5+01:00"}}',
      ),
      {
        p: new DBPointer('d.c', new npm.ObjectId('0123456789abcdef01234567')),
        u: new BSONUndefined(),
        i: new npm.UUID('73ffd264-44b3-4c69-90e8-e7d1dfc035d4'),
        d: new Date('2012-12-24T11:15:30.500Z'),
      },
    );
  });

  test('keeps the last of repeated keys, treats __proto__ as an ordinary key, and puts keys that look like indexes first', () => {
    const document = parseExtendedJson('{"b":"1","__proto__":{"x":"2"},"":"3","7":"4","b":"5"}');
    expect(JSON.stringify(document)).toBe('{"7":"4","b":"5","__proto__":{"x":"2"},"":"3"}');
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  });

  test('reads 200 levels and rejects 401', () => {
    const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
    expect(stringifyExtendedJson(parseExtendedJson(nested(200)))).toBe(nested(200));
    expect(() => parseExtendedJson(nested(401))).toThrow(/nested more than 400 levels deep at character 2000\.$/);
    expect(() => parseExtendedJson(`{"a":${'['.repeat(100_000)}`)).toThrow(/nested more than/);
  });
});

describe('rejects invalid text with the position of the character', () => {
  test.each([
    ['', 'the end of the text instead of "{" at character 0'],
    ['[]', '"[" instead of "{" at character 0'],
    ['{"a":1} x', '"x" instead of the end of the text at character 8'],
    ['{"a":1,}', '"}" instead of """ at character 7'],
    ['{"a" 1}', '"1" instead of ":" at character 5'],
    ['{"a":tru}', '"t" instead of a value at character 5'],
    ['{"a":01}', '"1" instead of "}" at character 6'],
    ['{"a":+1}', '"+" instead of a value at character 5'],
    ['{"a":[1 2]}', '"2" instead of "]" at character 8'],
    ["{'a':1}", '"\'" instead of """ at character 1'],
    ['{"a', 'an unterminated string at character 3'],
    ['{"a":"\n"}', 'a control character in a string at character 6'],
    ['{"a":"\\x"}', 'an unknown escape at character 6'],
    ['{"a":"\\u12g4"}', 'an escape without four hexadecimal digits at character 6'],
    ['{"a":{"b\\u0000":1}}', 'a key with a NUL character, which ends keys in BSON at character 6'],
    ['{"a":{"$oid":"0123"}}', '"0123", which is not a valid $oid, at character 13'],
    [
      '{"a":{"$numberLong":"9223372036854775808"}}',
      '9223372036854775808, which does not fit in 64 bits, at character 20',
    ],
    ['{"a":{"$numberInt":"1","b":2}}', 'the unexpected member "b" beside "$numberInt" at character 27'],
    ['{"a":{"$timestamp":{"t":1}}}', 'an object without "i" at character 19'],
    [
      '{"a":{"$timestamp":{"t":-1,"i":0}}}',
      'a part of a $timestamp that is not an unsigned 32-bit number at character 24',
    ],
    ['{"a":{"$date":"yesterday"}}', 'a $date that is neither an ISO 8601 date nor a $numberLong at character 14'],
    [
      '{"a":{"$date":{"$numberLong":"8640000000000001"}}}',
      'a $date that is neither an ISO 8601 date nor a $numberLong at character 14',
    ],
    ['{"a":{"$binary":{"base64":"A","subType":"0"}}}', 'a string that is not base64 at character 26'],
    [
      '{"a":{"$regularExpression":{"pattern":"a","options":"q"}}}',
      'a $regularExpression with a NUL or an unknown option at character 27',
    ],
  ])('%s', (text, problem) => {
    expect(() => parseExtendedJson(text)).toThrow(
      expect.objectContaining({ kind: 'usage', message: `Invalid Extended JSON: ${problem}.` }),
    );
  });

  test('throws only MongoErrors for any text, and rejects everything that is not JSON', { timeout: 60_000 }, () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '$oid',
      '$date',
      '$code',
      '$binary',
      'a',
      '1',
      '-',
      '.',
      'e',
      '\\',
      '\\u',
      ' ',
      'true',
      'null',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), parts => {
        const text = `{"a":${parts.join('')}}`;
        let read = true;
        try {
          parseExtendedJson(text);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'usage' });
          read = false;
        }
        if (read) JSON.parse(text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('Extended JSON, "Generators"', () => {
  const document = {
    int: 1,
    double: 1.5,
    large: 2 ** 31,
    long: npm.Long.MAX_VALUE,
    zero: -0,
    huge: 1e300,
    tiny: 1e-7,
    nan: NaN,
    date: new Date(1),
    early: new Date(-1),
    late: new Date(253402300800000),
    map: new Map([['b', undefined]]),
    f: () => 1,
    big: 5n,
  };

  test('writes the relaxed format by default', () => {
    expect(stringifyExtendedJson(document)).toBe(
      '{"int":1,"double":1.5,"large":2147483648.0,"long":9223372036854775807,"zero":-0.0,"huge":1E+300,"tiny":1E-7,"nan":{"$numberDouble":"NaN"},' +
        '"date":{"$date":"1970-01-01T00:00:00.001Z"},"early":{"$date":{"$numberLong":"-1"}},"late":{"$date":{"$numberLong":"253402300800000"}},' +
        '"map":{"b":null},"big":5}',
    );
  });

  test('keeps every type in canonical format', () => {
    expect(stringifyExtendedJson({ ...document, huge: -1.25e300 }, { relaxed: false })).toBe(
      '{"int":{"$numberInt":"1"},"double":{"$numberDouble":"1.5"},"large":{"$numberDouble":"2147483648.0"},"long":{"$numberLong":"9223372036854775807"},' +
        '"zero":{"$numberDouble":"-0.0"},"huge":{"$numberDouble":"-1.25E+300"},"tiny":{"$numberDouble":"1E-7"},"nan":{"$numberDouble":"NaN"},"date":{"$date":{"$numberLong":"1"}},' +
        '"early":{"$date":{"$numberLong":"-1"}},"late":{"$date":{"$numberLong":"253402300800000"}},"map":{"b":null},"big":{"$numberLong":"5"}}',
    );
  });

  test('writes members in the order of the bytes, even where an object cannot keep that order', () => {
    const bytes = encode(
      new Map<string, unknown>([
        ['b', 1],
        ['1', 2],
        [
          'a',
          {
            toBSON: () =>
              new Map([
                ['z', 1],
                ['0', 2],
              ]),
          },
        ],
      ]),
    );
    expect(stringifyExtendedJson(bytes)).toBe('{"b":1,"1":2,"a":{"z":1,"0":2}}');
  });

  test('rejects values that BSON cannot hold', () => {
    expect(() => stringifyExtendedJson({ a: Symbol('s') })).toThrow(/^Cannot write "a" as BSON/);
    expect(() => stringifyExtendedJson(Uint8Array.of(5, 0, 0, 0, 1))).toThrow(/^Invalid BSON/);
  });
});
