import type { Matcher } from '../query/parse.js';
import type { Collation } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { TimestampValue, Value } from '../value/value.js';

/** A field that an update changed, for change streams. An undefined value means that the field was removed. */
export interface Change {
  /** The dotted path, with the indexes that `$` and `$[]` stood for. */
  readonly path: string;
  readonly value: Value | undefined;
}

/** Compiled array filters by identifier. Each matches a document that holds the element under the identifier. */
export type ElementFilters = ReadonlyMap<string, Matcher>;

/** The application of an update to one document. */
export interface Run {
  readonly original: Doc;
  /** Whether the document is about to be inserted by an upsert. */
  readonly insert: boolean;
  readonly nowMs: number | undefined;
  readonly nowTimestamp: TimestampValue;
  readonly collation: Collation | undefined;
  readonly filters: ElementFilters;
  /**
   * Returns the index that the positional `$` stands for.
   * @throws CommandError 2 if the query matched no array element
   */
  readonly position: () => number;
  readonly log: ((change: Change) => void) | undefined;
}

/** The place in a document at which a modifier is applied. */
export interface Place {
  readonly path: readonly string[];
  /** The name of the innermost array on the path. */
  readonly array: string | undefined;
  /** Whether the update is only tried, to learn if it would create a value. */
  readonly probe: boolean;
  readonly run: Run;
}

/** Formats the `_id` as messages name a document: `{_id: 1}`. */
export const showId = ({ original }: Run): string => {
  const id = original.get('_id');
  return id === undefined ? '{}' : `{_id: ${show(id)}}`;
};

export const dotted = ({ path }: Place): string => path.join('.');

/** Returns the last part of the path. */
export const nameOf = ({ path }: Place): string => path[path.length - 1]!;
