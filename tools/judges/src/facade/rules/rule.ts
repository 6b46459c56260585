/** The form of a rule, and functions that make rules. */
import type { Described, Tree } from '../describe.js';
import { textOfTree } from '../describe.js';
import type { Difference } from '../play.js';
import { textOf } from '../program.js';
import type { Program } from '../program.js';

/** The reviewed reason of a kind of difference between this driver and npm `mongodb`. */
export interface Rule {
  readonly name: string;
  /** Why this driver differs. */
  readonly reason: string;
  readonly holds: (difference: Difference) => boolean;
}

export const isError = (tree: Tree | undefined): tree is Described =>
  typeof tree === 'object' && 'is' in tree && tree.members.some(([name]) => name === 'instance of');

/** Returns the error in an outcome or at the place of the difference. */
export const errorIn = (tree: Tree): Described | undefined =>
  isError(tree)
    ? tree
    : Array.isArray(tree) && isError(tree[1] as Tree | undefined)
      ? (tree[1] as Described)
      : undefined;

export const memberOf = (tree: Described | undefined, member: string): string =>
  textOfTree(tree?.members.find(([name]) => name === member)?.[1] ?? '');

/** Returns the classes of an error. */
export const classesOf = (tree: Described): readonly string[] =>
  (tree.members.find(([name]) => name === 'instance of')?.[1] ?? []) as readonly string[];

/** Makes a rule for calls that this driver rejects with a message that matches. */
export const refuses = (name: string, reason: string, message: RegExp): Rule => ({
  name,
  reason,
  holds: ({ where, ours }) => where === 'result' && message.test(memberOf(errorIn(ours), 'says')),
});

/** Makes a rule for calls that npm `mongodb` rejects with a message that matches, and this driver accepts. */
export const accepts = (name: string, reason: string, message: RegExp): Rule => ({
  name,
  reason,
  holds: ({ where, ours, theirs }) =>
    where === 'result' && errorIn(ours) === undefined && message.test(memberOf(errorIn(theirs), 'says')),
});

/** Makes a rule for a place in commands, such as `find.limit`. The values must match as well. */
export const sends = (name: string, reason: string, path: RegExp, ours: RegExp = /^/, theirs: RegExp = /^/): Rule => ({
  name,
  reason,
  holds: difference =>
    difference.where === 'command' &&
    path.test(`${difference.command ?? ''}${difference.path}`) &&
    ours.test(textOfTree(difference.ours)) &&
    theirs.test(textOfTree(difference.theirs)),
});

/** Makes a rule for a member of results, such as `coll.find.closed`. The path in the result must match as well. */
export const returns = (
  name: string,
  reason: string,
  member: RegExp,
  path: RegExp = /^/,
  ours: RegExp = /^/,
  theirs: RegExp = /^/,
): Rule => ({
  name,
  reason,
  holds: difference =>
    difference.where === 'result' &&
    member.test(difference.step.name) &&
    path.test(difference.path) &&
    ours.test(textOfTree(difference.ours)) &&
    theirs.test(textOfTree(difference.theirs)),
});

/** Returns whether a step or the client of the program has an option, or calls a method. */
export const has = (program: Program, text: string): boolean => textOf(program).includes(text);

/** Returns whether the program has a step whose name and text match. */
export const stepsWith = (program: Program, name: RegExp, text: RegExp = /^/): boolean =>
  program.steps.some(step => name.test(step.name) && text.test(textOf({ ...program, steps: [step] })));

/** Limits a rule to programs with a text, such as an option or a method. */
export const inProgramsWith = (text: string, rule: Rule): Rule => ({
  ...rule,
  holds: difference => has(difference.program, text) && rule.holds(difference),
});
