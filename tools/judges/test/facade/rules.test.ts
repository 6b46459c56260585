import { expect, test } from 'vitest';
import type { Difference } from '../../src/facade/play.js';
import { rules } from '../../src/facade/rules.js';

/** Returns the rules for a value that this driver does not send, after a step with these arguments. */
const rulesFor = (args: readonly string[], command: string, path: string, theirs: Difference['theirs']) => {
  const step = { on: 'session', name: 'session.startTransaction', target: 'v.session.startTransaction', args, as: 'r' };
  const program = { topology: 'replica set', steps: [step] } as const;
  const difference: Difference = { where: 'command', program, step, command, path, ours: 'absent', theirs };
  return rules.filter(({ holds }) => holds(difference)).map(({ name }) => name);
};

test('no rule explains a missing write concern that the program gives', () => {
  const given = ["{ writeConcern: { w: 'majority', j: true } }"];
  const concern = { is: 'Object', open: false, members: [['w', '"majority"']] } as const;
  expect(rulesFor(given, 'insert', '.writeConcern', concern)).toEqual([]);
  expect(rulesFor(given, 'commitTransaction', '.writeConcern.w', '"majority"')).toEqual([]);
});

test('rules explain an empty write concern, and the values that npm `mongodb` adds to a commit', () => {
  const concern = { is: 'Object', open: false, members: [['w', 'Int32(2)']] } as const;
  expect(rulesFor(['{ writeConcern: {} }'], 'insert', '.writeConcern', concern)).toEqual(['an empty write concern']);
  expect(rulesFor(['{ writeConcern: { j: true } }'], 'commitTransaction', '.writeConcern.w', '"majority"')).toEqual([
    'w of the first commit or abort',
  ]);
});

/** Returns the rules for the comment of a find after calls of its cursor. */
const rulesForComment = (calls: readonly (readonly [string, ...string[]])[], ours: string, theirs: string) => {
  const steps = calls.map(([name, ...args]) => ({
    on: 'find',
    name: `find.${name}`,
    target: `v.find.${name}`,
    args,
    as: 'r',
  }));
  const program = { topology: 'standalone', steps } as const;
  const step = steps.at(-1)!;
  const difference: Difference = { where: 'command', program, step, command: 'find', path: '.comment', ours, theirs };
  return rules.filter(({ holds }) => holds(difference)).map(({ name }) => name);
};

test('a rule explains the comment of a clone that is set again, and no comment that is missing or set once', () => {
  const again = [['comment', '{}'], ['clone'], ['comment', '5'], ['toArray']] as const;
  expect(rulesForComment(again, 'Int32(5)', '{}')).toEqual(['a comment in the options of a cursor and by its setter']);
  expect(rulesForComment(again, 'absent', '{}')).toEqual([]);
  expect(rulesForComment([['comment', '5'], ['toArray']], 'Int32(6)', 'Int32(5)')).toEqual([]);
});
