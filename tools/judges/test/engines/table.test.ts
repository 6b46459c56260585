import { expect, test } from 'vitest';
import { abilities } from '../../src/engines/abilities/ability.js';
import type { Outcome } from '../../src/engines/abilities/ability.js';
import { abilityTable, tallyOf } from '../../src/engines/abilities/table.js';

const outcomes = (exceptions: Partial<Record<(typeof abilities)[number], Outcome>>) =>
  new Map(abilities.map((ability): [typeof ability, Outcome] => [ability, exceptions[ability] ?? { is: 'yes' }]));

const small = outcomes({
  'SCRAM-SHA-1': { is: 'not offered', reason: 'it has no authentication' },
  'SCRAM-SHA-256': { is: 'not offered', reason: 'it has no authentication' },
  'X.509': { is: 'skipped', reason: 'Java is missing.' },
  TLS: { is: 'no', reason: 'it closed the connection' },
});

test('the table has a row for each ability, a column for each engine, and each reason once below it', () => {
  const table = abilityTable(
    new Map([
      ['one', outcomes({})],
      ['small', small],
    ]),
  );
  expect(table).toBe(
    [
      '                one  small',
      'discovery       yes  yes',
      'CRUD            yes  yes',
      'cursors         yes  yes',
      'change streams  yes  yes',
      'SCRAM-SHA-1     yes  not offered [1]',
      'SCRAM-SHA-256   yes  not offered [1]',
      'X.509           yes  skipped [2]',
      'TLS             yes  no [3]',
      '[1] it has no authentication',
      '[2] Java is missing.',
      '[3] it closed the connection',
    ].join('\n'),
  );
});

test('each ability counts as one check, and an unexpected failure fails', () => {
  expect(tallyOf(small)).toEqual({
    passed: 4,
    failed: [{ title: 'TLS', reason: 'it closed the connection' }],
    skipped: [
      { title: 'SCRAM-SHA-1', reason: 'it has no authentication' },
      { title: 'SCRAM-SHA-256', reason: 'it has no authentication' },
      { title: 'X.509', reason: 'Java is missing.' },
    ],
  });
});
