/** Every form of a value in Extended JSON, and invalid texts that resemble one. */
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { parseExtendedJson, stringifyExtendedJson, vectorIn, vectorOf } from '@tessera/bson';
import { fromBase64, toBase64 } from '@tessera/contracts';

/** Returns the parsed value, or the specific part of the error message. */
const read = (value: string): unknown => {
  try {
    return parseExtendedJson(`{"a":${value}}`)['a'];
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage' });
    return (error as Error).message.replace(/^Invalid Extended JSON: /, '');
  }
};

const wrapped = (key: string, value: unknown): string => JSON.stringify({ [key]: value });

describe('Extended JSON, "Conversion table": the member of a wrapper', () => {
  const oid = '0123456789abcdefABCDEF01';
  const hex = '00112233445566778899aabbccddeeff';
  const dashed = '00112233-4455-6677-8899-AABBCCDDEEFF';

  test.each<readonly [key: string, right: readonly string[], wrong: readonly string[]]>([
    ['$oid', [oid], ['', oid.slice(1), `${oid}0`, `g${oid.slice(1)}`, ` ${oid}`]],
    ['$numberInt', ['0', '-0', '12', '-2147483648', '2147483647'], ['', '-', '1.0', '+1', '1e2', ' 1', '1 ', '0x1']],
    ['$numberLong', ['0', '-12', '9223372036854775807'], ['', '-', '1.0', '+1', '1n', ' 1', '1 ']],
    [
      '$numberDouble',
      ['0', '-0.0', '1.', '.5', '+1.5', '-1e3', '1E-7', '1.5e+10', 'NaN', 'Infinity', '-Infinity', '12.34'],
      ['', '.', '-', '1e', '1e+', 'e1', 'nan', '+Infinity', '1.5.2', ' 1', '1 ', '1e1.5', '0x1', 'toString', '1-'],
    ],
    ['$numberDecimal', ['0', '-1.5', '1E+3', 'NaN', 'Infinity'], ['', '-', '+-', 'x', '1.5.2']],
    ['$uuid', [hex, dashed], ['', hex.slice(1), `${hex}0`, `${dashed}0`, `0${dashed}`, hex.replace('a', 'g')]],
    ['$uuid', [], ['0011223344556677-8899-aabbccddeeff', '00112233-4455-6677-8899aabbccddeeff']],
  ])('%s accepts only its own format', (key, right, wrong) => {
    for (const value of right) expect(read(wrapped(key, value)), value).toBeTypeOf('object');
    for (const value of wrong)
      expect(read(wrapped(key, value)), value).toBe(
        `"${value}", which is not a valid ${key}, at character ${9 + key.length}.`,
      );
  });

  test('numbers must be in the range of their type', () => {
    expect([
      read(wrapped('$numberInt', '2147483648')),
      read(wrapped('$numberInt', '-2147483649')),
      read(wrapped('$numberLong', '-9223372036854775809')),
    ]).toEqual([
      '2147483648, which does not fit in 32 bits, at character 19.',
      '-2147483649, which does not fit in 32 bits, at character 19.',
      '-9223372036854775809, which does not fit in 64 bits, at character 20.',
    ]);
    expect([
      read(wrapped('$numberLong', '-9223372036854775808')),
      read(wrapped('$numberInt', '-2147483648')),
      read(wrapped('$numberDouble', '-Infinity')),
      read(wrapped('$numberDouble', '.5')),
      read(wrapped('$uuid', dashed)),
    ]).toEqual([
      npm.Long.MIN_VALUE,
      new npm.Int32(-2147483648),
      new npm.Double(-Infinity),
      new npm.Double(0.5),
      new npm.UUID(hex),
    ]);
  });

  test.each(['$oid', '$symbol', '$numberInt', '$numberLong', '$numberDouble', '$numberDecimal', '$uuid', '$code'])(
    '%s must be a string',
    key => {
      for (const value of [5, null, {}, true, []])
        expect(read(wrapped(key, value))).toBe(`a ${key} that is not a string at character ${9 + key.length}.`);
    },
  );

  test.each(['$minKey', '$maxKey'])('%s must be 1', key => {
    expect(read(wrapped(key, 1))).toEqual(key === '$minKey' ? new npm.MinKey() : new npm.MaxKey());
    for (const value of ['2', '1.0', '"1"', 'true', '{"$numberInt":"1"}'])
      expect(read(`{"${key}":${value}}`)).toBe(`a ${key} that is not 1 at character ${9 + key.length}.`);
  });

  test.each<readonly [key: string, of: string]>([
    ['$oid', `"${oid}"`],
    ['$symbol', '"s"'],
    ['$numberDouble', '"1"'],
    ['$binary', '{"base64":"","subType":"00"}'],
    ['$code', '"f"'],
    ['$date', '{"$numberLong":"1"}'],
    ['$timestamp', '{"t":1,"i":1}'],
    ['$regularExpression', '{"pattern":"","options":""}'],
    ['$dbPointer', `{"$ref":"c","$id":{"$oid":"${oid}"}}`],
    ['$undefined', 'true'],
    ['$minKey', '1'],
  ])('%s allows no other member', (key, of) => {
    expect(read(`{"${key}":${of}}`)).not.toBeTypeOf('string');
    expect(read(`{"${key}":${of},"b":1}`)).toBe(
      `the unexpected member "b" beside "${key}" at character ${14 + key.length + of.length}.`,
    );
  });
});

