/** The fast decoder reads every valid document itself and never falls back to the slower plain decoder. */
import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, encode } from '@tessera/bson';
import { readFast, readFastArray } from '../src/decode/fast.js';
import { attach, memoryOf } from '../src/decode/memory.js';
import { CollectionShape } from '../src/shape.js';
import { documents } from './values.js';

const oid = new npm.ObjectId('0123456789abcdef01234567');

/** Values of every type, with lengths around the limits of the decoder. */
const values: readonly unknown[] = [
  ...[1.5, -0, NaN, '', 'a', 'ä', 'x'.repeat(24), 'x'.repeat(25), 'ä'.repeat(30), 0, -1, 2 ** 31 - 1, 2 ** 31],
  ...[npm.Long.MAX_VALUE, npm.Long.fromNumber(2 ** 53), npm.Long.fromNumber(-(2 ** 53)), true, false, null],
  ...[new Date(0), new Date(-1), oid, /a/i, new npm.BSONRegExp('a', 'xi'), new npm.BSONSymbol('s')],
  ...[new npm.Binary(new Uint8Array(0)), new npm.Binary(new Uint8Array(40), 2), new npm.UUID()],
  ...[new npm.Timestamp({ t: 1, i: 2 }), npm.Decimal128.fromString('1.5'), new npm.MinKey(), new npm.MaxKey()],
  ...[new npm.Code(''), new npm.Code('f'), new npm.Code('f', {}), new npm.Code('f', { a: { b: [1] } })],
  ...[{}, { a: 1 }, { a: { a: { a: {} } } }, { $ref: 'c', $id: 1 }, { $ref: 'c', $id: oid, $db: 'd', x: 1 }],
  ...[[], [1], [[], [[]], {}], [1, 'a', 1.5, null, true, oid, {}, [], 9, 10, 11], Array(20).fill({ a: 1 })],
];

const fastly = (document: npm.Document, times: number): void => {
  const bytes = encode(document);
  const expected = decode(bytes, { promoteValues: true, fieldsAsRaw: { none: true } });
  const { learned } = new CollectionShape({});
  const start = bytes.byteOffset;
  const end = start + bytes.byteLength;
  for (let time = 0; time < times; time++) {
    attach(memoryOf(bytes.buffer));
    deepStrictEqual(readFast(start, end, learned!), expected);
  }
};

test.each(values.map((value, index) => [index, value] as const))(
  'reads a value of every type alone, among others, and in arrays: %d, %o',
  (_, value) => {
    for (const document of [
      { a: value },
      { a: value, b: 1 },
      { z: 'x', a: value, b: value },
      { list: [value] },
      { list: [1, value, 'x', value] },
      { a: { b: value, c: [value, { d: value }] } },
    ])
      fastly(document, 40);
  },
);

test('reads documents with values of all types repeatedly', () => {
  fastly(Object.fromEntries(values.map((value, index) => [`key${index}`, value])), 100);
  fastly({ list: values }, 40);
});

test('reads documents of any shape', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(documents(), document => {
      fastly(document, 3);
    }),
    { numRuns: 100 },
  );
});

test('reads arrays like the values of documents', () => {
  const { learned } = new CollectionShape({});
  for (const list of [[], [1], values, Array(50).fill({ a: 1, b: [1, 2] })]) {
    const bytes = npm.serialize(Object.assign({}, list) as npm.Document);
    attach(memoryOf(bytes.buffer));
    const start = bytes.byteOffset;
    deepStrictEqual(
      readFastArray(start, start + bytes.byteLength, learned!),
      Object.values(decode(bytes, { fieldsAsRaw: { none: true } })),
    );
  }
});

test('reads 400 levels, and leaves deeper documents to the plain decoder', () => {
  const nested = (levels: number): npm.Document => {
    let document: npm.Document = {};
    for (let level = 1; level < levels; level++) document = level % 2 === 0 ? { a: document } : { a: [document] };
    return document;
  };
  fastly(nested(200), 3);
  const { learned } = new CollectionShape({});
  let bytes = Uint8Array.of(5, 0, 0, 0, 0);
  for (let level = 1; level < 401; level++) {
    const size = bytes.length + 8;
    bytes = Uint8Array.from([size & 255, size >> 8, 0, 0, 3, 0x61, 0, ...bytes, 0]);
  }
  attach(memoryOf(bytes.buffer));
  expect(() => readFast(0, bytes.length, learned!)).toThrow();
  const inner = bytes.slice(7, -1);
  attach(memoryOf(inner.buffer));
  expect(readFast(0, inner.length, learned!)).toHaveProperty('a');
});
