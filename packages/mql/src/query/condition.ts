import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { spend } from '../work/meter.js';

/** Whether one value, missing included, satisfies something. */
export type Test = (value: Value | undefined) => boolean;

/** What an index can be asked for. */
export type PredicateOperator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'regex';

/**
 * Something that every matching document satisfies: some value at the path (an element where there is an array, or the whole)
 * is, or is in the range of, `value`. Of `in` it is an array; of `exists` true or false; of `regex` a RegexValue.
 */
export interface Predicate {
  readonly path: string;
  readonly op: PredicateOperator;
  readonly value: Value;
  /** It says all that its part of the filter says: a document found by it need not be matched against that part again. */
  readonly exact: boolean;
}

/** A part of a filter about whole documents. */
export interface Condition {
  readonly matches: (doc: Doc) => boolean;
  /** For a document that matches: the outermost position in an array at which it does, if one was needed. */
  readonly position: (doc: Doc) => number | undefined;
  /** What is known to hold for every document that matches. */
  readonly predicates: readonly Predicate[];
  /** The predicates are exact and there is nothing else to the condition. */
  readonly complete: boolean;
}

const nowhere = (): undefined => undefined;

export const always: Condition = { matches: () => true, position: nowhere, predicates: [], complete: true };
export const never: Condition = { matches: () => false, position: nowhere, predicates: [], complete: false };

/** Of something opaque: nothing is known about it. */
export const opaque = (matches: (doc: Doc) => boolean): Condition => ({
  matches,
  position: nowhere,
  predicates: [],
  complete: false,
});

const matchesAll = (conditions: readonly Condition[]): ((doc: Doc) => boolean) => {
  const [first, second] = conditions as readonly [Condition, Condition];
  if (conditions.length === 2) return doc => first.matches(doc) && second.matches(doc);
  return doc => {
    spend(conditions.length >>> 1);
    for (const condition of conditions) if (!condition.matches(doc)) return false;
    return true;
  };
};

/** All of them. The last that finds a position in an array names it. */
export const all = (conditions: readonly Condition[]): Condition => {
  const parts = conditions.filter(condition => condition !== always);
  if (parts.length === 0) return always;
  if (parts.length === 1) return parts[0]!;
  return {
    matches: matchesAll(parts),
    position: doc => {
      for (let i = parts.length - 1; i >= 0; i--) {
        const position = parts[i]!.position(doc);
        if (position !== undefined) return position;
      }
      return undefined;
    },
    predicates: parts.flatMap(part => part.predicates),
    complete: parts.every(part => part.complete),
  };
};

/** One of them at least: the first that matches names the position. */
export const any = (conditions: readonly Condition[]): Condition => {
  if (conditions.length === 1) return conditions[0]!;
  return {
    matches: doc => {
      spend(conditions.length >>> 1);
      for (const condition of conditions) if (condition.matches(doc)) return true;
      return false;
    },
    position: doc => conditions.find(condition => condition.matches(doc))?.position(doc),
    predicates: [],
    complete: false,
  };
};

export const not = (condition: Condition): Condition => opaque(doc => !condition.matches(doc));
