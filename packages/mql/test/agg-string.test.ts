import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BinaryValue,
  CodeValue,
  DateValue,
  ObjectIdValue,
  SymbolValue,
  TimestampValue,
  UNDEFINED,
} from '../src/value/value.js';
import { checkExpressions as check, date, evaluate, refused } from './agg-cases.js';
import { decimal, double, oid } from './shorthand.js';

check('$concat', [
  [{ $concat: ['a', 'b', 'c'] }, 'abc'],
  [{ $concat: [] }, ''],
  [{ $concat: 'x' }, 'x'],
  [{ $concat: ['$item', ' - ', '$description'] }, null, { item: 'x', description: null }],
  [{ $concat: ['$item', ' - ', '$missing'] }, null, { item: 'x' }],
  [{ $concat: [null, 5] }, null],
  [{ $concat: ['a', 5] }, refused(16702, '$concat only supports strings, not int')],
]);

check('$toLower, $toUpper accept strings and convertible types', [
  [{ $toLower: 'ABC é É' }, 'abc é É'],
  [{ $toUpper: 'abc é' }, 'ABC é'],
  [{ $toUpper: null }, ''],
  [{ $toLower: '$missing' }, ''],
  [{ $toUpper: UNDEFINED }, ''],
  [{ $toLower: 12 }, '12'],
  [{ $toLower: 12n }, '12'],
  [{ $toLower: 1.5 }, '1.5'],
  [{ $toLower: 1234.5678 }, '1234.57'],
  [{ $toLower: double(100000) }, '100000'],
  [{ $toLower: double(1e6) }, '1e+06'],
  [{ $toLower: double(1099511627776) }, '1.09951e+12'],
  [{ $toLower: double(0.0001) }, '0.0001'],
  [{ $toLower: double(0.00001234567) }, '1.23457e-05'],
  [{ $toLower: double(-0) }, '-0'],
  [{ $substrBytes: [double(Infinity), 0, 4] }, 'inf'],
  [{ $toUpper: double(-Infinity) }, '-INF'],
  [{ $toLower: double(NaN) }, 'nan'],
  [{ $toUpper: new TimestampValue(1, 2) }, 'JAN  1 00:00:01:2'],
  [{ $substrBytes: [new TimestampValue(1_700_000_000, 7), 0, 20] }, 'Nov 14 22:13:20:7'],
  [{ $toLower: decimal('1.50') }, '1.50'],
  [{ $toUpper: new SymbolValue('abc') }, 'ABC'],
  [{ $toUpper: new CodeValue('abc') }, 'ABC'],
  [{ $toLower: date('2020-01-02T03:04:05.678Z') }, '2020-01-02t03:04:05.678z'],
  [{ $toLower: [[1]] }, refused(16007, `can't convert from BSON type array to String`)],
  [{ $toLower: { a: 1 } }, refused(16007, `can't convert from BSON type object to String`)],
  [{ $toLower: true }, refused(16007, `can't convert from BSON type bool to String`)],
]);

check('$strcasecmp', [
  [{ $strcasecmp: ['abc', 'ABC'] }, 0],
  [{ $strcasecmp: ['abc', 'abd'] }, -1],
  [{ $strcasecmp: ['b', 'ABC'] }, 1],
  [{ $strcasecmp: [null, '$missing'] }, 0],
  [{ $strcasecmp: ['1', 1] }, 0],
]);

check('$substrBytes and $substr: "UTF-8 encoded bytes"', [
  [{ $substrBytes: ['abcde', 1, 2] }, 'bc'],
  [{ $substrBytes: ['Hello World!', 6, 5] }, 'World'],
  [{ $substrBytes: ['abc', 10, 1] }, ''],
  [{ $substrBytes: ['abc', 1, -1] }, 'bc'],
  [{ $substrBytes: ['abc', 1, 100n] }, 'bc'],
  [{ $substrBytes: ['cafétéria', 0, 5] }, 'café'],
  [
    { $substrBytes: ['cafétéria', 7, 3] },
    refused(28656, '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.'),
  ],
  [
    { $substrBytes: ['cafétéria', 0, 4] },
    refused(28657, '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.'),
  ],
  [{ $substrBytes: [null, 0, 1] }, ''],
  [{ $substrBytes: [12345, 1, 2] }, '23'],
  [{ $substrBytes: ['abc', -1, 2] }, refused(50752, '$substrBytes:  starting index must be non-negative (got: -1)')],
  [
    { $substrBytes: ['abc', 'x', 2] },
    refused(16034, '$substrBytes:  starting index must be a numeric type (is BSON type string)'),
  ],
  [
    { $substrBytes: ['abc', 0, null] },
    refused(16035, '$substrBytes:  length must be a numeric type (is BSON type null)'),
  ],
  [{ $substr: ['abcde', 1, 2.9] }, 'bc'],
  [{ $substr: ['abc', 0] }, refused(16020, 'Expression $substrBytes takes exactly 3 arguments. 2 were passed in.')],
]);

