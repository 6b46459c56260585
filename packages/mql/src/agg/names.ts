import { fail } from '../errors.js';
import type { Value } from '../value/value.js';

/** What a variable's name stands for: a slot of the scope, or a value known before any document. */
export type Binding =
  { readonly kind: 'slot'; readonly slot: number } | { readonly kind: 'value'; readonly value: Value };

/** The variables that an expression may use: a chain of scopes, innermost first. */
export interface Names {
  find(name: string): Binding | undefined;
  /** Whether there are variables whose values change from document to document. */
  readonly bound: boolean;
  /** The same names and these new ones, each with a slot of its own. */
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

/** The outermost names: those of the command's `let`, whose values are known. */
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

/** @throws CommandError FailedToParse unless a user may define a variable of that name. */
export const requireDefinableName = (name: string): void => {
  if (name === 'CURRENT') return;
  requireFirst(name, /[a-z]/);
  requireRest(name);
};

/** @throws CommandError FailedToParse unless a user may refer to a variable of that name. */
export const requireReadableName = (name: string): void => {
  requireFirst(name, /[A-Za-z]/);
  requireRest(name);
};
