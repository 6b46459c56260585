import { fail } from '../../errors.js';
import type { Test } from '../../query/condition.js';
import { startsWithOperator } from '../../query/operators.js';
import type { QueryContext } from '../../query/parse.js';
import { parseQuery } from '../../query/parse.js';
import { equal } from '../../value/compare.js';
import { Doc } from '../../value/doc.js';
import { toExactLong } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc, isNumber, RegexValue, typeName } from '../../value/value.js';
import { spend } from '../../work/meter.js';
import { dotted } from '../place.js';
import type { Modifier } from '../tree.js';

/** Removes the elements that pass the test. A missing field is not created. */
const cull = (culls: Test): Modifier => ({
  update: existing => {
    if (!isArray(existing)) throw fail('BadValue', 'Cannot apply $pull to a non-array value');
    spend(existing.length);
    const rest = existing.filter(item => !culls(item));
    return rest.length === existing.length ? existing : rest;
  },
  create: () => undefined,
  rejectsScalars: true,
});

/**
 * Creates `$pull`. Operators that a path accepts and regular expressions are a condition on each element. Another
 * document, such as a DBRef, is a filter for the elements that are documents. Elements that equal any other value are
 * removed.
 */
export const pull = (condition: Value, context: QueryContext): Modifier => {
  if (condition instanceof RegexValue || startsWithOperator(condition)) {
    const matcher = parseQuery(Doc.of([['', condition]]), context);
    return cull(item => item !== undefined && matcher.matches(Doc.of([['', item]])));
  }
  if (isDoc(condition)) {
    const matcher = parseQuery(condition, context);
    return cull(item => isDoc(item) && matcher.matches(item));
  }
  return cull(item => equal(item, condition, context.collation));
};

export const pullAll = (values: Value, context: QueryContext): Modifier => {
  if (!isArray(values)) {
    throw fail('BadValue', `$pullAll requires an array argument but was given a ${typeName(values)}`);
  }
  return cull(item => values.some(value => equal(item, value, context.collation)));
};

/** Creates `$pop`, which removes the first element (-1) or the last (1). */
export const pop = (argument: Value, path: string): Modifier => {
  const shown = `${path}: ${show(argument)}`;
  if (!isNumber(argument)) throw fail('FailedToParse', `Expected a number in: ${shown}`);
  const end = toExactLong(argument);
  if (end === undefined) throw fail('FailedToParse', `Expected an integer: ${shown}`);
  if (end !== 1n && end !== -1n) throw fail('FailedToParse', `$pop expects 1 or -1, found: ${end}`);
  return {
    update: (existing, place) => {
      if (!isArray(existing)) {
        throw fail(
          'TypeMismatch',
          `Path '${dotted(place)}' contains an element of non-array type '${typeName(existing)}'`,
        );
      }
      if (existing.length === 0) return existing;
      return end === 1n ? existing.slice(0, -1) : existing.slice(1);
    },
    create: () => undefined,
    rejectsScalars: true,
  };
};
