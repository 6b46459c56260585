import { describe, expect, test } from 'vitest';
import { BinaryValue, Doc, fail, show, showDoc } from '../../src/engine.js';

const most = 10_000;

describe('a value in a message', () => {
  test('is complete up to 10,000 characters', () => {
    const list = Array.from({ length: 2_000 }, () => 1.5);
    expect(show(list)).toBe(`[ ${list.join(', ')} ]`.replaceAll('1.5', '1.5'));
    expect(show('x'.repeat(most))).toBe(`"${'x'.repeat(most)}"`);
    const bytes = new Uint8Array(5_000).fill(171);
    expect(show(new BinaryValue(0, bytes))).toBe(`BinData(0, ${'AB'.repeat(5_000)})`);
  });

  test.each([
    ['a list', Array.from({ length: 1_000_000 }, (_, i) => i)],
    ['a document', Doc.of(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i] as const))],
    ['nested lists', Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => [[1, 2], 'x']))],
    ['a string', 'x'.repeat(10_000_000)],
    ['strings', Array.from({ length: 100 }, () => 'x'.repeat(1_000_000))],
    ['a name', Doc.of([['n'.repeat(1_000_000), 1]])],
    ['a binary', new BinaryValue(0, new Uint8Array(10_000_000))],
  ])('is cut after 10,000 characters: %s', (_, value) => {
    const text = show(value);
    expect(text.length).toBeGreaterThan(most - 20);
    expect(text.length).toBeLessThan(most + 100);
    expect(text).toContain('...');
  });

  test('is cut between characters', () => {
    expect(show(`x${'\u{1f600}'.repeat(10_000)}`)).toBe(`"x${'\u{1f600}'.repeat(4_999)}..."`);
  });

  test('is not read beyond the cut', () => {
    let read = 0;
    const list = new Proxy(
      Array.from({ length: 1_000_000 }, () => 1),
      {
        get: (target, name, receiver) => {
          if (typeof name === 'string' && /^\d+$/.test(name)) read += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      },
    );
    showDoc(Doc.of([['a', list]]));
    expect(read).toBeLessThan(most);
  });
});

test('the message of an error is cut after 20,000 characters', () => {
  expect(fail('BadValue', 'x'.repeat(20_000)).message).toHaveLength(20_000);
  expect(fail('BadValue', 'x'.repeat(1_000_000)).message).toBe(`${'x'.repeat(20_000)}...`);
});