check('$substrCP: "code points"', [
  [{ $substrCP: ['cafétéria', 3, 3] }, 'été'],
  [{ $substrCP: ['寿司sushi', 0, 3] }, '寿司s'],
  [{ $substrCP: ['a😀b', 1, 1] }, '😀'],
  [{ $substrCP: ['abc', 5, 1] }, ''],
  [{ $substrCP: [null, 0, 1] }, ''],
  [
    { $substrCP: ['abc', 'x', 1] },
    refused(34450, '$substrCP: starting index must be a numeric type (is BSON type string)'),
  ],
  [
    { $substrCP: ['abc', 0.5, 1] },
    refused(34451, '$substrCP: starting index cannot be represented as a 32-bit integral value: 0.5'),
  ],
  [{ $substrCP: ['abc', 0, 'x'] }, refused(34452, '$substrCP: length must be a numeric type (is BSON type string)')],
  [
    { $substrCP: ['abc', 0, 1.5] },
    refused(34453, '$substrCP: length cannot be represented as a 32-bit integral value: 1.5'),
  ],
  [{ $substrCP: ['abc', 0, -1] }, refused(34454, '$substrCP: length must be a nonnegative integer.')],
  [{ $substrCP: ['abc', -1, 1] }, refused(34455, '$substrCP: the starting index must be nonnegative integer.')],
]);

check('$strLenBytes, $strLenCP, $binarySize', [
  [{ $strLenBytes: 'abcde' }, 5],
  [{ $strLenBytes: 'cafétéria' }, 11],
  [{ $strLenBytes: '' }, 0],
  [{ $strLenBytes: '$€λG' }, refused(34473, '$strLenBytes requires a string argument, found: missing')],
  [{ $strLenBytes: { $literal: '$€λG' } }, 7],
  [{ $strLenBytes: 5 }, refused(34473, '$strLenBytes requires a string argument, found: int')],
  [{ $strLenBytes: null }, refused(34473, '$strLenBytes requires a string argument, found: null')],
  [{ $strLenCP: { $literal: '$€λG' } }, 4],
  [{ $strLenCP: 'a😀' }, 2],
  [{ $strLenCP: '$missing' }, refused(34471, '$strLenCP requires a string argument, found: missing')],
  [{ $binarySize: 'é' }, 2],
  [{ $binarySize: new BinaryValue(0, Uint8Array.of(1, 2, 3)) }, 3],
  [{ $binarySize: null }, null],
  [{ $binarySize: 5 }, refused(51276, '$binarySize requires a string or BinData argument, found: int')],
]);

