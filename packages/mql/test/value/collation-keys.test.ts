import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeys } from '../../src/value/collation-keys.js';

const byNumber = (a: string, b: string): number => Number(a) - Number(b);

const sign = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Checks that the keys of numbers, requested in this order, have the order of the numbers. Returns the longest one. */
const longest = (numbers: readonly number[]): number => {
  const { key } = createKeys(byNumber);
  for (const n of numbers) key(String(n));
  const sorted = [...new Set(numbers)].sort((a, b) => a - b).map(n => key(String(n)));
  expect(sorted.every((one, i) => i === 0 || sorted[i - 1]! < one)).toBe(true);
  return Math.max(...sorted.map(one => one.length));
};

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe('keys of strings under a collation', () => {
  test('have the order of the strings, and are the same for equal ones', () => {
    const text = fc
      .oneof(
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 0, max: 20 }).map(n => n / 8),
      )
      .map(String);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 300 }), texts => {
        const { key } = createKeys((a, b) => Math.floor(Number(a)) - Math.floor(Number(b)));
        for (const one of texts) key(one);
        for (const a of texts)
          for (const b of texts.slice(0, 20))
            expect(sign(key(a), key(b))).toBe(Math.sign(Math.floor(Number(a)) - Math.floor(Number(b))) + 0);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['in order', upTo(20_000), 3],
    ['in reverse order', upTo(20_000).reverse(), 3],
    ['in order, below a last one', [1e6, ...upTo(20_000)], 3],
    ['in reverse order, above a first one', [-1, ...upTo(20_000).reverse()], 3],
    ['from both sides', upTo(2000).map(n => (n % 2 === 0 ? n : 1e6 - n)), 150],
    ['at random', upTo(2000).map(n => (n * 7919) % 10_007), 3],
  ])('stay short if strings are new %s', (_, numbers, most) => {
    expect(longest(numbers)).toBeLessThanOrEqual(most);
  });

  test('are in order for lookups, which do not affect other keys', () => {
    const { key, lookup } = createKeys(byNumber);
    const { key: alone } = createKeys(byNumber);
    const even = upTo(2000).map(n => 2 * ((n * 7919) % 2003));
    for (const n of even) {
      lookup.key(String(n + 1));
      expect(key(String(n))).toBe(alone(String(n)));
    }
    for (const n of even)
      for (const other of even.slice(0, 20))
        expect(sign(lookup.key(String(n + 1)), key(String(other)))).toBe(Math.sign(n + 1 - other));
  });

  test('have no units that the keys of indexes escape', () => {
    const { key } = createKeys(byNumber);
    const keys = upTo(3000).map(n => key(String((n * 7919) % 10_007)));
    expect(keys.every(one => /^[\u0002-\u8001]+$/.test(one))).toBe(true);
  });
});
