import { expect, test } from 'vitest';
import { check, mistakeIn, readLists, select } from '../faults/list.mjs';

const edit = { file: 'a.ts', find: 'one', replace: 'two' };
const fault = { ...edit, title: 'a fault', tests: { project: 'a' } };

test('every fault can be planted: its text occurs once in its file', async () => {
  const faults = await readLists();
  expect(faults.length).toBeGreaterThan(0);
  expect(() => {
    check(faults);
  }).not.toThrow();
});

test('mistakeIn rejects a fault unless its text occurs exactly once and its replacement differs', () => {
  expect(mistakeIn('a fault', edit, 'three one')).toBeUndefined();
  expect(mistakeIn('a fault', edit, 'three')).toBe(
    '"a fault": the text to replace occurs 0 times in a.ts; it must occur once.',
  );
  expect(mistakeIn('a fault', edit, 'one one')).toBe(
    '"a fault": the text to replace occurs 2 times in a.ts; it must occur once.',
  );
  expect(mistakeIn('a fault', { ...edit, replace: 'one' }, 'one')).toBe(
    '"a fault": the replacement changes nothing in a.ts.',
  );
});

test('select finds faults by a part of their title or prose test, or by the name of their list', () => {
  const one = { ...fault, list: 'prose-a', prose: ['Server Selection 4.1'] };
  const other = { ...fault, title: 'another', list: 'b' };
  expect(select([one, other], [])).toEqual([one, other]);
  expect(select([one, other], ['a fault'])).toEqual([one]);
  expect(select([one, other], ['Server Selection', 'other'])).toEqual([one, other]);
  expect(select([one, other], ['b'])).toEqual([other]);
  expect(select([one, other], ['prose'])).toEqual([]);
});
