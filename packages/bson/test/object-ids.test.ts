import { describe, expect, test } from 'vitest';
import { createObjectIds } from '@tessera/bson';

/** A source with the given clock and random bytes. */
const source = (wallTime: () => number, bytes: readonly number[]): (() => string) => {
  const next = createObjectIds({
    clock: { wallTime },
    random: { bytes: length => Uint8Array.from(bytes).subarray(0, length) },
  });
  return () => next().toHexString();
};

describe('BSON ObjectID', () => {
  test.each([
    [0x00000000, 'Jan 1st, 1970 00:00:00 UTC', '1970-01-01T00:00:00.000Z'],
    [0x7fffffff, 'Jan 19th, 2038 03:14:07 UTC', '2038-01-19T03:14:07.000Z'],
    [0x80000000, 'Jan 19th, 2038 03:14:08 UTC', '2038-01-19T03:14:08.000Z'],
    [0xffffffff, 'Feb 7th, 2106 06:28:15 UTC', '2106-02-07T06:28:15.000Z'],
  ])('BSON ObjectID, prose test 1: the timestamp %i stands for %s', (seconds, _, iso) => {
    const id = createObjectIds({
      clock: { wallTime: () => seconds * 1000 + 999 },
      random: { bytes: n => new Uint8Array(n) },
    })();
    expect(id.toHexString().slice(0, 8)).toBe(seconds.toString(16).padStart(8, '0'));
    expect(id.getTimestamp().toISOString()).toBe(iso);
  });

  test('draws the random value once, and increments the counter by one from a random start', () => {
    let seconds = 1;
    const next = source(() => seconds++ * 1000, [1, 2, 3, 4, 5, 0xab, 0xcd, 0xef]);
    expect([next(), next(), next()]).toEqual([
      '000000010102030405abcdef',
      '000000020102030405abcdf0',
      '000000030102030405abcdf1',
    ]);
  });

  test('ids of one batch read the clock once and share the counter', () => {
    let seconds = 1;
    const next = createObjectIds({
      clock: { wallTime: () => seconds++ * 1000 },
      random: { bytes: () => Uint8Array.of(1, 2, 3, 4, 5, 0xab, 0xcd, 0xef) },
    });
    const many = next.many();
    expect([many(), many(), next(), many()].map(id => id.toHexString())).toEqual([
      '000000010102030405abcdef',
      '000000010102030405abcdf0',
      '000000020102030405abcdf1',
      '000000010102030405abcdf2',
    ]);
  });

  test('BSON ObjectID, prose test 2: the counter overflows from 0xFFFFFF to 0x000000', () => {
    const next = source(() => 0, [0, 0, 0, 0, 0, 0xff, 0xff, 0xff]);
    expect([next(), next()]).toEqual(['000000000000000000ffffff', '000000000000000000000000']);
  });

  test('BSON ObjectID, prose test 3: another source, as in another process, has another random value', () => {
    let drawn = 0;
    const random = { bytes: (length: number) => new Uint8Array(length).fill(++drawn) };
    const [a, b] = [
      createObjectIds({ clock: { wallTime: () => 0 }, random }),
      createObjectIds({ clock: { wallTime: () => 0 }, random }),
    ];
    expect(a().toHexString().slice(8, 18)).not.toBe(b().toHexString().slice(8, 18));
  });
});
