import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '@tessera/contracts';
import { inOneGo, metered, pause } from '@tessera/mql/engine';
import { sortedPositions } from '../src/sorted-positions.js';

/** Sorts positions with a stable sort by comparisons. */
const expected = (keys: readonly string[]): number[] =>
  keys.map((_, i) => i).sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : 0));

const sorted = (keys: readonly string[]): number[] => [...inOneGo(sortedPositions(keys))];

describe('the sorted positions of keys', () => {
  test.each([
    ['without keys', []],
    ['of one key', ['a']],
    ['of equal keys', Array.from({ length: 50 }, () => 'same')],
    ['of keys with a common prefix', Array.from({ length: 500 }, (_, i) => `name ${(i * 7919) % 500}`)],
    ['of keys that are prefixes of others', Array.from({ length: 300 }, (_, i) => 'ab'.repeat((i * 13) % 20))],
    ['of long keys that differ at their end', Array.from({ length: 300 }, (_, i) => 'x'.repeat(40) + ((i * 7) % 90))],
    ['of keys with two-byte units', Array.from({ length: 300 }, (_, i) => String.fromCharCode((i * 7919) % 0xffff))],
    ['of keys with few different values', Array.from({ length: 1_000 }, (_, i) => `group ${i % 7}`)],
  ])('%s are in the order of code units, and equal keys stay in order', (_, keys) => {
    expect(sorted(keys)).toEqual(expected(keys));
  });

  test('equal those of a stable sort for all keys', () => {
    const unit = fc.oneof(
      fc.constantFrom('\0', 'a', 'b', '\xff'),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    );
    const keys = fc.array(
      fc.array(unit, { maxLength: 12 }).map(units => units.join('')),
      { maxLength: 200, size: 'max' },
    );
    fc.assert(
      fc.property(keys, fc.string({ maxLength: 3 }), (list, prefix) => {
        const all = list.map(key => prefix + key);
        expect(sorted(all)).toEqual(expected(all));
      }),
    );
  });

  const numbered = (i: number): number => (i * 7_919) % 80_000;

  test.each([
    ['of different keys', (i: number) => `name ${numbered(i)}`],
    ['of keys in large groups', (i: number) => `${'x'.repeat(30)}${i % 3}${'y'.repeat(30)}${numbered(i)}`],
    ['of keys with few different values', (i: number) => `group ${i % 7}`],
    ['of keys with two-byte units', (i: number) => `\u1234 ${String.fromCharCode(numbered(i) % 0xffff)}`],
  ])('%s are sorted with pauses if there are many', (_, keyOf) => {
    const keys = Array.from({ length: 80_000 }, (_each, i) => keyOf(i));
    let now = 0;
    const clock = { now: () => now++ } as Clock;
    const work = sortedPositions(keys);
    // Each read of the clock takes 1 ms.
    const step = () => metered(clock, Number.POSITIVE_INFINITY, () => work.next());
    let pauses = 0;
    let last = step();
    for (; last.done !== true; last = step()) {
      expect(last.value).toBe(pause);
      pauses += 1;
    }
    expect([...last.value]).toEqual(expected(keys));
    expect(pauses).toBeGreaterThan(5);
  });
});
