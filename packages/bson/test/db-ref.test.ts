import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '@tessera/bson';

const id = new npm.ObjectId('60a6fe9a54f4180c86309efa');
const read = (document: object): unknown => decode(encode({ ref: document }))['ref'] as unknown;
const ref = ($id: unknown, db?: string, fields: object = {}): npm.DBRef =>
  new npm.DBRef('coll0', $id as npm.ObjectId, db, fields);

describe('decoding', () => {
  test.each([
    [{ $ref: 'coll0', $id: id }, ref(id)],
    [{ $ref: 'coll0', $id: 1 }, ref(1)],
    [{ $ref: 'coll0', $id: 1, $db: 'db0' }, ref(1, 'db0')],
  ])('DBRef, prose test D1: %o is a DBRef', (document, expected) => expect(read(document)).toStrictEqual(expected));

  test.each([
    [{ $ref: 'coll0', $id: 1, $db: 'db0', foo: 'bar' }, ref(1, 'db0', { foo: 'bar' })],
    [{ $ref: 'coll0', $id: 1, foo: true, bar: false }, ref(1, undefined, { foo: true, bar: false })],
    [{ $ref: 'coll0', $id: 1, meta: { foo: 1, bar: 2 } }, ref(1, undefined, { meta: { foo: 1, bar: 2 } })],
    [{ $ref: 'coll0', $id: 1, 'foo.bar': 0 }, ref(1, undefined, { 'foo.bar': 0 })],
  ])('DBRef, prose test D2: %o is a DBRef that keeps its extra fields', (document, expected) =>
    expect(read(document)).toStrictEqual(expected),
  );

  test.each([
    [{ $id: 1, $ref: 'coll0' }, ref(1)],
    [{ $db: 'db0', $ref: 'coll0', $id: 1 }, ref(1, 'db0')],
    [{ foo: 1, $id: 1, $ref: 'coll0' }, ref(1, undefined, { foo: 1 })],
    [{ foo: 1, $ref: 'coll0', $id: 1, $db: 'db0' }, ref(1, 'db0', { foo: 1 })],
    [{ foo: 1, $ref: 'coll0', $id: 1, $db: 'db0', bar: 1 }, ref(1, 'db0', { foo: 1, bar: 1 })],
  ])('DBRef, prose test D3: %o is a DBRef although its fields are out of order', (document, expected) =>
    expect(read(document)).toStrictEqual(expected),
  );

  test.each([[{ $ref: 'coll0' }], [{ $id: id }], [{ $db: 'db0' }]])(
    'DBRef, prose test D4: %o lacks a required field and stays a document',
    document => expect(read(document)).toStrictEqual(document),
  );

  test.each([[{ $ref: true, $id: 1 }], [{ $ref: 'coll0', $id: 1, $db: 1 }]])(
    'DBRef, prose test D5: %o has a field of the wrong type and stays a document',
    document => expect(read(document)).toStrictEqual(document),
  );

  // The specification decodes these as DBRefs. npm bson decodes them as documents, which applications and mongoose
  // expect.
  test.each([[{ $ref: 'coll0', $id: null }], [{ $ref: 'coll0', $id: 1, $foo: 'bar' }]])(
    'decodes %o as a document, like npm bson',
    document => expect(read(document)).toStrictEqual(document),
  );

  test('decodes a DBRef as a document if keepTypes is set', () => {
    const document = { ref: { $id: new npm.Int32(1), $ref: 'a.b' } };
    expect(decode(encode(document), { keepTypes: true })).toStrictEqual(document);
  });
});

describe('encoding', () => {
  test.each([
    [ref(id), { $ref: 'coll0', $id: id }],
    [ref(1), { $ref: 'coll0', $id: 1 }],
    [ref(null), { $ref: 'coll0', $id: null }],
    [ref(1, 'db0'), { $ref: 'coll0', $id: 1, $db: 'db0' }],
    [ref(1, 'db0', { foo: 'bar' }), { $ref: 'coll0', $id: 1, $db: 'db0', foo: 'bar' }],
    [ref(1, undefined, { foo: true, bar: false }), { $ref: 'coll0', $id: 1, foo: true, bar: false }],
    [ref(1, undefined, { meta: { foo: 1, bar: 2 } }), { $ref: 'coll0', $id: 1, meta: { foo: 1, bar: 2 } }],
    [ref(1, undefined, { $foo: 'bar', 'foo.bar': 0 }), { $ref: 'coll0', $id: 1, $foo: 'bar', 'foo.bar': 0 }],
  ])('DBRef, prose tests E1, E2: %o is encoded with its fields in order', (value, document) =>
    expect(encode({ ref: value })).toStrictEqual(encode({ ref: document })),
  );

  test.each([
    [
      { $id: 1, $ref: 'coll0' },
      { $ref: 'coll0', $id: 1 },
    ],
    [
      { $db: 'db0', $ref: 'coll0', $id: 1 },
      { $ref: 'coll0', $id: 1, $db: 'db0' },
    ],
    [
      { foo: 1, $id: 1, $ref: 'coll0' },
      { $ref: 'coll0', $id: 1, foo: 1 },
    ],
    [
      { foo: 1, $ref: 'coll0', $id: 1, $db: 'db0' },
      { $ref: 'coll0', $id: 1, $db: 'db0', foo: 1 },
    ],
    [
      { foo: 1, $ref: 'coll0', $id: 1, $db: 'db0', bar: 1 },
      { $ref: 'coll0', $id: 1, $db: 'db0', foo: 1, bar: 1 },
    ],
  ])('DBRef, prose test E3: %o is decoded and encoded with its fields in order', (document, ordered) =>
    expect(encode({ ref: read(document) })).toStrictEqual(encode({ ref: ordered })),
  );
});
