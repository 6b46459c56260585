import type { Doc, Value } from '@tessera/mql/engine';
import {
  RegexValue,
  createCollation,
  fail,
  isArray,
  isDoc,
  isOperators,
  isSameCollation,
  isTruthy,
  parseQuery,
  showDoc,
} from '@tessera/mql/engine';
import type { PartialFilter } from '../store/collection.js';

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
  /** The collation document of the index. */
  readonly collation: Doc | undefined;
  /** The collation of the collection, with which the filter is evaluated. */
  readonly inherited: Doc | undefined;
}

/**
 * Parses the filter of a partial index.
 * @throws CommandError 67 for an unsupported expression, and errors of the filter
 */
export const partialFilter = ({ spec, filter, collation, inherited }: PartialSpec): PartialFilter => {
  const { matches, predicates, complete } = parseQuery(filter, {
    collation: inherited && createCollation(inherited),
  });
  const refused = refusedIn(filter);
  if (refused !== undefined)
    throw fail(
      'CannotCreateIndex',
      `Error in specification ${showDoc(spec)} :: caused by :: Expression not supported in partial index: ${refused}`,
    );
  // With another collation, the same query could match other documents, so the index cannot be used.
  const isKnown = complete && isSameCollation(collation, inherited);
  return { filter, matches, predicates: isKnown ? predicates : undefined };
};
