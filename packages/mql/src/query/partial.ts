import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, RegexValue } from '../value/value.js';
import { isOperators } from './operators.js';
import { isTruthy } from './truth.js';

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

const deepest = 4;

/**
 * Returns the name of an expression that a partial index does not support. Rule: "Partial Indexes": equality,
 * comparisons, `$exists: true`, `$type`, `$in`, and combinations of them with `$and` and `$or`, of at most four levels.
 */
export const unfitForPartial = (filter: Doc, level = 1): string | undefined => {
  for (const [name, value] of filter) {
    if ((name === '$and' || name === '$or') && level >= deepest) return `${name} at level ${level}`;
    const joins = (name === '$and' || name === '$or') && isArray(value);
    const refused = joins
      ? value
          .filter(isDoc)
          .map(one => unfitForPartial(one, level + 1))
          .find(one => one !== undefined)
      : name.startsWith('$')
        ? name
        : refusedAt(value);
    if (refused !== undefined) return refused;
  }
  return undefined;
};
