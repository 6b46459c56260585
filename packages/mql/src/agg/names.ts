import { fail } from '../errors.js';
import type { Value } from '../value/value.js';

/** The meaning of a variable: a slot of the scope, or a value that does not depend on the document. */
export type Binding =
  | { readonly kind: 'slot'; readonly slot: number }
  | { readonly kind: 'value'; readonly value: Value };

/** The variables that an expression may use: a chain of scopes, innermost first. */
export interface Names {
  find(name: string): Binding | undefined;
  /** Whether there are variables whose values depend on the document. */
  readonly bound: boolean;
  /** Returns these variables and new ones, each with its own slot. */
  with(names: readonly string[]): { readonly names: Names; readonly slots: readonly number[] };
}

const createScope = (
  bindings: ReadonlyMap<string, Binding>,
  outer: Names | undefined,
  counter: { next: number },
): Names => {
  const self: Names = {
    find: name => bindings.get(name) ?? outer?.find(name),
    bound: outer !== undefined,
    with: names => {
      if (names.length === 0) return { names: self, slots: [] };
      const slots = names.map(() => counter.next++);
      const inner = new Map(names.map((name, i): [string, Binding] => [name, { kind: 'slot', slot: slots[i]! }]));
      return { names: createScope(inner, self, counter), slots };
    },
  };
  return self;
};

/** Creates the outermost scope: the variables of the command's `let`. */
export const createNames = (values: ReadonlyMap<string, Value> = new Map()): Names =>
  createScope(
    new Map([...values].map(([name, value]): [string, Binding] => [name, { kind: 'value', value }])),
    undefined,
    {
      next: 0,
    },
  );

const isWide = (name: string, i: number): boolean => name.charCodeAt(i) > 0x7f;

const requireRest = (name: string): void => {
  for (let i = 1; i < name.length; i++) {
    if (isWide(name, i) || /[A-Za-z0-9_]/.test(name[i]!)) continue;
    throw fail('FailedToParse', `'${name}' contains an invalid character for a variable name: '${name[i]!}'`);
  }
};

const requireFirst = (name: string, allowed: RegExp): void => {
  if (name === '') throw fail('FailedToParse', 'empty variable names are not allowed');
  if (isWide(name, 0) || allowed.test(name[0]!)) return;
  throw fail('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
};

/** @throws CommandError FailedToParse if a user must not define a variable with the name */
export const requireDefinableName = (name: string): void => {
  if (name === 'CURRENT') return;
  requireFirst(name, /[a-z]/);
  requireRest(name);
};

/** @throws CommandError FailedToParse if a user must not refer to a variable with the name */
export const requireReadableName = (name: string): void => {
  requireFirst(name, /[A-Za-z]/);
  requireRest(name);
};
