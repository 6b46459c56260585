import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/engine.js';
import { BinaryValue, CodeValue, Doc, ObjectIdValue, RegexValue, fail, show, showDoc } from '../../src/engine.js';
import { DBPointerValue } from '../../src/value/value.js';

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
    [
      'names of nested documents',
      Array.from({ length: 90 }).reduce<Doc>(inner => Doc.of([['n'.repeat(10_000), inner]]), Doc.EMPTY),
    ],
    ['a name and its value', Doc.of([['n'.repeat(9_990), 'x'.repeat(10_000)]])],
    ['code and its scope', new CodeValue('x'.repeat(9_990), Doc.of([['n'.repeat(10_000), 'x'.repeat(10_000)]]))],
    ['options of a regular expression', new RegexValue('x'.repeat(9_990), 'i'.repeat(1_000_000))],
    ['a namespace', new DBPointerValue('n'.repeat(1_000_000), ObjectIdValue.fromHex('0'.repeat(24)))],
    ['a binary', new BinaryValue(0, new Uint8Array(10_000_000))],
  ])('is cut after 10,000 characters: %s', (_, value) => {
    const text = show(value);
    expect(text.length).toBeGreaterThan(most - 20);
    expect(text.length).toBeLessThan(most + 100);
    expect(text).toContain('...');
  });

  test('is cut inside nested lists', () => {
    let list: Value = ['x', 'y'];
    for (let level = 0; level < 5_000; level++) list = [list, level];
    const text = show(list);
    expect(text.length).toBeLessThan(3 * most);
    expect(text).toContain('[ ... ]');
  });

  test('shows a UUID in whole', () => {
    const uuid = new BinaryValue(4, new Uint8Array(16).fill(171));
    const text = 'UUID("abababab-abab-abab-abab-abababababab")';
    expect(show(['x'.repeat(most - 10), uuid])).toBe(`[ "${'x'.repeat(most - 10)}", ${text} ]`);
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