describe('Extended JSON: wrappers with several members', () => {
  test('$binary needs base64 and a subtype of one or two hexadecimal digits', () => {
    const binary = (base64: unknown, subType: unknown): unknown => read(wrapped('$binary', { base64, subType }));
    expect([binary('AQID', '0'), binary('AQID', '80'), binary('AQID', 'fF'), binary('AQID', '04')]).toEqual([
      ...[0, 0x80, 0xff, 4].map(type => new npm.Binary(Uint8Array.of(1, 2, 3), type)),
    ]);
    expect(binary('ABEiM0RVZneImaq7zN3u/w==', '04')).toEqual(new npm.UUID('00112233445566778899aabbccddeeff'));
    expect(binary('ABEiM0RVZneImaq7zN3u/w==', '03')).toMatchObject({ sub_type: 3, position: 16 });
    expect([
      ...['', '000', 'g', ' 0', '0 '].map(subtype => binary('', subtype)),
      ...[binary('', 5), binary(5, '00'), binary('A===', '00')],
      ...['5', '{}', '{"base64":""}', '{"subType":"00"}', '{"base64":"","subType":"00","c":1}'].map(inner =>
        read(`{"$binary":${inner}}`),
      ),
    ]).toEqual([
      ...['', '000', 'g', ' 0', '0 '].map(subtype => `"${subtype}", which is not a valid subType, at character 39.`),
      'a subType that is not a string at character 39.',
      'a base64 that is not a string at character 26.',
      'a string that is not base64 at character 26.',
      'a $binary that is not an object at character 16.',
      'an object without "base64" at character 16.',
      'an object without "subType" at character 16.',
      'an object without "base64" at character 16.',
      'the unexpected member "c" beside "base64" at character 48.',
    ]);
  });

  test('$code may have a $scope, which must be a document', () => {
    expect([read('{"$code":"f","$scope":{"b":1}}'), read('{"$code":"f"}')]).toEqual([
      new npm.Code('f', { b: new npm.Int32(1) }),
      new npm.Code('f'),
    ]);
    expect([
      read('{"$code":"f","$scope":5}'),
      read('{"$code":5,"$scope":{}}'),
      read('{"$scope":{}}'),
      read('{"$code":"f","$scope":{},"b":1}'),
      read('{"$code":"f","$scope":{"$oid":"0123456789abcdefABCDEF01"}}'),
    ]).toEqual([
      'a $scope that is not an object at character 27.',
      'a $code that is not a string at character 14.',
      'an object without "$code" at character 5.',
      'the unexpected member "b" beside "$code" at character 34.',
      'a $scope that is not an object at character 27.',
    ]);
  });

  test('$date must be an ISO 8601 date with a zone, or a $numberLong', () => {
    const problem = 'a $date that is neither an ISO 8601 date nor a $numberLong at character 14.';
    expect(
      [
        '2012-12-24T12:15:30Z',
        '2012-12-24T12:15:30.501Z',
        '2012-12-24T13:15:30+01:00',
        '2012-12-24T11:15:30.5-0100',
      ].map(text => read(wrapped('$date', text))),
    ).toEqual([
      ...['2012-12-24T12:15:30Z', '2012-12-24T12:15:30.501Z', '2012-12-24T12:15:30Z', '2012-12-24T12:15:30.5Z'].map(
        text => new Date(text),
      ),
    ]);
    expect(read('{"$date":{"$numberLong":"-1"}}')).toEqual(new Date(-1));
    const wrong: readonly unknown[] = [
      ...['2012-12-24', '2012-12-24T12:15Z', '2012-12-24T12:15:30', '2012-12-24T12:15:30.Z', ' 2012-12-24T12:15:30Z'],
      ...['2012-12-24T12:15:30Z ', '2012-13-24T12:15:30Z', '12012-12-24T12:15:30Z', '2012-12-24T12:15:30+1:00', 5],
      ...[{ $numberInt: '5' }, { $numberDouble: '5' }, null],
    ];
    for (const value of wrong) expect(read(wrapped('$date', value)), JSON.stringify(value)).toBe(problem);
  });

  test('$timestamp needs two unsigned 32-bit numbers', () => {
    const of = (t: string, i: string): unknown => read(`{"$timestamp":{"t":${t},"i":${i}}}`);
    expect([of('0', '0'), of('4294967295', '1')]).toEqual([
      new npm.Timestamp({ t: 0, i: 0 }),
      new npm.Timestamp({ t: 4294967295, i: 1 }),
    ]);
    const problem = 'a part of a $timestamp that is not an unsigned 32-bit number at character';
    expect(['-1', '4294967296', '1.5', '1.0', '1e2', '"1"', 'null', '{"$numberInt":"1"}'].map(t => of(t, '0'))).toEqual(
      Array(8).fill(`${problem} 24.`),
    );
    expect([of('1', '-1'), read('{"$timestamp":5}'), read('{"$timestamp":{"t":1,"i":1,"c":1}}')]).toEqual([
      `${problem} 30.`,
      'a $timestamp that is not an object at character 19.',
      'the unexpected member "c" beside "t" at character 36.',
    ]);
  });

  test('$regularExpression needs a pattern and options', () => {
    const of = (pattern: string, options: string): unknown =>
      read(`{"$regularExpression":{"pattern":${pattern},"options":${options}}}`);
    expect(of('"a.b"', '"xi"')).toEqual(new npm.BSONRegExp('a.b', 'ix'));
    expect([
      of('5', '""'),
      of('""', '5'),
      of('"a\\u0000"', '""'),
      of('""', '"q"'),
      read('{"$regularExpression":"a"}'),
      read('{"$regularExpression":{"pattern":"a"}}'),
    ]).toEqual([
      'a pattern that is not a string at character 38.',
      'a options that is not a string at character 51.',
      'a $regularExpression with a NUL or an unknown option at character 27.',
      'a $regularExpression with a NUL or an unknown option at character 27.',
      'a $regularExpression that is not an object at character 27.',
      'an object without "options" at character 27.',
    ]);
  });

  test('$dbPointer needs a $ref and an $id, and $undefined must be true', () => {
    const oid = '{"$oid":"0123456789abcdef01234567"}';
    expect([
      read(`{"$dbPointer":{"$ref":5,"$id":${oid}}}`),
      read('{"$dbPointer":{"$ref":"c","$id":"x"}}'),
      read(`{"$dbPointer":{"$id":${oid}}}`),
      read('{"$dbPointer":"c"}'),
      read('{"$undefined":false}'),
      read('{"$undefined":1}'),
    ]).toEqual([
      'a $ref that is not a string at character 27.',
      'an $id that is not an ObjectId at character 37.',
      'an object without "$ref" at character 19.',
      'a $dbPointer that is not an object at character 19.',
      'an $undefined that is not true at character 19.',
      'an $undefined that is not true at character 19.',
    ]);
  });
});

