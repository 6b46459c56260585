import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import { isOperators } from './operators.js';
import type { TextIndex } from './text-index.js';

const joins: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);

const branchesOf = (value: Value): readonly Doc[] => (isArray(value) ? value.filter(isDoc) : []);

const countIn = (filter: Doc): number => {
  let count = 0;
  for (const [name, value] of filter) {
    if (name === '$text') count += 1;
    else if (joins.has(name)) for (const branch of branchesOf(value)) count += countIn(branch);
  }
  return count;
};

/** Returns whether a filter contains `$text`. */
export const usesText = (filter: Doc): boolean => countIn(filter) > 0;

const noPlan = (why: string): Error =>
  fail('NoQueryExecutionPlans', `error processing query: planner returned error :: caused by :: ${why}`);

/** Returns the fields that a JSON Schema requires to exist. */
const requiredBy = (schema: Value): readonly string[] => {
  const required = isDoc(schema) ? schema.get('required') : undefined;
  return isArray(required) ? required.filter(name => typeof name === 'string') : [];
};

/** Returns whether an index finds the documents that match a filter. */
const isIndexed = (filter: Doc, index: TextIndex): boolean =>
  filter.entries().some(([name, value]) => {
    if (!name.startsWith('$')) return index.leads.has(name);
    if (name === '$jsonSchema') return requiredBy(value).some(path => index.leads.has(path));
    const branches = branchesOf(value);
    const found = (branch: Doc): boolean => isIndexed(branch, index);
    return name === '$and' ? branches.some(found) : name === '$or' && branches.every(found);
  });

/** Returns the paths that the conjunction requires to equal a value. */
const pinnedIn = (filter: Doc): readonly string[] =>
  filter.entries().flatMap(([name, value]) => {
    if (name === '$and') return branchesOf(value).flatMap(pinnedIn);
    return !name.startsWith('$') && (!isOperators(value) || value.has('$eq')) ? [name] : [];
  });

const requireIn = (filter: Doc, index: TextIndex, pinned: ReadonlySet<string>): void => {
  const known = new Set([...pinned, ...pinnedIn(filter)]);
  for (const [name, value] of filter) {
    if (name === '$text' && (index.isHidden || !index.prefix.every(path => known.has(path))))
      throw noPlan(
        'failed to use text index to satisfy $text query (if text index is compound, are equality predicates given for all prefix fields?)',
      );
    if (!joins.has(name)) continue;
    const branches = branchesOf(value);
    const searches = branches.filter(usesText);
    if (searches.length === 0) continue;
    if (name === '$nor') throw fail('BadValue', 'text expression not allowed in nor');
    if (name === '$or' && !branches.every(branch => usesText(branch) || isIndexed(branch, index)))
      throw noPlan(
        'Failed to produce a solution for TEXT under OR - other non-TEXT clauses under OR have to be indexed as well.',
      );
    for (const branch of searches) requireIn(branch, index, known);
  }
};

/**
 * Checks the places of `$text` in a filter.
 * @throws CommandError 2 within `$nor` or for a second one, 291 if no plan can use the index
 */
export const requireTextPlaces = (filter: Doc, index: TextIndex): void => {
  const count = countIn(filter);
  if (count > 1) throw fail('BadValue', 'Too many text expressions');
  if (count === 1) requireIn(filter, index, new Set());
};
