import type { Collation, Doc } from '@tessera/mql/engine';
import { fail, parseQuery, showDoc, unfitForPartial } from '@tessera/mql/engine';
import type { PartialFilter } from './collection.js';
import { isCollationFree } from './plan.js';

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
  const refused = unfitForPartial(filter);
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