check('$indexOfBytes, $indexOfCP', [
  [{ $indexOfBytes: ['cafeteria', 'e'] }, 3],
  [{ $indexOfBytes: ['cafétéria', 'é'] }, 3],
  [{ $indexOfBytes: ['cafétéria', 'e'] }, -1],
  [{ $indexOfBytes: ['cafétéria', 't'] }, 5],
  [{ $indexOfBytes: ['foo.bar.fi', '.', 5] }, 7],
  [{ $indexOfBytes: ['vanilla', 'll', 0, 2] }, -1],
  [{ $indexOfBytes: ['vanilla', 'ni', 2] }, 2],
  [{ $indexOfBytes: ['vanilla', 'll', 12] }, -1],
  [{ $indexOfBytes: ['vanilla', 'll', 5, 2] }, -1],
  [{ $indexOfBytes: [null, 'foo'] }, null],
  [{ $indexOfBytes: ['$missing', 5] }, null],
  [
    { $indexOfBytes: ['vanilla', null] },
    refused(40092, '$indexOfBytes requires a string as the second argument, found: null'),
  ],
  [{ $indexOfBytes: [5, 'x'] }, refused(40091, '$indexOfBytes requires a string as the first argument, found: int')],
  [
    { $indexOfBytes: ['vanilla', 'nilla', -1] },
    refused(40097, '$indexOfBytes requires a nonnegative starting index, found: -1'),
  ],
  [
    { $indexOfBytes: ['vanilla', 'nilla', 'x'] },
    refused(40096, '$indexOfBytesrequires an integral starting index, found a value of type: string, with value: "x"'),
  ],
  [{ $indexOfCP: ['cafétéria', 't'] }, 4],
  [{ $indexOfCP: ['cafétéria', 'é', 4] }, 5],
  [{ $indexOfCP: ['a😀b', 'b'] }, 2],
  [{ $indexOfCP: ['abc', 'bcd'] }, -1],
  [{ $indexOfCP: ['', ''] }, 0],
  [{ $indexOfCP: ['abc', 'c', 0, 2] }, -1],
  [{ $indexOfCP: [3, 1, 2] }, refused(40093, '$indexOfCP requires a string as the first argument, found: int')],
  [{ $indexOfCP: ['ab', 1] }, refused(40094, '$indexOfCP requires a string as the second argument, found: int')],
  [
    { $indexOfCP: 'x' },
    refused(28667, 'Expression $indexOfCP takes at least 2 arguments, and at most 4, but 1 were passed in.'),
  ],
]);

check('$split', [
  [{ $split: ['June-15-2013', '-'] }, ['June', '15', '2013']],
  [{ $split: ['banana split', 'a'] }, ['b', 'n', 'n', ' split']],
  [{ $split: ['Hello World', ' '] }, ['Hello', 'World']],
  [{ $split: ['astronomical', 'astro'] }, ['', 'nomical']],
  [{ $split: ['pea green boat', 'owl'] }, ['pea green boat']],
  [{ $split: ['', 'x'] }, ['']],
  [{ $split: [null, 'x'] }, null],
  [
    { $split: ['headphone jack', 7] },
    refused(40086, '$split requires an expression that evaluates to a string as a second argument, found: int'),
  ],
  [
    { $split: [7, 'x'] },
    refused(40085, '$split requires an expression that evaluates to a string as a first argument, found: int'),
  ],
  [{ $split: ['a', ''] }, refused(40087, '$split requires a non-empty separator')],
]);

check('$trim, $ltrim, $rtrim', [
  [{ $trim: { input: '  \n good  bye \t  ' } }, 'good  bye'],
  [{ $trim: { input: ' ggggoodbyeeeee', chars: 'ge' } }, ' ggggoodby'],
  [{ $trim: { input: ' ggggoodbyeeeee    ', chars: ' ge' } }, 'oodby'],
  [{ $trim: { input: '\u00a0x\u2003' } }, 'x'],
  [{ $trim: { input: 'x😀', chars: '😀' } }, 'x'],
  [{ $trim: { input: '   ' } }, ''],
  [{ $ltrim: { input: ' ggggoodbyeeeee', chars: ' gd' } }, 'oodbyeeeee'],
  [{ $rtrim: { input: ' ggggoodbyeeeee    ', chars: 'e ' } }, ' ggggoodby'],
  [{ $trim: { input: null } }, null],
  [{ $trim: { input: 'x', chars: null } }, null],
  [{ $trim: { input: 5 } }, refused(50699, '$trim requires its input to be a string, got 5 (of type int) instead.')],
  [
    { $ltrim: { input: 'x', chars: 5 } },
    refused(50700, `$ltrim requires 'chars' to be a string, got 5 (of type int) instead.`),
  ],
  [{ $trim: 'x' }, refused(50696, '$trim only supports an object as an argument, found string')],
  [{ $rtrim: { chars: 'x' } }, refused(50695, `$rtrim requires an 'input' field`)],
  [{ $trim: { input: 'x', other: 1 } }, refused(50694, '$trim found an unknown argument: other')],
]);

