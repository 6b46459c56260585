import { expect, test } from 'vitest';
import { readChecks } from '../../src/peers/programs/checks.js';

test('reads one check per line, and ignores other output', () => {
  expect(
    readChecks('p', 'Connecting…\npassed a\nfailed b c: 1 != 2: three\r\nskipped d: no set\nwarning: x\ndone\n'),
  ).toEqual([
    { id: 'p::a', outcome: 'passed', reason: '' },
    { id: 'p::b c', outcome: 'failed', reason: '1 != 2: three' },
    { id: 'p::d', outcome: 'skipped', reason: 'no set' },
  ]);
});

test.each([
  ['passed a\n', 'The program did not finish.'],
  ['passed a\npassed a\ndone\n', 'The program reported "a" twice.'],
  ['done\n', 'The program reported no checks.'],
])('rejects %j', (log, sentence) => {
  expect(() => readChecks('p', log)).toThrow(sentence);
});
