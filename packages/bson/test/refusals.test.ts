import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';

/** The sentence with which the document is refused, which always has the kind `usage`. */
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

describe('what BSON cannot hold is refused with the path of the value', () => {
  test.each([
    [{ a: { b: [0, { c: invalid }] } }, 'Cannot write "a.b.1.c" as BSON: it is an invalid Date.'],
    [{ a: 1, b: Symbol('s') }, 'Cannot write "b" as BSON: a Symbol has no meaning outside of this process.'],
    [{ list: [1n, 2n ** 63n] }, 'Cannot write "list.1" as BSON: it is a bigint of more than 64 bits.'],
    [{ x: { 'a\0b': 1 } }, 'Cannot write "x.a\0b" as BSON: its key contains a NUL, which ends keys in BSON.'],
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

  test('a regular expression with a NUL in its pattern or its options', () => {
    const pattern = Object.assign(new npm.BSONRegExp('a'), { pattern: 'a\0' });
    const options = Object.assign(new npm.BSONRegExp('a'), { options: 'i\0' });
    expect(refusal({ x: { y: pattern } })).toBe(
      'Cannot write "x.y" as BSON: its pattern contains a NUL, which ends it in BSON.',
    );
    expect(refusal({ x: options })).toBe(
      'Cannot write "x" as BSON: its options contains a NUL, which ends it in BSON.',
    );
    expect(refusal({ x: new RegExp('a\0') })).toBe(
      'Cannot write "x" as BSON: its pattern contains a NUL, which ends it in BSON.',
    );
  });

  test('a vector that breaks the rules of its kind', () => {
    expect(refusal({ v: new npm.Binary(Uint8Array.of(0x27, 0, 1), 9) })).toMatch(
      /^Cannot write "v" as BSON: it is a vector with /,
    );
  });
});

describe('a document that contains itself is refused', () => {
  test('as a member, in an array, in a Map, through toBSON', () => {
    const member: npm.Document = { a: {} };
    (member['a'] as npm.Document)['b'] = member;
    const array: npm.Document = { list: [] };
    (array['list'] as unknown[]).push(array['list']);
    const map = new Map<string, unknown>();
    map.set('m', map);
    const endless = { toBSON: (): unknown => ({ next: endless }) };
    for (const document of [member, array, map, { endless }])
      expect(refusal(document)).toMatch(/it contains itself|nests more than 400 levels/);
    expect(refusal(member)).toMatch(/it contains itself/);
  });

  test('but the same object may stand in several places', () => {
    const shared = { a: 1 };
    expect(decode(encode({ x: shared, y: [shared, shared] }))).toEqual({ x: shared, y: [shared, shared] });
  });
});

test('300 levels can be written, 500 cannot', () => {
  const nested = (levels: number): npm.Document => {
    let document: npm.Document = {};
    for (let i = 0; i < levels; i++) document = { a: document };
    return document;
  };
  expect(decode(encode(nested(300)))).toEqual(nested(300));
  expect(refusal(nested(500))).toMatch(/it nests more than 400 levels deep\.$/);
});

test('a message of more than 64 MiB is refused', () => {
  const text = 'x'.repeat(40 * 1024 * 1024);
  expect(refusal({ a: [text, text] })).toMatch(
    /^Cannot write "a.1" as BSON: the document is larger than 67108864 bytes/,
  );
});

test('so is one that many documents make', () => {
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

describe('what is not a document is refused', () => {
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

  test.each([new Uint8Array(0), Uint8Array.of(5, 0, 0, 0, 1), Uint8Array.of(6, 0, 0, 0, 0)])('the bytes %o', bytes => {
    expect(refusal(bytes)).toMatch(/bytes are not a document: the length does not fit or the terminator is missing/);
  });
});

test('a key "_bsontype" of a plain object does not make it a value: it may come from outside', () => {
  const injected = JSON.parse('{"_bsontype":"ObjectId","id":"123456789012"}') as object;
  expect(refusal({ x: injected })).toMatch(/^Cannot write "x\._bsontype" as BSON: /);
  expect(refusal({ x: Object.assign(Object.create(null) as object, injected) })).toMatch(/^Cannot write "x" as BSON: /);
  expect(refusal({ _bsontype: 'Code' })).toMatch(/marks values of the package bson/);
  expect(refusal({ x: Object.assign(new Error(), { _bsontype: 'Any' }) })).toMatch(/the unknown _bsontype Any/);
});

test('checkKeys refuses keys that start with "$" or contain ".", but for those of a DBRef', () => {
  expect(refusal({ a: { $b: 1 } }, { checkKeys: true })).toBe(
    'Cannot write "a.$b" as BSON: its key starts with "$", and checkKeys is set.',
  );
  expect(refusal({ 'a.b': 1 }, { checkKeys: true })).toMatch(/its key contains "\."/);
  expect(decode(encode({ a: new npm.DBRef('c', 1 as never, 'd', { 'x.y': 1, $z: 2 }) }, { checkKeys: true }))).toEqual({
    a: { $ref: 'c', $id: 1, $db: 'd', 'x.y': 1, $z: 2 },
  });
});

test('an error of a getter or of toBSON comes out as it is, and the next document is written as ever', () => {
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