check('$replaceOne, $replaceAll', [
  [{ $replaceOne: { input: 'blue paint, blue', find: 'blue', replacement: 'red' } }, 'red paint, blue'],
  [{ $replaceAll: { input: 'blue paint, blue', find: 'blue', replacement: 'red' } }, 'red paint, red'],
  [{ $replaceAll: { input: 'a.b.c', find: '.', replacement: { $literal: '$&' } } }, 'a$&b$&c'],
  [{ $replaceOne: { input: 'abc', find: 'x', replacement: 'y' } }, 'abc'],
  [{ $replaceAll: { input: 'ab', find: '', replacement: '-' } }, '-a-b-'],
  [{ $replaceOne: { input: null, find: 'x', replacement: 'y' } }, null],
  [{ $replaceOne: { input: 'x', find: '$missing', replacement: 'y' } }, null],
  [
    { $replaceOne: { input: 1, find: 'x', replacement: 'y' } },
    refused(51746, `$replaceOne requires that 'input' be a string, found: 1`),
  ],
  [
    { $replaceAll: { input: 'x', find: 1, replacement: 'y' } },
    refused(51745, `$replaceAll requires that 'find' be a string, found: 1`),
  ],
  [
    { $replaceAll: { input: 'x', find: 'x', replacement: 1 } },
    refused(51744, `$replaceAll requires that 'replacement' be a string, found: 1`),
  ],
  [{ $replaceOne: { find: 'x', replacement: 'y' } }, refused(51749, `$replaceOne requires 'input' to be specified`)],
  [{ $replaceOne: { input: 'x', replacement: 'y' } }, refused(51748, `$replaceOne requires 'find' to be specified`)],
  [{ $replaceOne: { input: 'x', find: 'y' } }, refused(51747, `$replaceOne requires 'replacement' to be specified`)],
  [{ $replaceOne: 'x' }, refused(51751, '$replaceOne requires an object as an argument, found: string')],
  [
    { $replaceOne: { input: 'x', find: 'y', replacement: 'z', k: 1 } },
    refused(51750, '$replaceOne found an unknown argument: k'),
  ],
]);

check('$regexFind, $regexFindAll, $regexMatch', [
  [{ $regexFind: { input: 'Café', regex: /fé/ } }, { match: 'fé', idx: 2, captures: [] }],
  [{ $regexFind: { input: 'single LINE', regex: 'line', options: 'i' } }, { match: 'LINE', idx: 7, captures: [] }],
  [{ $regexFind: { input: '😀ab', regex: '(a)(x)?' } }, { match: 'a', idx: 1, captures: ['a', null] }],
  [{ $regexFind: { input: 'abc', regex: 'x' } }, null],
  [{ $regexFind: { input: null, regex: 'x' } }, null],
  [{ $regexFind: { input: 'x', regex: null } }, null],
  [
    { $regexFind: { input: 'aunt.arc.tica@example.com', regex: /([a-z.]+)@([a-z]+)\.com/ } },
    { match: 'aunt.arc.tica@example.com', idx: 0, captures: ['aunt.arc.tica', 'example'] },
  ],
  [
    { $regexFindAll: { input: 'a1b22', regex: '[0-9]+' } },
    [
      { match: '1', idx: 1, captures: [] },
      { match: '22', idx: 3, captures: [] },
    ],
  ],
  [
    { $regexFindAll: { input: 'ab', regex: '' } },
    [
      { match: '', idx: 0, captures: [] },
      { match: '', idx: 1, captures: [] },
    ],
  ],
  [{ $regexFindAll: { input: '', regex: '' } }, [{ match: '', idx: 0, captures: [] }]],
  [{ $regexFindAll: { input: '$missing', regex: 'x' } }, []],
  [{ $regexMatch: { input: 'Line2', regex: /line/i } }, true],
  [{ $regexMatch: { input: 'a\nb', regex: '^b$', options: 'm' } }, true],
  [{ $regexMatch: { input: 'a b', regex: 'a  b', options: 'x' } }, false],
  [{ $regexMatch: { input: 'ab', regex: 'a  b # comment', options: 'x' } }, true],
  [{ $regexMatch: { input: null, regex: 'x' } }, false],
  [{ $regexMatch: { input: 5, regex: 'x' } }, refused(51104, `$regexMatch needs 'input' to be of type string`)],
  [
    { $regexMatch: { input: 'x', regex: 5 } },
    refused(51105, `$regexMatch needs 'regex' to be of type string or regex`),
  ],
  [
    { $regexMatch: { input: 'x', regex: 'x', options: 5 } },
    refused(51106, `$regexMatch needs 'options' to be of type string`),
  ],
  [
    { $regexMatch: { input: 'x', regex: /x/i, options: 'm' } },
    refused(51107, `$regexMatch: found regex option(s) specified in both 'regex' and 'option' fields`),
  ],
  [
    { $regexMatch: { input: 'x', regex: 'x', options: 'g' } },
    refused(51108, '$regexMatch invalid flag in regex options: g'),
  ],
  [
    { $regexMatch: { input: 'x', regex: 'a\0' } },
    refused(51109, '$regexMatch: regular expression cannot contain an embedded null byte'),
  ],
  [{ $regexFind: { input: 'x', regex: '(' } }, refused(51111, /^Invalid Regex in \$regexFind: /)],
  [{ $regexFind: 'x' }, refused(51103, '$regexFind expects an object of named arguments but found: string')],
  [{ $regexFind: { regex: 'x' } }, refused(31022, `$regexFind requires 'input' parameter`)],
  [{ $regexFind: { input: 'x' } }, refused(31023, `$regexFind requires 'regex' parameter`)],
  [{ $regexFindAll: { input: 'x', regex: 'x', k: 1 } }, refused(31024, '$regexFindAll found an unknown argument: k')],
]);

