import { expect, test } from 'vitest';
import { check, mistakeIn, readLists } from '../faults/list.mjs';

const fault = { title: 'a fault', file: 'a.ts', find: 'one', replace: 'two', tests: { project: 'a' } };

test('every fault of the lists can be planted: its text occurs once in its file', async () => {
  const faults = await readLists();
  expect(faults.length).toBeGreaterThan(0);
  expect(() => {
    check(faults);
  }).not.toThrow();
});

test('a fault is refused unless its text occurs exactly once and its replacement differs', () => {
  expect(mistakeIn(fault, 'three one')).toBeUndefined();
  expect(mistakeIn(fault, 'three')).toBe('"a fault": the text to replace occurs 0 times in a.ts; it must occur once.');
  expect(mistakeIn(fault, 'one one')).toBe(
    '"a fault": the text to replace occurs 2 times in a.ts; it must occur once.',
  );
  expect(mistakeIn({ ...fault, replace: 'one' }, 'one')).toBe('"a fault": the replacement changes nothing in a.ts.');
});
