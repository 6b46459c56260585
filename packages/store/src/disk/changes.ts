import type { Doc } from '@tessera/mql/engine';
import { toHex } from '@tessera/mql/engine';
import type { Collection } from '../collection.js';
import type { DatabaseValue, Namespace } from '../database.js';
import { isSameCatalog, isView } from '../database.js';
import type { Difference } from '../difference.js';
import { differences } from '../difference.js';
import type { OpTime } from '../op-time.js';
import type { SessionWrites } from '../session-writes.js';
import type { PinnedBucket } from '../time-series.js';
import { Tree } from '../tree.js';

/** The identity of a collection, independent of its name: its UUID in hexadecimal digits. */
export type CollectionId = string;

/** A difference between two values of the data. */
export type Change =
  /** A collection or view was created or changed. A collection keeps the documents that had its UUID before. */
  | { readonly kind: 'namespace'; readonly namespace: Namespace }
  | { readonly kind: 'gone'; readonly ns: string }
  /** A document was inserted or replaced. */
  | { readonly kind: 'put'; readonly collection: CollectionId; readonly record: string; readonly doc: Doc }
  | { readonly kind: 'removed'; readonly collection: CollectionId; readonly record: string }
  | { readonly kind: 'session'; readonly session: string; readonly writes: SessionWrites }
  | { readonly kind: 'forgotten'; readonly session: string }
  /** The optime of the data's last oplog entry changed. */
  | { readonly kind: 'at'; readonly at: OpTime };

export const idOf = ({ settings }: Collection): CollectionId => toHex(settings.uuid.bytes);

/**
 * Returns the identity under which the pinned buckets of a time series are stored. No UUID of a collection has this
 * digit for its version.
 */
export const idOfPinned = (id: CollectionId): CollectionId => `${id.slice(0, 12)}f${id.slice(13)}`;

const nothing: Tree<never> = Tree.empty();

const changesOfRecords = function* (before: Collection | undefined, after: Collection): Generator<Change> {
  const collection = idOf(after);
  for (const { key: record, after: doc } of differences<Doc>(before?.records ?? nothing, after.records))
    yield doc === undefined ? { kind: 'removed', collection, record } : { kind: 'put', collection, record, doc };
  const ofPinned = idOfPinned(collection);
  const [old, young] = [before?.pinned?.buckets ?? nothing, after.pinned?.buckets ?? nothing];
  for (const { key: record, after: pinned } of differences<PinnedBucket>(old, young)) {
    yield pinned === undefined
      ? { kind: 'removed', collection: ofPinned, record }
      : { kind: 'put', collection: ofPinned, record, doc: pinned.bucket };
  }
};

const changesOfNamespaces = function* (all: readonly Difference<Namespace>[]): Generator<Change> {
  for (const { before, after } of all) {
    if (after !== undefined && (before === undefined || !isSameCatalog(before, after)))
      yield { kind: 'namespace', namespace: after };
  }
  for (const { key, after } of all) if (after === undefined) yield { kind: 'gone', ns: key };
  // A collection may have been renamed.
  const known = new Map<CollectionId, Collection>();
  for (const { before } of all) if (before !== undefined && !isView(before)) known.set(idOf(before), before);
  for (const { after } of all) {
    if (after !== undefined && !isView(after)) yield* changesOfRecords(known.get(idOf(after)), after);
  }
};

/**
 * Returns the changes from one value to another. Versions of a tree share unchanged parts, so the cost is proportional
 * to the changes. Because values are compared, no code that changes data can forget to record a change.
 */
export const changesBetween = function* (before: DatabaseValue, after: DatabaseValue): Generator<Change> {
  yield* changesOfNamespaces([...differences(before.namespaces, after.namespaces)]);
  for (const { key: session, after: writes } of differences(before.writes, after.writes))
    yield writes === undefined ? { kind: 'forgotten', session } : { kind: 'session', session, writes };
  if (after.at !== undefined && after.at !== before.at) yield { kind: 'at', at: after.at };
};
