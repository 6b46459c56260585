/**
 * The exact messages for bytes that are not BSON, for values that BSON cannot hold, and for incorrect use of a writer.
 */
import type { Document } from '@tessera/contracts';
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode, stringifyExtendedJson } from '@tessera/bson';
import { slabSize } from '../src/encode/slab.js';

const thrown = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return [(error as { kind?: unknown }).kind, (error as Error).message];
  }
};

const corrupt = (problem: string, at: number): unknown => [
  'protocol',
  `Invalid BSON: ${problem} at byte ${at} of the document. The bytes were damaged or truncated, or were never a document.`,
];

const int32 = (value: number): readonly number[] => [...new Uint8Array(Int32Array.of(value).buffer)];

/** A document of these elements, with a correct length. */
const documentOf = (...elements: readonly number[]): Uint8Array =>
  Uint8Array.from([...int32(elements.length + 5), ...elements, 0]);

/** A document with one element `a` of this type. Its value starts at byte 7. */
const element = (type: number, ...value: readonly number[]): Uint8Array => documentOf(type, 0x61, 0, ...value);

/** Every way to read a document, with and without a learned shape. */
const ways: readonly (readonly [name: string, read: (bytes: Uint8Array) => unknown])[] = [
  ['decode', bytes => decode(bytes)],
  ['decode with a shape', bytes => decode(bytes, bson.shape())],
  ['decode with classes', bytes => decode(bytes, { promoteValues: false })],
  ['decode with keepTypes', bytes => decode(bytes, { keepTypes: true })],
  ['Extended JSON', bytes => stringifyExtendedJson(bytes)],
];