check('$toString and the shorthands of $convert', [
  [{ $toString: 5 }, '5'],
  [{ $toString: 2.5 }, '2.5'],
  [{ $toString: double(1) }, '1'],
  [{ $toString: double(1e20) }, '1e+20'],
  [{ $toString: double(-0) }, '-0'],
  [{ $toString: double(NaN) }, 'NaN'],
  [{ $toString: double(-Infinity) }, '-Infinity'],
  [{ $toString: 5n }, '5'],
  [{ $toString: decimal('2.50') }, '2.50'],
  [{ $toString: true }, 'true'],
  [{ $toString: oid(255) }, '0000000000000000000000ff'],
  [{ $toString: date('2018-03-27T16:58:51.538Z') }, '2018-03-27T16:58:51.538Z'],
  [{ $toString: new BinaryValue(0, Uint8Array.of(1, 2, 3, 4)) }, 'AQIDBA=='],
  [{ $toString: 'x' }, 'x'],
  [{ $toString: null }, null],
  [{ $toString: '$missing' }, null],
  [
    { $toString: [['x']] },
    refused(241, 'Unsupported conversion from array to string in $convert with no onError value'),
  ],
  [{ $toString: [1, 2] }, refused(50723, '$toString requires a single argument, got 2')],
  [{ $toInt: '5' }, 5],
  [{ $toInt: '-05' }, -5],
  [{ $toInt: 5.9 }, 5],
  [{ $toInt: -5.9 }, -5],
  [{ $toInt: true }, 1],
  [{ $toInt: decimal('5.9') }, 5],
  [{ $toInt: 2147483648n }, refused(241, 'Conversion would overflow target type in $convert with no onError value: ')],
  [
    { $toInt: double(2147483648) },
    refused(241, 'Conversion would overflow target type in $convert with no onError value: 2147483648'),
  ],
  [
    { $toInt: double(NaN) },
    refused(241, 'Attempt to convert NaN value to integer type in $convert with no onError value'),
  ],
  [
    { $toInt: double(Infinity) },
    refused(241, 'Attempt to convert infinity value to integer type in $convert with no onError value'),
  ],
  [
    { $toInt: '5.5' },
    refused(241, `Failed to parse number '5.5' in $convert with no onError value: Bad digit "." while parsing 5.5`),
  ],
  [{ $toInt: '' }, refused(241, `Failed to parse number '' in $convert with no onError value: Empty string`)],
  [{ $toInt: '0x6400' }, refused(241, 'Illegal hexadecimal input in $convert with no onError value: 0x6400')],
  [
    { $toInt: '3000000000' },
    refused(241, `Failed to parse number '3000000000' in $convert with no onError value: Overflow`),
  ],
  [
    { $toInt: date('2020-01-01') },
    refused(241, 'Unsupported conversion from date to int in $convert with no onError value'),
  ],
  [{ $toLong: '3000000000' }, 3000000000n],
  [{ $toLong: date('1970-01-01T00:00:01Z') }, 1000n],
  [{ $toLong: false }, 0n],
  [{ $toLong: 5 }, 5n],
  [
    { $toLong: double(9223372036854775808) },
    refused(241, 'Conversion would overflow target type in $convert with no onError value: 9.223372036854776e+18'),
  ],
  [{ $toDouble: '-5.5' }, -5.5],
  [{ $toDouble: '1e3' }, double(1000)],
  [{ $toDouble: 'Infinity' }, double(Infinity)],
  [{ $toDouble: true }, double(1)],
  [{ $toDouble: 5n }, double(5)],
  [{ $toDouble: decimal('0.5') }, 0.5],
  [{ $toDouble: date('1970-01-01T00:00:01Z') }, double(1000)],
  [
    { $toDouble: decimal('1E+400') },
    refused(241, 'Conversion would overflow target type in $convert with no onError value: 1E+400'),
  ],
  [
    { $toDouble: 'abc' },
    refused(241, `Failed to parse number 'abc' in $convert with no onError value: Did not consume whole string.`),
  ],
  [
    { $toDouble: ' 5' },
    refused(241, `Failed to parse number ' 5' in $convert with no onError value: Leading whitespace`),
  ],
  [{ $toDecimal: '1.50' }, decimal('1.50')],
  [{ $toDecimal: 2.5 }, decimal('2.50000000000000')],
  [{ $toDecimal: 5 }, decimal('5')],
  [{ $toDecimal: double(6) }, decimal('6.00000000000000')],
  [{ $toDecimal: true }, decimal('1')],
  [{ $toDecimal: 'x' }, refused(241, /^Failed to parse number 'x'/)],
  [{ $toBool: 0 }, false],
  [{ $toBool: 'false' }, true],
  [{ $toBool: '' }, true],
  [{ $toBool: double(-0) }, false],
  [{ $toBool: date('2020-01-01') }, true],
  [{ $toBool: oid(1) }, true],
  [{ $toBool: null }, null],
  [{ $toDate: 120000000000.5 }, new DateValue(120000000000)],
  [{ $toDate: 1253372036000n }, new DateValue(1253372036000)],
  [{ $toDate: decimal('1253372036000.50') }, new DateValue(1253372036000)],
  [{ $toDate: oid(0) }, new DateValue(0)],
  [{ $toDate: new TimestampValue(10, 1) }, new DateValue(10_000)],
  [{ $toDate: '2018-03-20' }, date('2018-03-20T00:00:00Z')],
  [{ $toDate: '2018-03-20T12:00:00+0500' }, date('2018-03-20T07:00:00Z')],
  [{ $toDate: 5 }, refused(241, 'Unsupported conversion from int to date in $convert with no onError value')],
  [{ $toDate: 'Friday' }, refused(241, /^Error parsing date string 'Friday'/)],
  [{ $toObjectId: '5AB9cbfa31c2ab715d42129e' }, ObjectIdValue.fromHex('5ab9cbfa31c2ab715d42129e')],
  [
    { $toObjectId: 'x' },
    refused(
      241,
      `Failed to parse objectId 'x' in $convert with no onError value: Invalid string length for parsing to OID, expected 24 but found 1`,
    ),
  ],
  [{ $toObjectId: 'zzzzzzzzzzzzzzzzzzzzzzzz' }, refused(241, /Invalid character found in hex string$/)],
  [
    { $toUUID: '00010203-0405-0607-0809-0a0b0c0d0e0f' },
    new BinaryValue(
      4,
      Uint8Array.from({ length: 16 }, (_, i) => i),
    ),
  ],
  [{ $toUUID: 'x' }, refused(241, /^Failed to parse BinData 'x'/)],
  [{ $isNumber: 5n }, true],
  [{ $isNumber: '5' }, false],
  [{ $isNumber: '$missing' }, false],
]);

