import { Int32, Long, ObjectId, serialize } from 'bson';
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
});
