import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Extent } from './geo/extent.js';
import type { NearTarget } from './geo/distance.js';

/** Returns whether a value satisfies a condition. The value may be missing. */
export type Test = (value: Value | undefined) => boolean;

/** The operators of predicates that an index can answer. */
export type PredicateOperator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'regex' | 'geo' | 'near';

/**
 * A necessary condition of a filter. In every matching document some value at the path (an element of an array, or the
 * whole value) equals `value` or is in its range. `value` is an array for `in`, a boolean for `exists`, a RegexValue for
 * `regex`, and null for `geo` and `near`.
 */
export interface Predicate {
  readonly path: string;
  readonly op: PredicateOperator;
  readonly value: Value;
  /**
   * Whether the predicate is also sufficient, so that a document found by it is not matched against this part again.
   */
  readonly exact: boolean;
  /** Where the shapes of a `geo` predicate lie. */
  readonly extent?: Extent | undefined;
  /** The distances of a `near` predicate. */
  readonly near?: NearTarget | undefined;
}

/** A compiled part of a filter that applies to whole documents. */
export interface Condition {
  readonly matches: (doc: Doc) => boolean;
  /**
   * Returns, for a matching document, the index in the outermost array at which it matches. Returns undefined if no
   * array was involved.
   */
  readonly position: (doc: Doc) => number | undefined;
  /** Predicates that hold for every matching document. */
  readonly predicates: readonly Predicate[];
  /** Whether the predicates are exact and the condition consists of nothing else. */
  readonly complete: boolean;
  /** The conditions of `$or`, if there is nothing else. */
  readonly alternatives?: readonly Condition[] | undefined;
  /** The text search that every matching document fulfills, if any. */
  readonly search?: TextSearch | undefined;
}

/** A parsed text search. */
export interface TextSearch {
  /** The terms as they are in the index, in the order in which mongod adds their scores. A result contains one. */
  readonly terms: readonly string[];
  /** The terms that no result contains. */
  readonly negated: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly negatedPhrases: readonly string[];
}

const nowhere = (): undefined => undefined;

export const always: Condition = { matches: () => true, position: nowhere, predicates: [], complete: true };
export const never: Condition = { matches: () => false, position: nowhere, predicates: [], complete: false };

/** Creates a condition without predicates. */
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

/** Creates the conjunction of conditions. The last condition with an array position determines the position. */
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
    search: parts.find(part => part.search !== undefined)?.search,
  };
};

/** Whether the conditions are equalities of one path. Their disjunction means the same as `$in`. */
const areLikeIn = (conditions: readonly Condition[]): boolean =>
  conditions.every(({ predicates: [only, ...others] }) => {
    const isEquality = only?.op === 'eq' && others.length === 0;
    return isEquality && only.path === conditions[0]!.predicates[0]!.path;
  });

/**
 * Creates the disjunction of conditions. If it means the same as `$in`, the first condition that matches determines the
 * position. Else it has none.
 */
export const any = (conditions: readonly Condition[]): Condition => {
  if (conditions.length === 1) return conditions[0]!;
  return {
    matches: doc => {
      spend(conditions.length >>> 1);
      for (const condition of conditions) if (condition.matches(doc)) return true;
      return false;
    },
    position: areLikeIn(conditions)
      ? doc => conditions.find(condition => condition.matches(doc))?.position(doc)
      : nowhere,
    predicates: [],
    complete: false,
    alternatives: conditions,
  };
};

export const not = (condition: Condition): Condition => opaque(doc => !condition.matches(doc));
