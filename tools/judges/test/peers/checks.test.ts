import { expect, test } from 'vitest';
import { readTold } from '../../src/peers/programs/told.js';

test('a program tells of its checks a line each, between whatever else it says', () => {
  expect(
    readTold('p', 'Connecting…\npassed a\nfailed b c: 1 != 2: three\r\nskipped d: no set\nwarning: x\ndone\n'),
  ).toEqual([
    { id: 'p::a', outcome: 'passed', reason: '' },
    { id: 'p::b c', outcome: 'failed', reason: '1 != 2: three' },
    { id: 'p::d', outcome: 'skipped', reason: 'no set' },
  ]);
});

test.each([
  ['passed a\n', 'The program did not come to its end.'],
  ['passed a\npassed a\ndone\n', 'The program told twice of: a.'],
  ['done\n', 'The program told of no check.'],
])('%j is refused', (log, sentence) => {
  expect(() => readTold('p', log)).toThrow(sentence);
});
