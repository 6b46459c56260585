import type { Collation, Doc, Value } from '@tessera/mql/engine';
import { RegexValue, fail, isArray, isDoc, isOperators, isTruthy, parseQuery, showDoc } from '@tessera/mql/engine';
import type { PartialFilter } from '../store/collection.js';
import { isCollationFree } from '../store/plan.js';

const comparisons: ReadonlySet<string> = new Set(
  '$eq $gt $gte $lt $lte $in $type $geoWithin $geoIntersects'.split(' '),
);
const negations: ReadonlySet<string> = new Set(['$ne', '$nin', '$not']);

/** Returns the name of an expression that a partial index does not support at a path, or undefined. */
const refusedAt = (value: Value): string | undefined => {
  if (value instanceof RegexValue) return '$regex';
  if (!isOperators(value)) return undefined;
  for (const [name, argument] of value) {
    if (comparisons.has(name)) continue;
    if (name === '$exists' && isTruthy(argument)) continue;
    return name === '$exists' || negations.has(name) ? '$not' : name;
  }
  return undefined;
};

/**
 * Returns the name of an expression that a partial index does not support. Rule: "Partial Indexes": equality,
 * comparisons, `$exists: true`, `$type`, `$in`, and combinations of them with `$and` and `$or`.
 */
const refusedIn = (filter: Doc): string | undefined => {
  for (const [name, value] of filter) {
    const joins = (name === '$and' || name === '$or') && isArray(value);
    const refused = joins
      ? value
          .filter(isDoc)
          .map(refusedIn)
          .find(one => one !== undefined)
      : name.startsWith('$')
        ? name
        : refusedAt(value);
    if (refused !== undefined) return refused;
  }
  return undefined;
};

export interface PartialSpec {
  readonly spec: Doc;
  readonly filter: Doc;
  /** The collation of the index, with which the filter is evaluated. */
  readonly collation: Collation | undefined;
}

const ranges: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte']);

/**
 * Parses the filter of a partial index.
 * @throws CommandError 67 for an unsupported expression, and errors of the filter
 */
export const partialFilter = ({ spec, filter, collation }: PartialSpec): PartialFilter => {
  const { matches, predicates, complete } = parseQuery(filter, { collation });
  const refused = refusedIn(filter);
  if (refused !== undefined)
    throw fail(
      'CannotCreateIndex',
      `Error in specification ${showDoc(spec)} :: caused by :: Expression not supported in partial index: ${refused}`,
    );
  // The planner compares predicates by bytes. Ranges of strings have another order in a collation.
  const isKnown =
    complete && (collation === undefined || predicates.every(one => !ranges.has(one.op) || isCollationFree(one)));
  return { filter, matches, predicates: isKnown ? predicates : undefined };
};
