import { fail } from '@tessera/mql/engine';
import type { Range } from './bounds.js';
import { coversAll } from './bounds.js';
import type { Collection, Index } from './collection.js';
import { beyond, fieldKey } from './key.js';
import type { Predicate } from './predicate.js';

/** Returns the start of the keys of the documents that have the values of the query before their text, or undefined. */
const prefixOf = ({ definition: { fields } }: Index, predicates: readonly Predicate[]): string | undefined => {
  let prefix = '';
  for (const { path, direction } of fields) {
    if (path === '_fts') break;
    const pinned = predicates.find(one => one.path === path && one.op === 'eq');
    if (pinned === undefined) return undefined;
    prefix += fieldKey(pinned.value, direction);
  }
  return prefix;
};

/** The text index of a search, and the ranges of its keys with the terms. */
export interface SearchRanges {
  readonly index: Index;
  readonly ranges: readonly Range[];
}

/**
 * Returns the part of the text index that has the results of a search. Undefined if it is not known.
 * @throws CommandError 291 if the text index is partial and may lack results
 */
export const searchRangesIn = (
  { indexes }: Collection,
  terms: readonly string[],
  predicates: readonly Predicate[],
): SearchRanges | undefined => {
  const index = indexes.find(({ definition }) => definition.textKeys !== undefined);
  if (index === undefined) return undefined;
  if (index.definition.partial !== undefined && !coversAll(index, predicates))
    throw fail(
      'NoQueryExecutionPlans',
      'error processing query: planner returned error :: caused by :: failed to use text index to satisfy $text query (the filter of the partial index must follow from the query)',
    );
  const prefix = prefixOf(index, predicates);
  if (prefix === undefined) return undefined;
  const ranges = terms.map(term => {
    const from = prefix + fieldKey(term, 1);
    return { from, to: from + beyond };
  });
  return { index, ranges };
};
