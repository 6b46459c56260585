import { Binary, Code, Decimal128, Int32, Long, MaxKey, MinKey, ObjectId, serialize, Timestamp, UUID } from 'bson';
import { describe, expect, it } from 'vitest';
import { bson, encode } from '../src/index.js';

type Document = Record<string, unknown>;

/** More documents than a collection needs to get a straight-line function for their keys. */
const often = 100;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const learned = (make: (i: number) => Document): ((document: Document) => string) => {
  const shape = bson.shape();
  for (let i = 0; i < often; i++) encode(make(i), shape);
  return document => hex(encode(document, shape));
};

const theirs = (document: Document): string => hex(serialize(document, { ignoreUndefined: false }));

const values: readonly unknown[] = [
  ...[0, -0, 1, -1, 2 ** 31 - 1, 2 ** 31, 0.5, Number.NaN, Number.POSITIVE_INFINITY],
  ...['', 'text', 'é漢字😀', 'x'.repeat(41), 'x'.repeat(70_000), 'NUL\0inside'],
  ...[true, false, null, undefined, new Date(0), /a/i, new ObjectId('0'.repeat(24)), new Int32(1), Long.fromInt(2)],
  ...[new Uint8Array([1, 2]), [], [1, 'two', { three: 3 }], {}, { a: { b: { c: 1 } } }, 12n],
];

describe('documents with well-known keys', () => {
  it('keep values of every type at every position', () => {
    const keys = ['a', 'key', 'of some length', 'é'];
    const write = learned(i => Object.fromEntries(keys.map(key => [key, i])));
    for (const key of keys) {
      for (const value of values) {
        const document = { ...Object.fromEntries(keys.map(name => [name, 'before'])), [key]: value };
        expect(write(document), `${key}: ${String(value)}`).toBe(theirs(document));
      }
    }
  });

  it('keep a value of another type or class where the first documents have a value of a known class', () => {
    const id = new ObjectId('0123456789abcdef01234567');
    const known: readonly unknown[] = [
      ...[[1, 2], new Date(1.7e12), new Date(-1), Long.fromString('-5000000000'), id, new MinKey(), new MaxKey()],
      ...[new Timestamp({ t: 4_000_000_000, i: 7 }), new Binary(Buffer.from('bytes')), new UUID('0'.repeat(32))],
      ...[Decimal128.fromString('1.5'), new Code('code'), new Code('code', { a: 1 }), /a/i],
    ];
    for (const first of known) {
      const write = learned(() => ({ before: 'é', value: first, after: 1 }));
      for (const value of [...known, ...values]) {
        const document = { before: 'é', value, after: 1 };
        expect(write(document), `${String(first)}, then ${String(value)}`).toBe(theirs(document));
      }
      const hidden = Object.defineProperty(new Date(0), 'toBSON', { value: () => 'instead' });
      expect(write({ before: 1, value: hidden, after: 1 })).toBe(theirs({ before: 1, value: 'instead', after: 1 }));
    }
  });

  it('have room for large values of a known class', () => {
    const id = new ObjectId('0123456789abcdef01234567');
    const write = learned(() => ({ ids: id, code: new Code('short'), data: new Binary(Buffer.from('a')), last: id }));
    const large = { ids: id, code: new Code('é'.repeat(200_000)), data: new Binary(Buffer.alloc(400_000)), last: id };
    expect(write(large)).toBe(theirs(large));
  });

  it.each([32, 33, 64, 65, 200])('may have %i members', count => {
    const make = (i: number): Document =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`member${at}`, values[(i + at) % values.length]]));
    const write = learned(make);
    for (let i = 0; i < values.length; i++) expect(write(make(i))).toBe(theirs(make(i)));
  });

  it('are distinguished from documents with one key more, one less, or another order', () => {
    const write = learned(i => ({ a: i, b: i, c: i }));
    for (const document of [{ a: 1, b: 2 }, { a: 1, b: 2, c: 3, d: 4 }, { c: 1, b: 2, a: 3 }, {}, { a: 1, c: 2 }]) {
      expect(write(document)).toBe(theirs(document));
    }
  });

  it('are written by the function for their own keys if there are several', () => {
    const makers = [(i: number) => ({ a: i, b: 'b' }), (i: number) => ({ a: i, c: 'c' }), (i: number) => ({ z: i })];
    const write = learned(i => makers[i % 3]!(i));
    for (let i = 0; i < 9; i++) expect(write(makers[i % 3]!(i))).toBe(theirs(makers[i % 3]!(i)));
  });

  it('are written with a toBSON that is not enumerable', () => {
    const write = learned(i => ({ a: { b: i } }));
    const hidden = Object.defineProperty({ b: 1 }, 'toBSON', { value: () => ({ instead: 2 }) });
    expect(write({ a: hidden })).toBe(theirs({ a: { instead: 2 } }));
    const whole = Object.defineProperty({ a: { b: 1 } }, 'toBSON', { value: () => ({ instead: 3 }) });
    expect(write(whole)).toBe(theirs({ instead: 3 }));
  });

  it('are rejected with the path of a value that cannot be written', () => {
    const write = learned(i => ({ a: { b: i } }));
    expect(() => write({ a: { b: Symbol('c') } })).toThrow(/a\.b/);
  });

  it('are rejected with the path of an invalid value of a known class', () => {
    const dated = learned(i => ({ a: { b: new Date(i) } }));
    expect(() => dated({ a: { b: new Date(Number.NaN) } })).toThrow(/a\.b/);
    const binary = learned(() => ({ a: { b: new Binary(Buffer.from('a')) } }));
    const vector = new Binary(Buffer.from([0x27, 1]), 9);
    expect(() => binary({ a: { b: vector } })).toThrow(/a\.b/);
  });
});
