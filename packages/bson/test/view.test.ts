import { deepStrictEqual } from 'node:assert';
import * as npm from 'bson';
import { describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';

const reply = {
  cursor: { firstBatch: [{ a: 1 }, { a: 2 }, { a: 3 }], id: npm.Long.fromBigInt(2n ** 60n), ns: 'db.things' },
  ok: 1,
  half: 0.5,
  yes: true,
  no: false,
  small: new npm.Int32(-7),
  whole: new npm.Double(12),
  big: npm.Long.fromNumber(-(2 ** 53)),
  price: npm.Decimal128.fromString('2.5'),
  operationTime: new npm.Timestamp({ t: 4_000_000_000, i: 7 }),
  symbol: new npm.BSONSymbol('s'),
  nothing: null,
  id: new npm.Binary(Buffer.from('sixteen bytes ok'), 4),
  old: new npm.Binary(Buffer.from('abc'), 2),
  list: ['x', { y: 1 }],
  schlüssel: 'ü',
  '': 'empty',
};
const view = bson.read(encode(reply));

test('ok is true for every number type with value 1 and for true, and false otherwise', () => {
  for (const ok of [1, true, npm.Long.ONE, new npm.Double(1)]) expect(bson.read(encode({ ok })).ok).toBe(true);
  for (const document of [{ ok: 0 }, { ok: false }, { ok: '1' }, { ok: null }, { o: 1, okay: 1 }, {}]) {
    expect(bson.read(encode(document)).ok).toBe(false);
  }
});

test('int returns any number or boolean as a number, and undefined otherwise', () => {
  const names = ['ok', 'half', 'yes', 'no', 'small', 'whole', 'big', 'price', 'nothing', 'list', 'absent'];
  expect(names.map(name => view.int(name))).toEqual([
    1,
    0.5,
    1,
    0,
    -7,
    12,
    -(2 ** 53),
    2.5,
    undefined,
    undefined,
    undefined,
  ]);
});

test('int reads an int64 exactly if the highest bit of its low half is set', () => {
  const values = [2 ** 31, 2 ** 32 - 1, 2 ** 53 - 1, -1, -(2 ** 31)];
  const numbers = values.map(value => bson.read(encode({ n: npm.Long.fromNumber(value) })).int('n'));
  expect(numbers).toEqual(values);
});

test('long returns any integer, and the 64 bits of a Timestamp', () => {
  expect(view.view('cursor')?.long('id')).toBe(2n ** 60n);
  expect(view.long('operationTime')).toBe((4_000_000_000n << 32n) | 7n);
  expect(['small', 'whole', 'big', 'half', 'yes', 'absent'].map(name => view.long(name))).toEqual([
    -7n,
    12n,
    -(2n ** 53n),
    undefined,
    undefined,
    undefined,
  ]);
});

test('text returns strings and symbols, also for empty and non-ASCII keys', () => {
  expect(view.view('cursor')?.text('ns')).toBe('db.things');
  expect(['symbol', 'schlüssel', '', 'ok', 'schl'].map(name => view.text(name))).toEqual([
    's',
    'ü',
    'empty',
    undefined,
    undefined,
  ]);
});

test('finds a key by its full name only', () => {
  const document = bson.read(encode({ ab: 1, abc: 2, a: 3, abcd: 4 }));
  expect(['a', 'ab', 'abc', 'abcd', 'abcde', ''].map(name => document.int(name))).toEqual([
    3,
    1,
    2,
    4,
    undefined,
    undefined,
  ]);
  expect(document.has('abc')).toBe(true);
  expect(document.has('b')).toBe(false);
});

test('bytes returns a document, an array or the content of a binary without copying, and the raw value otherwise', () => {
  const bytes = encode(reply);
  const read = bson.read(bytes);
  const inner = read.bytes('cursor')!;
  deepStrictEqual(npm.deserialize(inner), npm.deserialize(encode(reply))['cursor']);
  expect(inner.buffer).toBe(bytes.buffer);
  expect(Buffer.from(read.bytes('id')!).toString()).toBe('sixteen bytes ok');
  expect(Buffer.from(read.bytes('old')!).toString()).toBe('abc');
  expect([...read.bytes('small')!]).toEqual([0xf9, 0xff, 0xff, 0xff]);
  expect(read.bytes('absent')).toBeUndefined();
});

test('view and batch return undefined for values of other types', () => {
  expect([view.view('ok'), view.view('absent'), view.batch('cursor'), view.batch('ok')]).toEqual(
    Array(4).fill(undefined),
  );
  expect(view.view('list')?.view('1')?.int('y')).toBe(1);
});

test('value and document decode with the options of the shape', () => {
  const shape = bson.shape({ promoteValues: false });
  deepStrictEqual(view.value('small', shape), new npm.Int32(-7));
  deepStrictEqual(view.value('small'), -7);
  expect(view.value('absent')).toBeUndefined();
  deepStrictEqual(view.view('cursor')?.document(), {
    firstBatch: [{ a: 1 }, { a: 2 }, { a: 3 }],
    id: npm.Long.fromBigInt(2n ** 60n),
    ns: 'db.things',
  });
  deepStrictEqual(bson.read(encode({ a: 1 })).document(shape), { a: new npm.Int32(1) });
});

test('reads values that are documents or arrays repeatedly, like those of a collection', () => {
  const shape = bson.shape();
  const bytes = encode({ value: { _id: 1, name: 'x', ref: { $ref: 'c', $id: 1 } }, values: [1, 'a', { b: 2 }, [3]] });
  const expected = npm.deserialize(bytes);
  for (let i = 0; i < 100; i++) {
    const read = bson.read(bytes);
    deepStrictEqual([read.value('value', shape), read.value('values', shape)], [expected['value'], expected['values']]);
  }
  bytes[bytes.indexOf(120)] = 0xff; // the text
  expect(() => bson.read(bytes).value('value', shape)).toThrow(/a string that is not UTF-8 at byte 34 of the document/);
});

test('accepts quoted text that a server cut inside a character without a shape, and rejects it with one', () => {
  const bytes = encode({ ok: 0, errmsg: 'dup key: { a: "a?', code: 11000 });
  bytes[bytes.indexOf('?'.charCodeAt(0))] = 0xc3;
  expect(bson.read(bytes).document()).toEqual({ ok: 0, errmsg: 'dup key: { a: "a\ufffd', code: 11000 });
  expect(() => bson.read(bytes).document(bson.shape())).toThrow('a string that is not UTF-8');
  expect(() => decode(bytes)).toThrow('a string that is not UTF-8');
});

test('a view finds the first of repeated keys, and decode keeps the last', () => {
  const bytes = Buffer.from('1700000010666f6f000100000010666f6f000200000000', 'hex'); // BSON Corpus, "Test duplicate keys"
  expect(bson.read(bytes).int('foo')).toBe(1);
  for (let i = 0; i < 50; i++) deepStrictEqual(decode(bytes), { foo: 2 });
  deepStrictEqual(decode(encode(decode(bytes))), { foo: 2 });
});

test('reads binaries of subtype 4 with 16 bytes as UUIDs, and other lengths as Binary', () => {
  const content = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
  const document = {
    uuid: new npm.UUID(content),
    old: new npm.Binary(content, 3),
    short: new npm.Binary(Buffer.alloc(3), 4),
  };
  deepStrictEqual(decode(encode(document)), document);
});

test('with raw, returns nested documents as bytes, and documents of a batch completely as bytes', () => {
  const shape = bson.shape({ raw: true });
  const bytes = encode({ outer: { inner: 1 }, list: [{ a: 1 }] });
  deepStrictEqual(bson.read(bytes).document(shape), npm.deserialize(bytes, { raw: true }));
  deepStrictEqual(bson.read(bytes).batch('list')?.next(shape), Buffer.from(encode({ a: 1 })));
});

describe('a batch', () => {
  const batchOf = (bytes: Uint8Array, lasting = false) => bson.read(bytes, 0, bytes.length, lasting).batch('list')!;

  test('returns its documents one by one and the number of documents left', () => {
    const batch = view.view('cursor')!.batch('firstBatch')!;
    const seen: unknown[] = [];
    for (let next = batch.next(); next !== undefined; next = batch.next()) seen.push([next, batch.length]);
    deepStrictEqual(seen, [
      [{ a: 1 }, 2],
      [{ a: 2 }, 1],
      [{ a: 3 }, 0],
    ]);
    expect(batch.next()).toBeUndefined();
  });

  test('that was kept remains readable after the buffer is overwritten', () => {
    const bytes = encode({ list: [{ a: 1 }, { a: 'two' }, { a: 3 }] });
    const batch = batchOf(bytes);
    batch.next();
    const kept = batch.keep();
    bytes.fill(0xff);
    expect(kept.length).toBe(2);
    deepStrictEqual([kept.next(), kept.next(), kept.next()], [{ a: 'two' }, { a: 3 }, undefined]);
  });

  test('in a permanent buffer is kept without a copy', () => {
    const bytes = encode({ list: [{ a: 1 }] });
    const kept = batchOf(bytes, true).keep();
    bytes[bytes.indexOf(1, 20)] = 9; // never done by callers; it shows that there is no copy
    deepStrictEqual(kept.next(), { a: 9 });
  });

  test('rejects items that are not documents', () => {
    const batch = batchOf(encode({ list: [{ a: 1 }, 5] }));
    expect(batch.length).toBe(2);
    deepStrictEqual(batch.next(), { a: 1 });
    expect(() => batch.next()).toThrow(/a value of type 16 in an array of documents at byte \d+/);
  });

  test('reports the offset in the whole reply, also after keep()', () => {
    const bytes = encode({ before: 'some text', list: [{ a: 1 }, { a: 'x' }] });
    const at = bytes.lastIndexOf(120) - 4; // the length of the text
    bytes[at] = 99;
    const message = new RegExp(`at byte ${String(at)} of the document`);
    expect(() => {
      const batch = batchOf(bytes);
      batch.next();
      batch.next();
    }).toThrow(message);
    expect(() => {
      const batch = batchOf(bytes);
      batch.next();
      batch.keep().next();
    }).toThrow(message);
  });
});

test('a document must fill the range between the two offsets', () => {
  const bytes = Uint8Array.from([9, 9, ...encode({ a: 5 }), 9]);
  expect(bson.read(bytes, 2, bytes.length - 1).int('a')).toBe(5);
  expect(() => bson.read(bytes, 2)).toThrow(/at byte 0 of the document/);
  expect(() => bson.read(bytes, 3, bytes.length - 1)).toThrow(/at byte 0/);
  expect(() => bson.read(new Uint8Array(4))).toThrow(/a document of 4 bytes at byte 0/);
});

test('returns the values of the right reply when two replies are read alternately', () => {
  const [one, two] = [bson.read(encode({ a: 1, b: { a: 2 }, ok: 1 })), bson.read(encode({ b: { a: 4 }, a: 3 }))];
  const asked = [one, two, one].map(reply => [reply.int('a'), reply.view('b')?.int('a'), reply.has('ok')]);
  expect(asked).toEqual([
    [1, 2, true],
    [3, 4, false],
    [1, 2, true],
  ]);
});

test('a reply may have any number of keys, with any characters', () => {
  const names = Array.from({ length: 60 }, (_, index) => (index % 7 === 0 ? `ü${index}` : `key${index}`));
  const many = bson.read(encode(Object.fromEntries(names.map((name, index) => [name, index]))));
  expect(names.map(name => many.int(name))).toEqual(names.map((_, index) => index));
  expect(['ü1', 'key', 'key100', ''].map(name => many.has(name))).toEqual([false, false, false, false]);
});

test('a large binary value shares the memory of a lasting reply; a smaller one, and one of a reply that does not last, is copied', () => {
  const large = new npm.Binary(Buffer.alloc(100_000, 1));
  const small = new npm.Binary(Buffer.alloc(10_000, 2));
  const received = Buffer.from(npm.serialize({ batch: [{ large, small }] }));
  const read = (lasting: boolean) => {
    const document = bson.read(received, 0, received.length, lasting).batch('batch')!.next()!;
    return [document['large'], document['small']] as npm.Binary[];
  };
  expect(read(true).map(({ buffer }) => buffer.buffer === received.buffer)).toEqual([true, false]);
  expect(read(false).map(({ buffer }) => buffer.buffer === received.buffer)).toEqual([false, false]);
  expect(read(true)).toEqual([large, small]);
});
