/** Texts and keys of every length, with a character that is not ASCII, or an invalid byte, at every position. */
import * as npm from 'bson';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';
import type * as Host from '../src/host.js';

const lengths = Array.from({ length: 31 }, (_, length) => length);
const ascii = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, i) => 33 + ((i * 7 + length) % 90)));

/** Texts of this many bytes, each with the character at another position. */
const withOne = (length: number, character: string): readonly string[] => {
  const size = Buffer.byteLength(character);
  return Array.from({ length: Math.max(0, length - size + 1) }, (_, at) => {
    const around = ascii(length - size);
    return around.slice(0, at) + character + around.slice(at);
  });
};

/** Results of every way to read a document: alone, in a collection, through a view, and after other bytes. */
const readings = (bytes: Uint8Array, key: string): readonly unknown[] => {
  const shape = bson.shape();
  const behind = Uint8Array.from([...new Uint8Array(13).fill(200), ...bytes]).subarray(13);
  return [
    decode(bytes)[key],
    decode(bytes, shape)[key],
    decode(bytes, shape)[key],
    decode(bytes, { promoteValues: false })[key],
    decode(behind)[key],
    bson.read(bytes).text(key),
    bson.read(behind).value(key),
  ];
};

const all = <T>(value: T): readonly T[] => Array<T>(7).fill(value);

test.each(lengths)('reads a text of %d bytes as it was written', length => {
  for (const text of [ascii(length), ...['ä', '€', '😀', '\ufffd', '\0'].flatMap(one => withOne(length, one))]) {
    const bytes = encode({ a: text });
    expect(Buffer.compare(bytes, npm.serialize({ a: text }))).toBe(0);
    expect(readings(bytes, 'a')).toEqual(all(text));
  }
});

test.each(lengths)('reads a key of %d bytes as it was written', length => {
  for (const key of [ascii(length), ...['ä', '€', '😀'].flatMap(one => withOne(length, one))]) {
    const bytes = encode({ [key]: 'x' });
    expect(Buffer.compare(bytes, npm.serialize({ [key]: 'x' }))).toBe(0);
    expect(readings(bytes, key)).toEqual(all('x'));
    expect(Object.keys(decode(bytes))).toEqual([key]);
  }
});

test.each(lengths)('rejects a text of %d bytes with one invalid byte', length => {
  const clean = encode({ a: ascii(length) });
  for (let at = 0; at < length; at++)
    for (const wrong of [0x80, 0xc3, 0xff]) {
      const bytes = clean.slice();
      bytes[11 + at] = wrong;
      const message = 'a string that is not UTF-8 at byte 11 of the document';
      for (const read of [
        () => decode(bytes),
        () => decode(bytes, bson.shape()),
        () => decode(bytes, { promoteValues: false }),
        () => bson.read(Uint8Array.from([...new Uint8Array(13), ...bytes]).subarray(13)).text('a'),
      ])
        expect(read).toThrow(message);
    }
});

test('a view reports the offset of a text without a terminator, at any offset of the document', () => {
  const bytes = Uint8Array.from([...new Uint8Array(13), ...encode({ b: 1, a: 'text' })]).subarray(13);
  bytes[bytes.length - 2] = 1;
  const at = bytes.length - 2;
  expect(() => bson.read(bytes).text('a')).toThrow(`a string without a terminator at byte ${at} of the document`);
  expect(() => decode(bytes)).toThrow(`a string without a terminator at byte ${at} of the document`);
});

test('writes prepared elements of every length unchanged', () => {
  for (const length of [0, 1, 2, 3, 4, 5, 1000, 1001, 1013, 1014, 1015, 1016, 1017, 1024, 1025, 5000]) {
    const document = { a: 'x'.repeat(length) };
    const writer = bson.writer();
    writer.begin(16);
    writer.elements(bson.elements(document));
    writer.int32('b', 5);
    writer.endBody();
    expect(decode(writer.take().subarray(16))).toEqual({ ...document, b: 5 });
  }
});

describe('without Buffer', () => {
  afterAll(() => {
    vi.resetModules();
  });

  test('the UTF-8 length of a text equals the number of its bytes', async () => {
    vi.resetModules();
    vi.stubGlobal('Buffer', undefined);
    // The query makes Vitest load the source, so that it can load it again.
    const source = '../src/host.ts?again';
    const { utf8Length } = (await import(source).finally(() => {
      vi.unstubAllGlobals();
    })) as typeof Host;
    const texts = ['', 'a', '\x7f', '\x80', 'ä', '\u07ff', '\u0800', '€', '\uffff', '😀', 'a😀b', '😀😀'];
    const lone = ['\ud83d', '\ude00', '\ud83da', '\ud83d\ud83d\ude00', '\ude00\ud83d', '\ud83d€', '\ud83d\ue000x'];
    for (const text of [...texts, ...lone])
      expect(utf8Length(text), JSON.stringify(text)).toBe(Buffer.byteLength(text));
  });
});
