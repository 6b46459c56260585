import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareSteps, stepsOf } from '../../src/dependents/compare.js';
import { dependents, excluded } from '../../src/dependents/dependents.js';
import { programs } from '../../src/folders.js';

describe('the steps of a program', () => {
  test('begin with their titles, and contain no lines of stack traces', () => {
    expect(stepsOf('a warning\n# one\n[\n  1\n]\n# two\nError: no\n    at f (/x.js:1:2)\ntrue\ndone\n')).toEqual([
      { title: 'one', output: '[\n  1\n]' },
      { title: 'two', output: 'Error: no\ntrue' },
    ]);
  });

  test('include an end if the program did not finish', () => {
    expect(stepsOf('# one\n1\nError: no').map(({ title }) => title)).toEqual(['one', 'the end of the program']);
  });
});

describe('a comparison', () => {
  const steps = (of: Readonly<Record<string, string>>): { readonly title: string; readonly output: string }[] =>
    Object.entries(of).map(([title, output]) => ({ title, output }));

  test('finds steps that differ, are missing or are explained', () => {
    expect(
      compareSteps(steps({ a: '1', b: 'x\n2', c: '3', d: '4' }), steps({ a: '1', b: 'x\n3', c: '4', e: '5' }), {
        c: 'a reason',
      }),
    ).toEqual({
      equal: 1,
      explained: ['c'],
      different: [
        { title: 'b', official: '2', tessera: '3' },
        { title: 'd', official: '4', tessera: 'missing' },
        { title: 'e', official: 'missing', tessera: '5' },
      ],
    });
  });
});

test('a program that does not finish with either driver counts as a difference', () => {
  const ended = stepsOf('# one\n1\nError: no');
  expect(compareSteps(ended, ended).different.map(({ title }) => title)).toEqual(['the end of the program']);
});

test.each(dependents)('$name has a program, pinned versions, and a reason for each explained step', each => {
  expect(existsSync(join(programs, 'dependents', each.program))).toBe(true);
  for (const version of Object.values(each.packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  for (const reason of Object.values(each.explained ?? {})) expect(reason).toMatch(/^[A-Z].*\.$/);
});

test('every excluded package has a reason', () => {
  for (const { reason } of excluded) expect(reason).toMatch(/^[A-Z].*\.$/);
});
