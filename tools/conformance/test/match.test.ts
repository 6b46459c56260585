import { describe, expect, test } from 'vitest';
import { match, matchAll, noEntities, root } from '../src/unified/match.js';

describe('Unified Test Format, "Evaluating Matches"', () => {
  const matches = (expected: unknown, actual: unknown): boolean => {
    try {
      match(expected, actual, root('it', noEntities));
      return true;
    } catch {
      return false;
    }
  };

  test('allows extra fields only in root-level documents', () => {
    expect(matches({ a: 1 }, { a: 1, b: 2 })).toBe(true);
    expect(matches({ a: { b: 1 } }, { a: { b: 1, c: 2 } })).toBe(false);
    expect(matches({ a: { $$matchAsRoot: { b: 1 } } }, { a: { b: 1, c: 2 } })).toBe(true);
    expect(matches([{ a: 1 }], [{ a: 1, b: 2 }])).toBe(false);
    expect(matches([{ a: 1 }], [{ a: 1 }, { a: 2 }])).toBe(false);
  });

  test('evaluates special operators', () => {
    expect(matches({ a: { $$exists: true } }, { a: null })).toBe(true);
    expect(matches({ a: { $$exists: true } }, {})).toBe(false);
    expect(matches({ a: { $$exists: false } }, { a: 1 })).toBe(false);
    expect(matches({ a: { $$unsetOrMatches: 1 } }, {})).toBe(true);
    expect(matches({ a: { $$unsetOrMatches: 1 } }, { a: 2 })).toBe(false);
    expect(matches({ a: { $$type: 'string' } }, { a: 1 })).toBe(false);
    expect(matches({ a: { $$type: ['string', 'long'] } }, { a: 1n })).toBe(true);
    expect(matches({ a: { $$matchAsDocument: { b: 1 } } }, { a: '{"b":1}' })).toBe(true);
    expect(matches({ a: { $$matchAsDocument: { b: 1 } } }, { a: '{"b":1,"c":2}' })).toBe(false);
    expect(matches({ a: { $$lte: 2 } }, { a: 3 })).toBe(false);
    expect(matches({ a: { $$gte: 2 } }, { a: 2n })).toBe(true);
    expect(matches({ a: { $$gte: 2 } }, { a: 1 })).toBe(false);
    expect(matches({ a: { $$gte: 2 } }, { a: '3' })).toBe(false);
    expect(matches({ a: { $$matchesHexBytes: '12aB' } }, { a: Buffer.from([0x12, 0xab]) })).toBe(true);
    expect(matches({ a: { $$matchesHexBytes: '12aB' } }, { a: Buffer.from([0x12]) })).toBe(false);
    expect(matches({ a: { $$matchesEntity: 'gone' } }, { a: 1 })).toBe(false);
  });

  test('compares numbers by value, everything else by value and type', () => {
    expect(matches({ a: 1 }, { a: 1n })).toBe(true);
    expect(matches({ a: 1 }, { a: '1' })).toBe(false);
    expect(matches({ a: null }, {})).toBe(false);
    expect(matches({ a: 1 }, {})).toBe(false);
  });

  test('allows extra fields in each document of an iterable, but no extra documents', () => {
    const all =
      (expected: readonly unknown[], actual: unknown): (() => void) =>
      () =>
        matchAll(expected, actual, 'found', noEntities);
    expect(all([{ a: 1 }], [{ a: 1, b: 2 }])).not.toThrow();
    expect(all([{ a: 1 }], [{ a: 1 }, { a: 1 }])).toThrow('found: expected a list of 1');
  });
});
