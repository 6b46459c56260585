import { describe, expect, test } from 'vitest';
import { isUtf8 } from '../src/utf8.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Whether the host's decoder accepts the bytes. */
const isSound = (bytes: Uint8Array): boolean => {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** The first and last bytes of every range of the Unicode standard's table 3-7, and their neighbors. */
const edges = [0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff];

/** Sequences of this many bytes that begin with this byte. */
const sequences = (lead: number, length: number): readonly (readonly number[])[] => {
  if (length === 1) return [[lead]];
  const tails = edges.flatMap(edge => sequences(edge, length - 1));
  return tails.map(tail => [lead, ...tail]);
};

const judged = (all: readonly (readonly number[])[]): readonly string[] =>
  all
    .map(bytes => Uint8Array.from(bytes))
    .filter(bytes => isUtf8(bytes, 0, bytes.length) !== isSound(bytes))
    .map(bytes => Buffer.from(bytes).toString('hex'));

describe('well-formed UTF-8', () => {
  test('judges every single byte and every pair of bytes like the host', () => {
    const bytes = Array.from({ length: 256 }, (_, i) => i);
    expect(
      judged([...bytes.map(lead => [lead]), ...bytes.flatMap(lead => bytes.map(second => [lead, second]))]),
    ).toEqual([]);
  });

  test.each([3, 4])('judges sequences of %d bytes at the edges of every range like the host', length => {
    const leads = Array.from({ length: 256 - 0xc0 }, (_, i) => 0xc0 + i);
    expect(judged(leads.flatMap(lead => sequences(lead, length)))).toEqual([]);
  });

  test('checks only the bytes between the offsets', () => {
    const bytes = Uint8Array.of(0xff, 0xe2, 0x82, 0xac, 0xff);
    expect([
      isUtf8(bytes, 1, 4),
      isUtf8(bytes, 0, 4),
      isUtf8(bytes, 1, 5),
      isUtf8(bytes, 1, 3),
      isUtf8(bytes, 2, 2),
    ]).toEqual([true, false, false, false, true]);
  });
});
