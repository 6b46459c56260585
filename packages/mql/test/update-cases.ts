import { parseQuery } from '../src/query/parse.js';
import type { Change, UpdateOptions } from '../src/update/update.js';
import { parseUpdate } from '../src/update/update.js';
import { Doc } from '../src/value/doc.js';
import { isArray, TimestampValue } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, text, v } from './shorthand.js';

export type Fields = { readonly [key: string]: Shorthand } | Doc;

export const asDoc = (fields: Fields): Doc => (fields instanceof Doc ? fields : d(fields));

/** The time of the updates in tests. */
export const nowMs = 1_700_000_000_000;
export const nowTimestamp: TimestampValue = new TimestampValue(1_700_000_000, 7);

export interface Update {
  readonly update: Shorthand;
  readonly filter?: Fields;
  readonly arrayFilters?: readonly Shorthand[];
  readonly insert?: boolean;
  readonly pipeline?: UpdateOptions['pipeline'];
  readonly log?: (change: Change) => void;
}

/** Applies an update and returns the document. */
export const applied = (doc: Fields, { update, filter = {}, insert = false, ...rest }: Update): Doc => {
  const parsed = v(update);
  const updater = parseUpdate(isArray(parsed) ? parsed : (parsed as Doc), {
    arrayFilters: rest.arrayFilters?.map(v),
    pipeline: rest.pipeline,
  });
  return updater.apply(asDoc(doc), {
    matcher: parseQuery(asDoc(filter)),
    insert,
    nowMs,
    nowTimestamp,
    stamp: nowTimestamp,
    log: rest.log,
  });
};

/** Applies an update and returns the document as text, or `unchanged` if it is the same object. */
export const outcome = (doc: Fields, update: Update): string => {
  const before = asDoc(doc);
  const after = applied(before, update);
  return after === before ? 'unchanged' : text(after);
};
