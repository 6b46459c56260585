import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';

/** Returns the message of the error for the document, which must have the kind `usage`. */
const refusal = (document: unknown, options = {}): string => {
  try {
    encode(document as npm.Document, options);
  } catch (error) {
    expect(error).toMatchObject({ kind: 'usage' });
    return (error as Error).message;
  }
  throw new Error('it was written');
};

const invalid = new Date(NaN);

describe('encode rejects values that BSON cannot hold, with the path of the value', () => {
  test.each([
    [{ a: { b: [0, { c: invalid }] } }, 'Cannot write "a.b.1.c" as BSON: it is an invalid Date.'],
    [{ a: 1, b: Symbol('s') }, 'Cannot write "b" as BSON: BSON has no type for a Symbol.'],
    [{ list: [1n, 2n ** 63n] }, 'Cannot write "list.1" as BSON: it is a bigint of more than 64 bits.'],
    [{ x: { 'a\0b': 1 } }, 'Cannot write "x.a\0b" as BSON: its key contains a NUL character, which ends keys in BSON.'],
    [{ x: new npm.Code('f', { when: invalid }) }, 'Cannot write "x.when" as BSON: it is an invalid Date.'],
    [{ x: new Map<unknown, unknown>([['m', invalid]]) }, 'Cannot write "x.m" as BSON: it is an invalid Date.'],
    [{ x: new Map([[1, 2]]) }, 'Cannot write "x" as BSON: it is a Map with a key that is not a string.'],
    [{ x: [new npm.DBRef('c', invalid as never)] }, 'Cannot write "x.0.$id" as BSON: it is an invalid Date.'],
    [{ x: { toBSON: () => ({ y: invalid }) } }, 'Cannot write "x.y" as BSON: it is an invalid Date.'],
    [
      { x: Object.create(null, { y: { value: invalid, enumerable: true } }) as unknown },
      'Cannot write "x.y" as BSON: it is an invalid Date.',
    ],
    [{ '': { '': invalid } }, 'Cannot write "." as BSON: it is an invalid Date.'],
  ])('%o', (document, message) => {
    expect(refusal(document)).toBe(message);
    expect(refusal({ in: document })).toBe(message.replace('Cannot write "', 'Cannot write "in.'));
  });

  test('rejects a regular expression with a NUL in its pattern or options', () => {
    const pattern = Object.assign(new npm.BSONRegExp('a'), { pattern: 'a\0' });
    const options = Object.assign(new npm.BSONRegExp('a'), { options: 'i\0' });
    expect(refusal({ x: { y: pattern } })).toBe(
      'Cannot write "x.y" as BSON: its "pattern" contains a NUL character, which ends it in BSON.',
    );
    expect(refusal({ x: options })).toBe(
      'Cannot write "x" as BSON: its "options" contains a NUL character, which ends it in BSON.',
    );
    expect(refusal({ x: new RegExp('a\0') })).toBe(
      'Cannot write "x" as BSON: its "pattern" contains a NUL character, which ends it in BSON.',
    );
  });

  test('rejects an invalid vector', () => {
    expect(refusal({ v: new npm.Binary(Uint8Array.of(0x27, 0, 1), 9) })).toMatch(
      /^Cannot write "v" as BSON: it is a vector with /,
    );
  });
});

describe('a document that contains itself', () => {
  test('is rejected if the cycle runs through a member, an array, a Map or toBSON', () => {
    const member: npm.Document = { a: {} };
    (member['a'] as npm.Document)['b'] = member;
    const array: npm.Document = { list: [] };
    (array['list'] as unknown[]).push(array['list']);
    const map = new Map<string, unknown>();
    map.set('m', map);
    const endless = { toBSON: (): unknown => ({ next: endless }) };
    for (const document of [member, array, map, { endless }])
      expect(refusal(document)).toMatch(/it contains itself|nested more than 400 levels/);
    expect(refusal(member)).toMatch(/it contains itself/);
  });

  test('is rejected with the shortest path to the object that contains itself', () => {
    const film: npm.Document = { title: 'M' };
    film['sequel'] = { parts: [film] };
    expect(refusal(film)).toBe('Cannot write "sequel.parts" as BSON: it contains itself.');
    expect(refusal({ $set: { film } })).toBe('Cannot write "$set.film" as BSON: it contains itself.');
  });

  test('the same object may appear several times', () => {
    const shared = { a: 1 };
    expect(decode(encode({ x: shared, y: [shared, shared] }))).toEqual({ x: shared, y: [shared, shared] });
  });
});