describe('JSON', () => {
  test('accepts escapes in strings, and white space between all tokens', () => {
    expect(
      parseExtendedJson(
        ' \t\r\n{ "a" : "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\ude00" , "b" : [ 1 , true , false , null ] } \n',
      ),
    ).toEqual({
      a: '"\\/\b\f\n\r\tä😀',
      b: [new npm.Int32(1), true, false, null],
    });
    expect([read('"\u001f"'), read('"\\u00"'), read('"\\q"'), read('"\\toString"'), read('"\\')]).toEqual([
      'a control character in a string at character 6.',
      'an escape without four hexadecimal digits at character 6.',
      'an unknown escape at character 6.',
      '\toString',
      'an unknown escape at character 6.',
    ]);
    expect([read('"\u0020"'), read('"\u007f"')]).toEqual([' ', '\u007f']);
  });

  test.each<readonly [text: string, value: unknown]>([
    ['0', new npm.Int32(0)],
    ['-0', new npm.Double(-0)],
    ['0.0', new npm.Double(0)],
    ['10', new npm.Int32(10)],
    ['1.25', new npm.Double(1.25)],
    ['1e2', new npm.Double(100)],
    ['1E2', new npm.Double(100)],
    ['1e+2', new npm.Double(100)],
    ['100e-2', new npm.Double(1)],
    ['2147483647', new npm.Int32(2147483647)],
    ['-2147483649', npm.Long.fromNumber(-2147483649)],
    ['9223372036854775807', npm.Long.MAX_VALUE],
    ['-9223372036854775809', new npm.Double(-(2 ** 63))],
  ])('parses the number %s as the smallest type that holds it', (text, value) => {
    expect(read(text)).toStrictEqual(value);
  });

  test.each(['1.', '.5', '1e', '1e+', '-', '00', '1.5.2', '0x1', 'truex', 'nul', 'Infinity', 'NaN'])(
    'rejects the text %s',
    text => {
      expect(read(text)).toBeTypeOf('string');
    },
  );

  test('arrays and objects may be empty, and must not end with a comma', () => {
    expect([read('[]'), read('{}'), read('[[],{}]')]).toEqual([[], {}, [[], {}]]);
    expect([read('[1,]'), read('[,1]'), read('{"b":1,}'), read('{,}'), read('[1'), read('{"b":1')]).toEqual([
      '"]" instead of a value at character 8.',
      '"," instead of a value at character 6.',
      '"}" instead of """ at character 12.',
      '"," instead of """ at character 6.',
      '"}" instead of "]" at character 7.',
      'the end of the text instead of "}" at character 12.',
    ]);
  });

  test('values in siblings do not count as nested', () => {
    const siblings = `[${Array(500).fill('[],{}').join(',')}]`;
    expect(read(siblings)).toHaveLength(1000);
  });
});