describe('bytes that are not BSON', () => {
  const cut = 'a truncated value';

  test.each<readonly [name: string, bytes: Uint8Array, problem: string, at: number]>([
    ['no length', Uint8Array.of(5, 0, 0), 'a document of 3 bytes', 0],
    ['no elements', Uint8Array.of(4, 0, 0, 0), 'a document of 4 bytes', 0],
    ['another length', Uint8Array.of(6, 0, 0, 0, 0), 'a document whose length field is 6 instead of 5', 0],
    ['a negative length', Uint8Array.of(...int32(-5), 0), 'a document whose length field is -5 instead of 5', 0],
    ['no terminator', Uint8Array.of(5, 0, 0, 0, 1), 'a document without a terminator', 4],
    ['a key without a terminator', documentOf(10, 0x61), 'a key without a terminator', 5],
    ['an unknown type', element(20), 'an unknown element type 20', 7],
    ['type 0', element(0), 'an unknown element type 0', 7],
    ['a double', element(1, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['a date', element(9, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['a timestamp', element(17, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['an int64', element(18, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['an int32', element(16, 0, 0, 0), cut, 7],
    ['a boolean', element(8), cut, 7],
    ['an ObjectId', element(7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['a decimal128', element(19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), cut, 7],
    ['a string without its length', element(2, 1, 0, 0), 'a truncated length', 7],
    ['a string of no bytes', element(2, ...int32(0), 0), 'an invalid string length of 0 bytes', 7],
    ['a string of negative length', element(2, ...int32(-1), 0), 'an invalid string length of -1 bytes', 7],
    ['a string that is too long', element(2, ...int32(3), 0x61, 0), 'an invalid string length of 3 bytes', 7],
    ['a string without a terminator', element(2, ...int32(2), 0x61, 0x62), 'a string without a terminator', 12],
    ['a string that is not UTF-8', element(2, ...int32(2), 0xff, 0), 'a string that is not UTF-8', 11],
    ['code that is too long', element(13, ...int32(3), 0x61, 0), 'an invalid string length of 3 bytes', 7],
    ['code without a terminator', element(13, ...int32(1), 1), 'a string without a terminator', 11],
    ['a symbol that is too long', element(14, ...int32(3), 0x61, 0), 'an invalid string length of 3 bytes', 7],
    ['a symbol without a terminator', element(14, ...int32(1), 1), 'a string without a terminator', 11],
    ['a document of 4 bytes', element(3, ...int32(4)), 'an invalid length of 4 bytes', 7],
    ['a document that is too long', element(3, ...int32(6), 0), 'an invalid length of 6 bytes', 7],
    ['a document without a terminator', element(3, ...int32(5), 1), 'a document without a terminator', 11],
    ['an array that is too long', element(4, ...int32(6), 0), 'an invalid length of 6 bytes', 7],
    ['an array without a terminator', element(4, ...int32(5), 1), 'a document without a terminator', 11],
    ['a binary of negative length', element(5, ...int32(-1), 0), 'an invalid binary length of -1 bytes', 7],
    ['a binary that is too long', element(5, ...int32(2), 0, 1), 'an invalid binary length of 2 bytes', 7],
    ['a binary without its length', element(5, 0, 0), 'a truncated length', 7],
    [
      'a binary of subtype 2 without an inner length',
      element(5, ...int32(3), 2, 0, 0, 0),
      'a binary of subtype 2 without an inner length',
      7,
    ],
    [
      'a binary of subtype 2 with another inner length',
      element(5, ...int32(5), 2, ...int32(2), 1),
      'a binary of subtype 2 with the inner length 2',
      12,
    ],
    ['a boolean that is 2', element(8, 2), 'a boolean that is neither 0 nor 1', 7],
    ['a pattern without an end', element(11, 0x61, 0x61), 'a key without a terminator', 7],
    ['options without an end', element(11, 0x61, 0, 0x69), 'a key without a terminator', 9],
    ['a DBPointer that is cut off', element(12, ...int32(1), 0, 1, 2, 3), cut, 7],
    [
      'code with a scope of 13 bytes',
      element(15, ...int32(13), ...int32(0), ...int32(5), 0),
      'an invalid length of 13 bytes',
      7,
    ],
    [
      'code with a scope that is too short',
      element(15, ...int32(15), ...int32(1), 0, ...int32(5), 0, 0),
      'a scope that does not fill its code element',
      16,
    ],
  ])('%s is rejected at any offset of the document', (_, bytes, problem, at) => {
    for (const around of [[], [9, 9, 9], [0, 0, 0, 0]]) {
      const memory = Uint8Array.from([...around, ...bytes, ...around]);
      const placed = memory.subarray(around.length, around.length + bytes.length);
      for (const [name, read] of ways)
        expect(
          thrown(() => read(placed)),
          name,
        ).toEqual(corrupt(problem, at));
    }
  });

  test('errors in nested documents have the offset in the whole document', () => {
    const inner = element(8, 2);
    const whole = documentOf(3, 0x62, 0, ...inner);
    for (const [, read] of ways)
      expect(thrown(() => read(whole))).toEqual(corrupt('a boolean that is neither 0 nor 1', 14));
    const shifted = Uint8Array.from([9, 9, 9, ...whole]).subarray(3);
    for (const [, read] of ways)
      expect(thrown(() => read(shifted))).toEqual(corrupt('a boolean that is neither 0 nor 1', 14));
  });

  test('invalid raw documents and invalid items of raw lists are rejected', () => {
    const open = element(3, ...int32(5), 1);
    expect(thrown(() => decode(open, { raw: true }))).toEqual(corrupt('a document without a terminator', 11));
    const list = element(4, ...documentOf(3, 0x30, 0, ...int32(5), 1));
    expect(thrown(() => decode(list, { fieldsAsRaw: { a: true } }))).toEqual(
      corrupt('a document without a terminator', 18),
    );
  });

  test('documents may nest 400 levels deep, but not more', () => {
    const nested = (levels: number): Uint8Array => {
      let bytes = documentOf();
      for (let level = 1; level < levels; level++) bytes = documentOf(3, 0x61, 0, ...bytes);
      return bytes;
    };
    for (const [, read] of ways) {
      expect(read(nested(400))).toBeDefined();
      expect(thrown(() => read(nested(401)))).toEqual(corrupt('a document nested more than 400 levels deep', 400 * 7));
    }
  });

  test('a view reports invalid bytes when the value is read', () => {
    const view = (bytes: Uint8Array) => bson.read(bytes);
    expect([
      thrown(() => view(element(2, ...int32(2), 0x61, 0x62)).text('a')),
      thrown(() => view(element(2, ...int32(2), 0xff, 0)).text('a')),
      thrown(() => view(element(16, 0, 0, 0)).int('a')),
      thrown(() => view(element(18, 0, 0, 0)).long('a')),
      thrown(() => view(element(5, ...int32(9), 0)).bytes('a')),
      thrown(() => view(element(3, ...int32(9), 0)).view('a')),
      thrown(() => view(element(4, ...int32(9), 0)).batch('a')),
      thrown(() => view(element(8, 2)).value('a')),
      thrown(() => bson.read(documentOf(), 3, 2)),
      thrown(() => bson.read(documentOf(), -1, 5)),
      thrown(() => bson.read(documentOf(), 0, 6)),
    ]).toEqual([
      corrupt('a string without a terminator', 12),
      corrupt('a string that is not UTF-8', 11),
      corrupt('a truncated value', 7),
      corrupt('a truncated value', 7),
      corrupt('an invalid binary length of 9 bytes', 7),
      corrupt('an invalid length of 9 bytes', 7),
      corrupt('an invalid length of 9 bytes', 7),
      corrupt('a boolean that is neither 0 nor 1', 7),
      corrupt('a document range from 3 to 2 in a buffer of 5 bytes', 0),
      corrupt('a document range from -1 to 5 in a buffer of 5 bytes', 0),
      corrupt('a document range from 0 to 6 in a buffer of 5 bytes', 0),
    ]);
  });
});

describe('values of package bson that lack required members', () => {
  const foreign = (_bsontype: string, members: object = {}): object =>
    Object.assign(Object.create({ _bsontype }) as object, members);

  test.each<readonly [value: object, problem: string]>([
    [foreign('ObjectId'), 'it is an ObjectId without 12 bytes'],
    [foreign('ObjectId', { id: new Uint8Array(11) }), 'it is an ObjectId without 12 bytes'],
    [foreign('ObjectID', { toHexString: () => `${'0'.repeat(23)}g` }), 'it is an ObjectId without 12 bytes'],
    [foreign('ObjectID', { toHexString: () => '0'.repeat(25) }), 'it is an ObjectId without 12 bytes'],
    [foreign('Long', { low: 1 }), 'its low and high halves are not numbers'],
    [foreign('Long', { high: 1 }), 'its low and high halves are not numbers'],
    [foreign('Timestamp', { low: 1, high: '1' }), 'its low and high halves are not numbers'],
    [foreign('Double', { value: '1' }), 'it is a Double without a number'],
    [foreign('Int32'), 'it is a Int32 without a number'],
    [foreign('Decimal128', { bytes: new Uint8Array(15) }), 'it is a Decimal128 without 16 bytes'],
    [foreign('Decimal128', { bytes: '0123456789abcdef' }), 'it is a Decimal128 without 16 bytes'],
    [foreign('Binary'), 'it is a Binary without bytes'],
    [foreign('Binary', { buffer: new Uint8Array(1), position: '1' }), 'it is a Binary without bytes'],
    [foreign('Binary', { buffer: new Uint8Array(1), sub_type: '1' }), 'it is a Binary without bytes'],
    [foreign('Symbol', { value: 5 }), 'its "value" is not a string'],
    [foreign('BSONSymbol'), 'its "value" is not a string'],
    [foreign('BSONRegExp', { pattern: 5 }), 'its "pattern" is not a string'],
    [foreign('BSONRegExp', { pattern: '', options: 5 }), 'its "options" is not a string'],
    [foreign('DBPointer', { id: new npm.ObjectId() }), 'its "namespace" is not a string'],
    [foreign('Other'), 'it has the unknown _bsontype Other'],
  ])('rejects %o', (value, problem) => {
    for (const document of [{ a: value }, { a: [value] }])
      expect(thrown(() => encode(document))).toEqual([
        'usage',
        `Cannot write "a${Array.isArray(document.a) ? '.0' : ''}" as BSON: ${problem}.`,
      ]);
  });

  test('accepts complete values with the member names of any version', () => {
    const id = Uint8Array.from({ length: 12 }, (_, i) => i);
    const hex = '000102030405060708090a0b';
    const pairs: readonly (readonly [foreign: object, own: unknown])[] = [
      [foreign('ObjectId', { id }), new npm.ObjectId(hex)],
      [foreign('ObjectID', { buffer: id }), new npm.ObjectId(hex)],
      [foreign('ObjectId', { toHexString: () => hex.toUpperCase() }), new npm.ObjectId(hex)],
      [foreign('Long', { low: -1, high: 2 }), new npm.Long(-1, 2)],
      [foreign('Long', { low_: -1, high_: 2 }), new npm.Long(-1, 2)],
      [foreign('Timestamp', { low_: 5, high: 6 }), new npm.Timestamp({ i: 5, t: 6 })],
      [foreign('Double', { value: 5 }), new npm.Double(5)],
      [foreign('Int32', { value: -5 }), new npm.Int32(-5)],
      [foreign('Decimal128', { bytes: npm.Decimal128.fromString('1.5').bytes }), npm.Decimal128.fromString('1.5')],
      [foreign('Binary', { buffer: id, position: 3, sub_type: 0x80 }), new npm.Binary(id.subarray(0, 3), 0x80)],
      [foreign('Binary', { buffer: id, sub_type: 2 }), new npm.Binary(id, 2)],
      [foreign('UUID', { id: new Uint8Array(16) }), new npm.UUID(new Uint8Array(16))],
      [foreign('MinKey'), new npm.MinKey()],
      [foreign('MaxKey'), new npm.MaxKey()],
      [foreign('Code', { code: 'f' }), new npm.Code('f')],
      [foreign('Code', { code: 'f', scope: null }), new npm.Code('f')],
      [foreign('Code', { code: 'f', scope: { b: 1 } }), new npm.Code('f', { b: 1 })],
      [foreign('Symbol', { value: 's' }), new npm.BSONSymbol('s')],
      [foreign('BSONRegExp', { pattern: 'p', options: 'xi' }), new npm.BSONRegExp('p', 'ix')],
      [foreign('BSONRegExp', { pattern: 'p' }), new npm.BSONRegExp('p')],
      [foreign('DBRef', { collection: 'c', oid: 1, db: 'd' }), new npm.DBRef('c', 1 as never, 'd')],
      [
        foreign('DBRef', { namespace: 'c', oid: 1, db: null, fields: { x: 1 } }),
        new npm.DBRef('c', 1 as never, undefined, { x: 1 }),
      ],
    ];
    for (const [value, own] of pairs) expect(encode({ a: value }), String(own)).toEqual(encode({ a: own }));
    const pointer = encode({ a: foreign('DBPointer', { namespace: 'd.c', id: new npm.ObjectId(hex) }) });
    expect(Uint8Array.from(pointer)).toEqual(element(12, ...int32(4), 0x64, 0x2e, 0x63, 0, ...id));
    expect(Uint8Array.from(encode({ a: foreign('BSONUndefined') }))).toEqual(element(6));
  });
});

test('decodes an int64 as a number if it is exact, and as a Long otherwise', () => {
  const exact = [0n, 1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n) + 1n, -(2n ** 53n)];
  const inexact = [2n ** 53n + 1n, 2n ** 53n + 2n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)];
  for (const value of [...exact, ...inexact]) {
    const bytes = encode({ a: value, list: [value] });
    const expected = exact.includes(value) ? Number(value) : npm.Long.fromBigInt(value);
    for (const shape of [undefined, bson.shape()])
      expect(decode(bytes, shape), String(value)).toEqual({ a: expected, list: [expected] });
  }
});

test('writes a binary that just fits the memory, or just does not, completely', () => {
  for (let length = slabSize - 220; length <= slabSize + 20; length += 1) {
    const document = { a: new npm.Binary(new Uint8Array(length).fill(7)) };
    expect(
      Buffer.compare(encode(document), npm.serialize(document, { minInternalBufferSize: 2 * slabSize } as object)),
    ).toBe(0);
  }
});

test('writes a separate message if a getter uses the writer of its own message', () => {
  const write = (writer: ReturnType<typeof bson.writer>): Uint8Array => {
    writer.begin(16);
    writer.elements(bson.elements({ prepared: 1 }));
    writer.fields({ fields: 1 });
    writer.int32('int32', 1);
    writer.int64('int64', 2n);
    writer.value('value', 'x');
    writer.open('open', 'array');
    writer.value('0', 1);
    writer.close();
    writer.endBody();
    writer.section('documents');
    writer.document({ a: 1 });
    const { length } = writer;
    writer.document({ a: 2 });
    writer.cut(length);
    writer.patch(4, 77);
    return writer.take();
  };
  const writer = bson.writer();
  let within: Uint8Array | undefined;
  const document = {
    before: 1,
    get now(): number {
      within = Uint8Array.from(write(writer));
      return 2;
    },
    after: 3,
  };
  writer.begin(16);
  writer.fields(document);
  writer.endBody();
  expect(decode(writer.take().subarray(16))).toEqual({ before: 1, now: 2, after: 3 });
  expect(within).toEqual(Uint8Array.from(write(bson.writer())));
});

describe('binaries, dates and regular expressions', () => {
  test('writes values of every length completely', () => {
    for (const length of [0, 1, 31, 32, 33, 100, 5000]) {
      const content = Uint8Array.from({ length }, (_, i) => (i * 7) % 251);
      for (const subtype of [0, 2]) {
        const document = { a: new npm.Binary(content, subtype), b: 1 };
        expect(Buffer.compare(encode(document), npm.serialize(document))).toBe(0);
      }
    }
  });

  test('writes dates exactly', () => {
    for (const time of [0, 1, -1, 4294967295, 4294967296, -4294967296, -4294967297, 8.64e15, -8.64e15]) {
      const document = { a: new Date(time) };
      expect(Buffer.compare(encode(document), npm.serialize(document))).toBe(0);
      expect(decode(encode(document))).toEqual(document);
    }
  });

  test('orders flags like npm bson, and drops server flags that JavaScript lacks', () => {
    for (const flags of ['', 'i', 'g', 'm', 'gim', 'im', 'u', 'y'])
      expect(Buffer.compare(encode({ a: new RegExp('x', flags) }), npm.serialize({ a: new RegExp('x', flags) }))).toBe(
        0,
      );
    const read = (pattern: string, options: string): unknown =>
      decode(encode({ a: new npm.BSONRegExp(pattern, options) }))['a'];
    expect([read('x', 'ims'), read('x', 'lux'), read('x', ''), read('(?i)x', 'i')]).toEqual([
      /x/gim,
      /x/,
      /x/,
      new npm.BSONRegExp('(?i)x', 'i'),
    ]);
    expect(thrown(() => decode(element(11, 0x28, 0, 0x71, 0)))).toEqual(
      corrupt('a regular expression with the unknown options "q"', 9),
    );
  });
});

describe('incorrect use of a writer', () => {
  const begun = () => {
    const writer = bson.writer();
    writer.begin(16);
    return writer;
  };
  const mistake = (sentence: string): unknown => ['usage', `${sentence} This is a bug in the calling code.`];

  test('is reported with a message', () => {
    const writer = bson.writer();
    expect([
      thrown(() => begun().int32('a', 2 ** 31)),
      thrown(() => begun().int32('a', 0.5)),
      thrown(() => begun().int64('a', 2 ** 53)),
      thrown(() => begun().int64('a', NaN)),
      thrown(() => begun().close()),
      thrown(() => {
        const open = begun();
        open.open('a', 'array');
        open.open('b', 'document');
        open.endBody();
      }),
      thrown(() => begun().section('a\0')),
      ...[
        () => writer.int32('a', 1),
        () => writer.int64('a', 1),
        () => writer.value('a', 1),
        () => writer.fields({}),
        () => writer.elements(bson.elements({ a: 1 })),
        () => writer.open('a', 'array'),
        () => writer.endBody(),
        () => writer.section('a'),
        () => writer.document({}),
        () => writer.patch(0, 1),
        () => writer.take(),
      ].map(thrown),
    ]).toEqual([
      mistake('a: 2147483648 is not an int32.'),
      mistake('a: 0.5 is not an int32.'),
      mistake('a: 9007199254740992 is not an int64.'),
      mistake('a: NaN is not an int64.'),
      mistake('close() was called without open().'),
      mistake('endBody() was called with 2 open documents.'),
      mistake('The section name contains a NUL character.'),
      ...Array<unknown>(11).fill(mistake('begin() must be called before a message is written.')),
    ]);
    expect(thrown(() => begun().int32('a\0', 1))).toEqual([
      'usage',
      'Cannot write the document as BSON: its key contains a NUL character, which ends keys in BSON.',
    ]);
  });

  test('accepts numbers at the limits of their types', () => {
    const values: readonly (number | bigint)[] = [
      ...[0, -1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1],
      ...[2n ** 63n - 1n, -(2n ** 63n)],
    ];
    for (const value of values) {
      const writer = begun();
      writer.int64('a', value);
      writer.endBody();
      expect(bson.read(writer.take().subarray(16)).long('a')).toBe(BigInt(value));
    }
    for (const value of [0, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      const writer = begun();
      writer.int32('a', value);
      writer.endBody();
      expect(decode(writer.take().subarray(16))).toEqual({ a: value });
    }
  });
});

test('a view reports the bytes of a binary without a subtype, and of subtype 2 without an inner length', () => {
  const document: Document = { a: new npm.Binary(Uint8Array.of(1, 2), 0), b: new npm.Binary(Uint8Array.of(3), 2) };
  const view = bson.read(encode(document));
  expect([[...view.bytes('a')!], [...view.bytes('b')!]]).toEqual([[1, 2], [3]]);
  expect([...bson.read(element(5, ...int32(2), 2, 7, 8)).bytes('a')!]).toEqual([7, 8]);
});
