import type { Doc } from '@tessera/mql/engine';
import { toHex } from '@tessera/mql/engine';
import type { DatabaseValue, Namespace } from '../engine/database.js';
import { isSameCatalog, isView } from '../engine/database.js';
import type { SessionWrites } from '../engine/session-writes.js';
import type { SessionKey } from '../engine/sessions.js';
import type { OpTime } from '../log/op-time.js';
import type { Collection } from '../store/collection.js';
import type { Difference } from '../store/difference.js';
import { differences } from '../store/difference.js';
import { Tree } from '../store/tree.js';

/** A collection whatever it is called: its UUID in hexadecimal digits. */
export type CollectionId = string;

/** One thing that makes another value of a database of one. */
export type Change =
  /** A collection or view is there, or is another; the documents of a collection are where its UUID was before. */
  | { readonly kind: 'namespace'; readonly namespace: Namespace }
  | { readonly kind: 'gone'; readonly ns: string }
  /** A document under a record's key: a new one, or in the place of one. */
  | { readonly kind: 'put'; readonly collection: CollectionId; readonly record: string; readonly doc: Doc }
  | { readonly kind: 'removed'; readonly collection: CollectionId; readonly record: string }
  | { readonly kind: 'session'; readonly session: SessionKey; readonly writes: SessionWrites }
  | { readonly kind: 'forgotten'; readonly session: SessionKey }
  /** It has come so far in the history of its set. */
  | { readonly kind: 'at'; readonly at: OpTime };

export const idOf = ({ settings }: Collection): CollectionId => toHex(settings.uuid.bytes);

const noRecords: Tree<Doc> = Tree.empty();

const changesOfRecords = function* (before: Tree<Doc>, after: Collection): Generator<Change> {
  const collection = idOf(after);
  for (const { key: record, after: doc } of differences(before, after.records)) {
    yield doc === undefined ? { kind: 'removed', collection, record } : { kind: 'put', collection, record, doc };
  }
};

const changesOfNamespaces = function* (all: readonly Difference<Namespace>[]): Generator<Change> {
  for (const { before, after } of all) {
    if (after !== undefined && (before === undefined || !isSameCatalog(before, after)))
      yield { kind: 'namespace', namespace: after };
  }
  for (const { key, after } of all) if (after === undefined) yield { kind: 'gone', ns: key };
  // A collection may have another name than before.
  const known = new Map<CollectionId, Tree<Doc>>();
  for (const { before } of all) if (before !== undefined && !isView(before)) known.set(idOf(before), before.records);
  for (const { after } of all) {
    if (after !== undefined && !isView(after)) yield* changesOfRecords(known.get(idOf(after)) ?? noRecords, after);
  }
};

/**
 * What leads from one value to another, whatever came in between. Versions of a tree share what is the same in both, so that
 * it costs as much as there is different; and whatever changes the data, nobody can forget to tell of it.
 */
export const changesBetween = function* (before: DatabaseValue, after: DatabaseValue): Generator<Change> {
  yield* changesOfNamespaces([...differences(before.namespaces, after.namespaces)]);
  for (const { key: session, after: writes } of differences(before.writes, after.writes))
    yield writes === undefined ? { kind: 'forgotten', session } : { kind: 'session', session, writes };
  if (after.at !== undefined && after.at !== before.at) yield { kind: 'at', at: after.at };
};