test('writes 300 levels and rejects 500', () => {
  const nested = (levels: number): npm.Document => {
    let document: npm.Document = {};
    for (let i = 0; i < levels; i++) document = { a: document };
    return document;
  };
  expect(decode(encode(nested(300)))).toEqual(nested(300));
  expect(refusal(nested(500))).toMatch(/it is nested more than 400 levels deep\.$/);
});

test('rejects a message of more than 64 MiB', () => {
  const text = 'x'.repeat(40 * 1024 * 1024);
  expect(refusal({ a: [text, text] })).toMatch(
    /^Cannot write "a.1" as BSON: the document is larger than 67108864 bytes/,
  );
});

test('rejects many documents that add up to more than 64 MiB', () => {
  const writer = bson.writer();
  const megabyte = encode({ text: 'x'.repeat(1024 * 1024 - 20) });
  writer.begin(16);
  writer.endBody();
  writer.section('documents');
  let documents = 0;
  expect(() => {
    for (; documents < 100; documents++) writer.document(megabyte);
  }).toThrow(/the document is larger than 67108864 bytes/);
  expect(documents).toBe(64);
  expect(() => {
    for (;;) writer.elements(bson.element('x', megabyte));
  }).toThrow(expect.objectContaining({ kind: 'usage' }));
});

describe('rejects a value that is not a document', () => {
  test.each([
    [null, 'null'],
    [undefined, 'a value of type undefined'],
    ['text', 'a value of type string'],
    [[1], 'an array'],
    [new Date(), 'a Date'],
    [/a/, 'a RegExp'],
    [new ArrayBuffer(8), 'an ArrayBuffer'],
    [new npm.ObjectId(), 'a value of _bsontype ObjectId'],
  ])('%o', (document, what) => {
    expect(refusal(document)).toBe(`Cannot write the document as BSON: ${what} is not a document.`);
  });

  test.each([new Uint8Array(0), Uint8Array.of(5, 0, 0, 0, 1), Uint8Array.of(6, 0, 0, 0, 0)])(
    'rejects the bytes %o',
    bytes => {
      expect(refusal(bytes)).toMatch(
        /bytes are not a document: the length field is wrong or the terminator is missing/,
      );
    },
  );
});

test('rejects a plain object with a key "_bsontype" instead of treating it as a BSON value', () => {
  const injected = JSON.parse('{"_bsontype":"ObjectId","id":"123456789012"}') as object;
  expect(refusal({ x: injected })).toMatch(/^Cannot write "x\._bsontype" as BSON: /);
  expect(refusal({ x: Object.assign(Object.create(null) as object, injected) })).toMatch(/^Cannot write "x" as BSON: /);
  expect(refusal({ _bsontype: 'Code' })).toMatch(/reserved for values of the "bson" package/);
  expect(refusal({ x: Object.assign(new Error(), { _bsontype: 'Any' }) })).toMatch(/the unknown _bsontype Any/);
});

test('checkKeys rejects keys that start with "$" or contain ".", except in a DBRef', () => {
  expect(refusal({ a: { $b: 1 } }, { checkKeys: true })).toBe(
    'Cannot write "a.$b" as BSON: its key starts with "$", and checkKeys is set.',
  );
  expect(refusal({ 'a.b': 1 }, { checkKeys: true })).toMatch(/its key contains "\."/);
  expect(decode(encode({ a: new npm.DBRef('c', 1 as never, 'd', { 'x.y': 1, $z: 2 }) }, { checkKeys: true }))).toEqual({
    a: { $ref: 'c', $id: 1, $db: 'd', 'x.y': 1, $z: 2 },
  });
});

test('throws errors of getters and toBSON unchanged, and can write the next document', () => {
  const shape = bson.shape();
  const mine = new Error('mine');
  const throwing = {
    a: 1,
    get b(): never {
      throw mine;
    },
  };
  for (const document of [throwing, { x: [throwing] }, { toBSON: () => throwing.b }]) {
    expect(() => encode(document, shape)).toThrow(mine);
  }
  expect(decode(encode({ a: 1 }, shape))).toEqual({ a: 1 });
});