describe('base64', () => {
  test.each<readonly [bytes: readonly number[], text: string]>([
    [[], ''],
    [[0], 'AA=='],
    [[255], '/w=='],
    [[0, 16], 'ABA='],
    [[255, 255], '//8='],
    [[1, 2, 3], 'AQID'],
    [[251, 239, 190, 62], '++++Pg=='],
    [[102, 111, 111, 98, 97], 'Zm9vYmE='],
    [[102, 111, 111, 98, 97, 114], 'Zm9vYmFy'],
  ])('decodes %j to %s', (bytes, text) => {
    expect([toBase64(Uint8Array.from(bytes)), fromBase64(text)]).toEqual([text, Uint8Array.from(bytes)]);
  });

  test.each(['A', 'AA', 'AAA', 'AA=', 'A===', '====', 'AA==AA==', 'AAAA=', '=AAA', 'AA-_', 'AAA\n', ' AAAA'])(
    'rejects %j',
    text => {
      expect(fromBase64(text)).toBeUndefined();
    },
  );
});

describe('Extended JSON, "Generators"', () => {
  const text = (value: unknown, relaxed: boolean): string =>
    stringifyExtendedJson({ a: value }, { relaxed }).slice('{"a":'.length, -1);

  test.each<readonly [name: string, value: unknown, canonical: string, relaxed?: string]>([
    ['double', 1e15, '{"$numberDouble":"1000000000000000.0"}', '1000000000000000.0'],
    ['double', 1e16, '{"$numberDouble":"1E+16"}', '1E+16'],
    ['double', -1e16, '{"$numberDouble":"-1E+16"}', '-1E+16'],
    ['double', new npm.Double(5), '{"$numberDouble":"5.0"}', '5.0'],
    ['double', Infinity, '{"$numberDouble":"Infinity"}'],
    ['double', -Infinity, '{"$numberDouble":"-Infinity"}'],
    ['string', 'a"\\\u0001ä', '"a\\"\\\\\\u0001ä"'],
    ['binary', new npm.Binary(Uint8Array.of(1, 2), 5), '{"$binary":{"base64":"AQI=","subType":"05"}}'],
    ['binary', new npm.Binary(Uint8Array.of(1, 2), 0x80), '{"$binary":{"base64":"AQI=","subType":"80"}}'],
    ['ObjectId', new npm.ObjectId('0123456789abcdef01234567'), '{"$oid":"0123456789abcdef01234567"}'],
    ['boolean', true, 'true'],
    ['boolean', false, 'false'],
    ['date', new Date(0), '{"$date":{"$numberLong":"0"}}', '{"$date":"1970-01-01T00:00:00Z"}'],
    ['date', new Date(100), '{"$date":{"$numberLong":"100"}}', '{"$date":"1970-01-01T00:00:00.100Z"}'],
    [
      'date',
      new Date(253402300799999),
      '{"$date":{"$numberLong":"253402300799999"}}',
      '{"$date":"9999-12-31T23:59:59.999Z"}',
    ],
    ['null', null, 'null'],
    ['regex', new npm.BSONRegExp('a"', 'i'), '{"$regularExpression":{"pattern":"a\\"","options":"i"}}'],
    ['code', new npm.Code('f"'), '{"$code":"f\\""}'],
    [
      'code with a scope',
      new npm.Code('f', { b: 1 }),
      '{"$code":"f","$scope":{"b":{"$numberInt":"1"}}}',
      '{"$code":"f","$scope":{"b":1}}',
    ],
    ['symbol', new npm.BSONSymbol('s"'), '{"$symbol":"s\\""}'],
    ['timestamp', new npm.Timestamp({ t: 5, i: 6 }), '{"$timestamp":{"t":5,"i":6}}'],
    ['int64', npm.Long.fromNumber(5), '{"$numberLong":"5"}', '5'],
    ['decimal', npm.Decimal128.fromString('1.5'), '{"$numberDecimal":"1.5"}'],
    ['minKey', new npm.MinKey(), '{"$minKey":1}'],
    ['maxKey', new npm.MaxKey(), '{"$maxKey":1}'],
    ['array', [1, [], {}], '[{"$numberInt":"1"},[],{}]', '[1,[],{}]'],
    ['document', { 'b"': {} }, '{"b\\"":{}}'],
  ])('%s: %o', (_, value, canonical, relaxed = canonical) => {
    expect([text(value, false), text(value, true)]).toEqual([canonical, relaxed]);
  });
});

