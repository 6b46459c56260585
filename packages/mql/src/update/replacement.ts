import { fail } from '../errors.js';
import { equal } from '../value/compare.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { TimestampValue } from '../value/value.js';
import { dollarPrefixed } from './apply.js';
import { identical } from './identical.js';

/** Replaces Timestamp(0, 0) at the top level by the current time. Rule: "Timestamps": inserts and replacements. */
const stamp = ([name, value]: Entry, now: TimestampValue): Entry =>
  name !== '_id' && value instanceof TimestampValue && value.t === 0 && value.i === 0 ? [name, now] : [name, value];

const requireSameId = (before: Value | undefined, after: Value | undefined): void => {
  if (before === undefined || after === undefined || equal(before, after)) return;
  throw fail(
    'ImmutableField',
    `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${show(after)}`,
  );
};

/**
 * Replaces a document. A replacement without an `_id` gets that of the document, as its first field. Returns the same
 * document if nothing changes.
 * @throws CommandError 66 for a different `_id`, 52 for names with a dollar at the top level
 */
export const replace = (doc: Doc, replacement: Doc, stampNow: TimestampValue | undefined, insert: boolean): Doc => {
  const before = doc.get('_id');
  const after = replacement.get('_id');
  requireSameId(before, after);
  const id = after === undefined ? before : after;
  const entries: Entry[] = id === undefined ? [] : [['_id', id]];
  for (const entry of replacement) {
    if (entry[0] === '_id') continue;
    if (entry[0].startsWith('$') && !insert) throw dollarPrefixed(entry[0]);
    entries.push(stampNow === undefined ? entry : stamp(entry, stampNow));
  }
  const result = Doc.of(entries);
  return identical(doc, result) ? doc : result;
};
