import type { Collation } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { TimestampValue, Value } from '../value/value.js';

/** One field that an update has changed, for change streams: undefined is removed. */
export interface Change {
  /** Dotted, with the positions that `$` and `$[]` stood for. */
  readonly path: string;
  readonly value: Value | undefined;
}

/** One application of an update to one document. */
export interface Run {
  readonly original: Doc;
  /** The document is about to be inserted: an upsert. */
  readonly insert: boolean;
  readonly nowMs: number | undefined;
  readonly nowTimestamp: TimestampValue;
  readonly collation: Collation | undefined;
  /** What the positional `$` stands for. @throws CommandError 2 if the query found none */
  readonly position: () => number;
  readonly log: ((change: Change) => void) | undefined;
}

/** Where in a document a modifier works. */
export interface Place {
  readonly path: readonly string[];
  /** The name of an array that the path leads through. */
  readonly array: string | undefined;
  /** Nothing will be written: it is only to be known whether something would be. */
  readonly probe: boolean;
  readonly run: Run;
}

/** `{_id: 1}`, by which messages name the document. */
export const showId = ({ original }: Run): string => {
  const id = original.get('_id');
  return id === undefined ? '{}' : `{_id: ${show(id)}}`;
};

export const dotted = ({ path }: Place): string => path.join('.');

/** The last part of its path. */
export const nameOf = ({ path }: Place): string => path[path.length - 1]!;
