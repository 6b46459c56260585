import { expect, test } from 'vitest';
import { failures, line, nothing, one, skips, sum } from '../tally.mjs';

const note = (title: string, reason: string) => ({ title, reason });

test('sums tallies, and mentions skips in the summary only if there are any', () => {
  const passed = { ...nothing(), passed: 3 };
  const total = sum([passed, one('types', undefined), one('lint', 'exit code 1')]);
  expect(total).toEqual({ passed: 4, failed: [note('lint', 'exit code 1')], skipped: [] });
  expect(line(total)).toBe('4 passed, 1 failed');
  expect(line(sum([total, { ...nothing(), skipped: [note('a', 'no server')] }]))).toBe('4 passed, 1 failed, 1 skipped');
});

test('prints skips with the same reason in one line', () => {
  const skipped = [note('a', 'no server'), note('b', 'no network'), note('c', 'no server')];
  expect(skips({ ...nothing(), skipped })).toEqual(['skipped: no server: a and 1 more', 'skipped: no network: b']);
});

test('prints a failure in one line', () => {
  expect(failures(one('a', '\nfirst\nsecond'))).toEqual(['failed: a: first']);
});
