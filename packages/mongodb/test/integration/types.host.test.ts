import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from '@tessera/mongodb';
import { describe, expect, test } from 'vitest';
import { needs, useDeployment } from './deployment.js';
import type { Feature } from './deployment.js';

const deployment = useDeployment();

/** A value of each BSON type, and the feature that a server needs to return it unchanged. */
const values: readonly (readonly [name: string, value: unknown, feature?: Feature])[] = [
  ['a double', new Double(1.5)],
  ['a whole double', new Double(3)],
  ['the largest double', new Double(Number.MAX_VALUE)],
  ['infinity', new Double(Infinity), 'infinity and NaN'],
  ['a string', 'grüße 日本語 🙂'],
  ['an empty string', ''],
  ['a string with a null character', 'a\0b', 'null characters'],
  ['a document', { a: { b: { c: new Int32(1) } } }],
  ['an empty document', {}],
  ['an array', [new Int32(1), 'two', [new Int32(3)], { four: new Int32(4) }], 'nested arrays'],
  ['bytes', new Binary(Buffer.from([0, 1, 255]), 0)],
  ['no bytes', new Binary(Buffer.alloc(0), 0)],
  ['bytes of a user-defined subtype', new Binary(Buffer.from([7]), 128), 'byte-exact types'],
  ['a UUID', new UUID('0123456789abcdef0123456789abcdef')],
  ['an ObjectId', new ObjectId('0123456789abcdef01234567')],
  ['true', true],
  ['false', false],
  ['a date', new Date('2024-02-29T12:34:56.789Z')],
  ['a date before 1970', new Date('1900-01-01T00:00:00.001Z')],
  ['null', null],
  ['a regular expression', new BSONRegExp('^a.*b$', 'im')],
  ['code', new Code('return 1'), 'byte-exact types'],
  ['code with a scope', new Code('return x', { x: new Int32(1) }), 'byte-exact types'],
  ['a symbol', new BSONSymbol('s'), 'symbols'],
  ['a 32-bit integer', new Int32(-2147483648)],
  ['a timestamp', new Timestamp({ t: 1_700_000_000, i: 7 })],
  ['a 64-bit integer', Long.fromString('9223372036854775807')],
  ['a small 64-bit integer', Long.fromNumber(1)],
  ['a decimal', Decimal128.fromString('1234567890.123456789'), 'Decimal128'],
  ['a decimal not a number', Decimal128.fromString('NaN'), 'Decimal128'],
  ['the smallest key', new MinKey(), 'byte-exact types'],
  ['the largest key', new MaxKey(), 'byte-exact types'],
];

describe('every BSON type is stored and returned unchanged:', () => {
  test.for(values)('%s', async ([, value, feature], context) => {
    if (feature !== undefined) needs(context, feature);
    const collection = deployment.collection();
    await collection.insertOne({ _id: 1, value });
    const found = await collection.findOne({}, { promoteValues: false, bsonRegExp: true });
    expect(found).toEqual({ _id: new Int32(1), value });
    expect(Object.getPrototypeOf(found?.['value'] ?? Object)).toBe(Object.getPrototypeOf(value ?? Object));
  });
});

test('numbers, bytes and regular expressions are promoted by default', async () => {
  const collection = deployment.collection();
  await collection.insertOne({
    _id: 1,
    int: new Int32(1),
    long: Long.fromNumber(2),
    double: new Double(2.5),
    regex: /a+/i,
    bytes: Buffer.from('abc'),
  });
  const found = await collection.findOne({}, { promoteBuffers: true });
  expect(found).toEqual({ _id: 1, int: 1, long: 2, double: 2.5, regex: /a+/i, bytes: Buffer.from('abc') });
  expect((await collection.findOne({}, { useBigInt64: true }))?.['long']).toBe(2n);
});

test('NaN is returned as NaN', async context => {
  needs(context, 'infinity and NaN');
  const collection = deployment.collection();
  await collection.insertOne({ _id: 1, value: NaN });
  expect(await collection.findOne()).toEqual({ _id: 1, value: NaN });
});

test('fields keep their order, even with numeric names', async context => {
  needs(context, 'key order');
  const collection = deployment.collection<object>();
  const document = new Map<string, unknown>([
    ['_id', 1],
    ['b', 1],
    ['2', 2],
    ['a', 3],
    ['1', 4],
  ]);
  await collection.insertOne(document);
  const raw = (await collection.findOne({}, { raw: true })) as unknown as Uint8Array;
  const at = ['b', '2', 'a', '1'].map(name => Buffer.from(raw).indexOf(`\x10${name}\0`));
  expect(at).toEqual([...at].sort((a, b) => a - b));
});

test('ignoreUndefined decides whether undefined is omitted or stored as null', async () => {
  const collection = deployment.collection();
  await collection.insertOne({ _id: 1, a: undefined }, { ignoreUndefined: true });
  await collection.insertOne({ _id: 2, a: undefined });
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2, a: null }]);
});

test('documents are found by values of each type', async () => {
  const collection = deployment.collection<{ _id: ObjectId; at: Date; big: Long; bytes: Binary }>();
  const id = new ObjectId();
  await collection.insertOne({ _id: id, at: new Date(1), big: Long.MAX_VALUE, bytes: new Binary(Buffer.from('x')) });
  for (const filter of [
    { _id: id },
    { at: new Date(1) },
    { big: Long.MAX_VALUE },
    { bytes: new Binary(Buffer.from('x')) },
  ])
    expect(await collection.countDocuments(filter)).toBe(1);
});

test('a document of almost 16 MB is stored and returned', { timeout: 60_000 }, async () => {
  const collection = deployment.collection();
  const text = 'y'.repeat(16_700_000);
  await collection.insertOne({ _id: 1, text });
  expect((await collection.findOne())?.['text']).toBe(text);
});