check('$convert', [
  [{ $convert: { input: '5', to: 'int' } }, 5],
  [{ $convert: { input: '5', to: 16 } }, 5],
  [{ $convert: { input: 'x', to: 'int', onError: 'bad' } }, 'bad'],
  [{ $convert: { input: '$a', to: 'int', onError: '$b' } }, 7, { a: {}, b: 7 }],
  [{ $convert: { input: null, to: 'int', onNull: 'none' } }, 'none'],
  [{ $convert: { input: null, to: 'int' } }, null],
  [{ $convert: { input: 1, to: null } }, null],
  [{ $convert: { input: 1, to: { type: 'string' } } }, '1'],
  [{ $convert: { input: { a: 1 }, to: 'bool' } }, true],
  [
    { $convert: { input: 'aGk=', to: { type: 'binData', subtype: 0 }, format: 'base64' } },
    new BinaryValue(0, Uint8Array.of(104, 105)),
  ],
  [{ $convert: { input: '6869', to: 'binData', format: 'hex' } }, new BinaryValue(0, Uint8Array.of(104, 105))],
  [{ $convert: { input: 'hi', to: 'binData', format: 'utf8' } }, new BinaryValue(0, Uint8Array.of(104, 105))],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(251, 255)), to: 'string', format: 'base64url' } }, '-_8'],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(251, 255)), to: 'string', format: 'hex' } }, 'FBFF'],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(104, 105)), to: 'string', format: 'utf8' } }, 'hi'],
  [{ $convert: { input: 258, to: 'binData' } }, new BinaryValue(0, Uint8Array.of(2, 1, 0, 0))],
  [{ $convert: { input: 258, to: 'binData', byteOrder: 'big' } }, new BinaryValue(0, Uint8Array.of(0, 0, 1, 2))],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(2, 1)), to: 'int' } }, 258],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(2, 1)), to: 'long' } }, 258n],
  [{ $convert: { input: new BinaryValue(0, Uint8Array.of(0, 0, 0, 0, 0, 0, 248, 63)), to: 'double' } }, 1.5],
  [
    { $convert: { input: new BinaryValue(0, Uint8Array.of(1, 2, 3)), to: 'int' } },
    refused(241, /because of invalid length: 3$/),
  ],
  [
    { $convert: { input: 'x', to: 'binData' } },
    refused(4341115, `Format must be speficied when converting from 'string' to 'binData'`),
  ],
  [
    { $convert: { input: 'x', to: 'binData', format: 'z' } },
    refused(4341125, `Invalid 'format' argument for $convert: z`),
  ],
  [
    { $convert: { input: 'x', to: { type: 'binData', subtype: 4 }, format: 'hex' } },
    refused(241, /Only the 'uuid' format is allowed with the UUID subtype$/),
  ],
  [
    { $convert: { input: 'x', to: { type: 'binData', subtype: 100 }, format: 'hex' } },
    refused(4341107, /does not correspond to a BinData type: 100$/),
  ],
  [
    { $convert: { input: 1, to: 'binData', byteOrder: 'middle' } },
    refused(9130002, `Invalid 'byteOrder' argument for $convert: middle`),
  ],
  [{ $convert: { input: 1, to: 'nope' } }, refused(2, 'Unknown type name: nope')],
  [{ $convert: { input: 1, to: 1.5 } }, refused(9, `In $convert, numeric 'to' argument is not an integer`)],
  [
    { $convert: { input: 1, to: 100 } },
    refused(9, `In $convert, numeric value for 'to' does not correspond to a BSON type: 100`),
  ],
  [
    { $convert: { input: 1, to: true } },
    refused(9, `$convert's 'to' argument must be a string or number, but is bool`),
  ],
  [
    { $convert: { input: 1, to: 'array' } },
    refused(241, 'Unsupported conversion from int to array in $convert with no onError value'),
  ],
  [{ $convert: { to: 'int' } }, refused(9, `Missing 'input' parameter to $convert`)],
  [{ $convert: { input: 1 } }, refused(9, `Missing 'to' parameter to $convert`)],
  [{ $convert: { input: 1, to: 'int', k: 1 } }, refused(9, '$convert found an unknown argument: k')],
  [{ $convert: 1 }, refused(9, '$convert expects an object of named arguments but found: int')],
  [{ $type: 'x' }, 'string'],
  [{ $type: '$missing' }, 'missing'],
  [{ $type: 5n }, 'long'],
  [{ $type: [[]] }, 'array'],
]);

test('$concat with the separator reverses $split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('-', '::', 'é', '😀'),
      (parts, by) => {
        const clean = parts.map(part => part.replaceAll(by[0]!, '').replaceAll(by, ''));
        const joined = clean.flatMap((part, i) =>
          i === 0 ? [{ $literal: part }] : [{ $literal: by }, { $literal: part }],
        );
        expect(evaluate({ $split: [{ $concat: joined }, by] })).toEqual(clean);
      },
    ),
  );
});

test('$substrCP cuts a string at any position into parts that add up to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (short, at) => {
      const whole = { $literal: short };
      const parts = [{ $substrCP: [whole, 0, at] }, { $substrCP: [whole, at, 1000] }];
      expect(evaluate({ $concat: parts })).toBe(short);
    }),
  );
});
