import { CommandError, fail } from '../errors.js';
import type { Matcher, QueryContext } from '../query/parse.js';
import { parseQuery } from '../query/parse.js';
import type { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import type { ElementFilters } from './place.js';

export const noFilters: ElementFilters = new Map<string, Matcher>();

const identifier = /^[a-z][a-zA-Z0-9]*$/;

/** Returns the distinct names at the top level of a filter, including those in `$and`, `$or` and `$nor`. */
const topNames = (filter: Doc, names = new Set<string>()): ReadonlySet<string> => {
  for (const [name, value] of filter) {
    if (!name.startsWith('$')) names.add(name.split('.', 1)[0]!);
    else if (isArray(value)) for (const item of value) if (isDoc(item)) topNames(item, names);
  }
  return names;
};

const explain = (error: unknown): Error => {
  if (!(error instanceof CommandError)) throw error;
  return fail(error.code, `Error parsing array filter :: caused by :: ${error.message}`);
};

const nameOf = (filter: Doc): string => {
  const names = [...topNames(filter)];
  const [first, second] = names;
  if (first === undefined) {
    throw fail('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
  }
  if (second !== undefined) {
    throw explain(fail('FailedToParse', `Expected a single top-level field name, found '${first}' and '${second}'`));
  }
  if (identifier.test(first)) return first;
  throw explain(
    fail(
      'BadValue',
      `The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${first}'`,
    ),
  );
};

const compile = (filter: Doc, context: QueryContext): Matcher => {
  try {
    return parseQuery(filter, context);
  } catch (error) {
    throw explain(error);
  }
};

/**
 * Compiles `[{ 'x.a': 1 }]` to matchers of documents `{ x: element }`, by identifier. `$expr` is rejected.
 * @throws CommandError if a filter is invalid
 */
export const parseArrayFilters = (filters: readonly Value[], context: QueryContext): ReadonlyMap<string, Matcher> => {
  if (filters.length === 0) return noFilters;
  const matchers = new Map<string, Matcher>();
  for (const [i, filter] of filters.entries()) {
    if (!isDoc(filter)) {
      throw fail('TypeMismatch', `BSON field 'arrayFilters.${i}' is the wrong type, expected type 'object'`);
    }
    const matcher = compile(filter, { collation: context.collation });
    const name = nameOf(filter);
    if (matchers.has(name)) {
      throw fail('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    }
    matchers.set(name, matcher);
  }
  return matchers;
};

/** @throws CommandError 2 if no filter has the identifier */
export const requireFilter = (filters: ReadonlyMap<string, Matcher>, name: string, path: string): void => {
  if (filters.has(name)) return;
  throw fail('BadValue', `No array filter found for identifier '${name}' in path '${path}'`);
};

/** @throws CommandError 9 if no path uses one of the filters */
export const requireUse = (filters: ReadonlyMap<string, Matcher>, used: ReadonlySet<string>, update: Doc): void => {
  for (const name of filters.keys()) {
    if (used.has(name)) continue;
    throw fail('FailedToParse', `The array filter for identifier '${name}' was not used in the update ${show(update)}`);
  }
};