describe('BSON Binary Subtype 9, "Validity Criteria": vectors', () => {
  const refusal = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      expect(error).toMatchObject({ kind: 'usage' });
      return (error as Error).message.replace(/^Invalid vector: it has /, '');
    }
  };
  const made = (...given: Parameters<typeof vectorOf>): unknown => {
    const answer = refusal(() => vectorOf(...given));
    return answer instanceof npm.Binary ? [...answer.buffer] : answer;
  };
  const found = (...bytes: readonly number[]): unknown =>
    refusal(() => vectorIn(new npm.Binary(Uint8Array.from(bytes), 9)));

  test('elements must be in the range of their type', () => {
    expect([
      made('int8', [-128, 127]),
      made('int8', [-129]),
      made('int8', [128]),
      made('int8', [0.5]),
      made('packedBit', [0, 255]),
      made('packedBit', [-1]),
      made('packedBit', [256]),
      made('float32', [1, -2]),
      made('float32', []),
    ]).toEqual([
      [3, 0, 128, 127],
      'the element -129, but elements must be integers from -128 to 127.',
      'the element 128, but elements must be integers from -128 to 127.',
      'the element 0.5, but elements must be integers from -128 to 127.',
      [0x10, 0, 0, 255],
      'the element -1, but elements must be integers from 0 to 255.',
      'the element 256, but elements must be integers from 0 to 255.',
      [0x27, 0, 0, 0, 128, 63, 0, 0, 0, 192],
      [0x27, 0],
    ]);
  });

  test('padding must be valid for the type and the elements', () => {
    expect([
      made('packedBit', [0b11100000], 5),
      made('packedBit', [0b11110000], 5),
      made('packedBit', [128], 7),
      made('packedBit', [128], 8),
      made('packedBit', [], 1),
      made('packedBit', [], 0),
      made('int8', [1], 1),
      made('float32', [1], 1),
      made('int8', [1], -1),
      made('int8', [1], 256),
      made('int8', [1], 0.5),
      made('packedBit', [], 255),
    ]).toEqual([
      [0x10, 5, 0b11100000],
      'unused bits that are not zero.',
      [0x10, 7, 128],
      'a padding of 8, but at most 7 bits can be unused.',
      'a padding of 1 and no elements.',
      [0x10, 0],
      'a padding of 1, which is valid only for packedBit.',
      'a padding of 1, which is valid only for packedBit.',
      'the padding -1.',
      'the padding 256.',
      'the padding 0.5.',
      'a padding of 255, but at most 7 bits can be unused.',
    ]);
  });

  test('vectorIn reads only vectors with a valid header and length', () => {
    expect([
      found(3, 0, 1, 255),
      found(0x27, 0, 0, 0, 128, 63, 0, 0, 0, 192),
      found(0x10, 3, 0b11111000),
      found(0x10, 0),
      found(3),
      found(),
      found(3, 1, 1),
      found(0x27, 1, 0, 0, 0, 0),
      found(0x27, 0, 0, 0, 0),
      found(0x10, 8, 0),
      found(0x10, 7),
      found(0x10, 3, 0b11111100),
      found(0x11, 0),
    ]).toEqual([
      { type: 'int8', elements: Int8Array.of(1, -1) },
      { type: 'float32', elements: Float32Array.of(1, -2) },
      { type: 'packedBit', elements: Uint8Array.of(0b11111000), padding: 3 },
      { type: 'packedBit', elements: new Uint8Array(0), padding: 0 },
      'fewer than the two bytes of its header.',
      'fewer than the two bytes of its header.',
      'a padding of 1, which is valid only for packedBit.',
      'a padding of 1, which is valid only for packedBit.',
      'a length that is not a multiple of 4 bytes.',
      'a padding of 8, but at most 7 bits can be unused.',
      'a padding of 7 and no elements.',
      'unused bits that are not zero.',
      'the unknown type 17.',
    ]);
    expect(refusal(() => vectorIn(new npm.Binary(Uint8Array.of(3, 0), 4)))).toBe('the subtype 4 instead of 9.');
  });
});
