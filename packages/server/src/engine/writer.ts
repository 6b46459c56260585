import type { Clock } from '@tessera/contracts';
import type { BinaryValue, ObjectIdValue } from '@tessera/mql/engine';
import { checkPlainNames, Doc, TimestampValue, fail, isDoc } from '@tessera/mql/engine';
import type { Collection, CollectionSettings, Row } from '@tessera/store';
import {
  emptyCollection,
  insertBucket,
  insertRecord,
  maxBatchBytes,
  measurement,
  removeBucket,
  removeRecord,
  replaceRecord,
  requireFit,
  withoutEmptyBucket,
} from '@tessera/store';
import type { RowChange } from '../log/op.js';
import type { Draft } from './database.js';
import { kept, prepared } from './prepare.js';

/** The time of a write, the same for the whole command. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly nowTimestamp: TimestampValue;
  /**
   * The value that replaces Timestamp(0, 0) at the top level of a new document or a replacement; undefined keeps
   * Timestamp(0, 0).
   */
  readonly stamp: TimestampValue | undefined;
}

/** @param keepsEmptyTimes `bypassEmptyTsReplacement` */
export const momentOf = (
  { clock }: { readonly clock: Pick<Clock, 'wallTime'> },
  keepsEmptyTimes: boolean | undefined,
): Moment => {
  const nowMs = clock.wallTime();
  const nowTimestamp = new TimestampValue(Math.floor(nowMs / 1000) >>> 0, 1);
  return { nowMs, nowTimestamp, stamp: keepsEmptyTimes === true ? undefined : nowTimestamp };
};

export interface WriteOptions {
  /** `bypassDocumentValidation` */
  readonly unchecked: boolean;
  /** Whether field names that start with a dollar sign are rejected, as before 5.0. */
  readonly plainNames?: boolean;
}

/** Generates the ids of new documents and collections. */
export interface Ids {
  newObjectId(): ObjectIdValue;
  newUuid(): BinaryValue;
}

/** Returns the settings of a collection that is created implicitly. */
export const plainSettings = (ids: Ids, ns: string): CollectionSettings => ({
  ns,
  uuid: ids.newUuid(),
  options: Doc.EMPTY,
  capped: undefined,
  validator: undefined,
});

/** Returns the collection to write to, and creates it if it is missing. @throws CommandError 166, 73 */
export const writable = (ids: Ids, draft: Draft, ns: string): Collection => {
  const existing = draft.documents(ns);
  if (existing !== undefined) return existing;
  checkNewName(ns);
  const made = emptyCollection(plainSettings(ids, ns));
  draft.create(made);
  return made;
};

/** Checks the name of a new collection. @throws CommandError 73 for a name that can be read but not created */
export const checkNewName = (ns: string): void => {
  const name = ns.slice(ns.indexOf('.') + 1);
  if (name.includes('$') || name.startsWith('.') || (ns.length > 255 && !/^(?:admin|config|local)\./.test(ns)))
    throw fail('InvalidNamespace', `Invalid collection name: ${name}`);
  if (
    name.startsWith('system.') &&
    name !== 'system.js' &&
    name !== 'system.profile' &&
    !name.startsWith('system.buckets.')
  ) {
    throw fail('InvalidNamespace', `Invalid system namespace: ${ns}`);
  }
};

const validate = (
  collection: Collection,
  before: Doc | undefined,
  after: Doc,
  { unchecked, plainNames = false }: WriteOptions,
): void => {
  if (plainNames) checkPlainNames(after);
  if (collection.series !== undefined && unchecked)
    throw fail('BadValue', 'bypassDocumentValidation is not allowed for writes of the buckets of a time series');
  const { validator } = collection.settings;
  if (validator === undefined || unchecked || validator.level === 'off' || validator.matches(after)) return;
  if (validator.level === 'moderate' && before !== undefined && !validator.matches(before)) return;
  const { explain } = validator;
  const info = (why: Doc): Doc =>
    Doc.of([
      ['failingDocumentId', after.get('_id')!],
      ['details', why],
    ]);
  throw fail(
    'DocumentValidationFailure',
    'Document failed validation',
    explain === undefined ? [] : [['errInfo', info(explain(after))]],
  );
};

/** Whether the collection has `changeStreamPreAndPostImages` enabled. */
const keepsImages = ({ settings: { options } }: Collection): boolean => {
  const images = options.get('changeStreamPreAndPostImages');
  return isDoc(images) && images.get('enabled') === true;
};

/** Whether a collection is replicated. `system.profile` is local to each member. */
const isReplicated = ({ settings: { ns } }: Collection): boolean => !ns.endsWith('.system.profile');

/** Inserts a document that was {@link prepared} and copied. */
export const insertInto = (draft: Draft, collection: Collection, given: Doc, options: WriteOptions): Collection => {
  const { timeSeries } = collection.settings;
  const doc = timeSeries === undefined ? given : measurement(given, timeSeries);
  validate(collection, undefined, doc, options);
  requireFit(collection, doc);
  draft.guard?.row({ collection, record: undefined, before: undefined, after: doc });
  const next = (collection.series === undefined ? insertRecord : insertBucket)(collection, doc, draft.edit);
  draft.set(next);
  draft.inserted += 1;
  if (draft.logged && isReplicated(next))
    draft.note({ kind: 'insert', ns: next.settings.ns, uuid: next.settings.uuid, doc });
  return next;
};

/** Inserts a document that the server created: the result of an upsert or a `$merge`. Returns the stored document. */
export const insertMade = (
  ids: Ids,
  draft: Draft,
  ns: string,
  doc: Doc,
  options: WriteOptions & { readonly moment: Moment },
): Doc => {
  const stored = kept(prepared(doc, () => ids.newObjectId(), options.moment.stamp));
  insertInto(draft, writable(ids, draft, ns), stored, options);
  return stored;
};

/** The change of one row. */
export interface Replacement {
  readonly row: Row;
  readonly after: Doc;
  readonly change: RowChange;
}

/** Replaces the document of a row. @throws CommandError 10334, 11000, 121 */
export const replaceRow = (
  draft: Draft,
  collection: Collection,
  { row, after: given, change }: Replacement,
  options: WriteOptions,
): Collection => {
  const { timeSeries } = collection.settings;
  const after = timeSeries === undefined ? given : measurement(given, timeSeries);
  if (after.byteLength > maxBatchBytes) {
    throw fail('BSONObjectTooLarge', `Resulting document after update is larger than ${maxBatchBytes}`);
  }
  validate(collection, row.doc, after, options);
  requireFit(collection, after);
  const stored = kept(after);
  draft.guard?.row({ collection, record: row.record, before: row.doc, after: stored });
  const next =
    collection.series === undefined
      ? replaceRecord(collection, row.record, row.doc, after, draft.edit, stored)
      : insertBucket(removeBucket(collection, row.record, row.doc, draft.edit), stored, draft.edit);
  draft.set(next);
  draft.updated += 1;
  if (draft.logged)
    draft.note({
      kind: 'update',
      ns: next.settings.ns,
      uuid: next.settings.uuid,
      imaged: keepsImages(next),
      id: row.doc.get('_id')!,
      before: row.doc.view(),
      after: stored,
      change,
    });
  return next;
};

export const removeRow = (draft: Draft, collection: Collection, row: Pick<Row, 'record' | 'doc'>): Collection => {
  draft.guard?.row({ collection, record: row.record, before: row.doc, after: undefined });
  const removed = (collection.series === undefined ? removeRecord : removeBucket)(
    collection,
    row.record,
    row.doc,
    draft.edit,
  );
  const next = removed.pinned === undefined ? removed : withoutEmptyBucket(removed, row.record, draft.edit);
  draft.set(next);
  draft.deleted += 1;
  if (draft.logged)
    draft.note({
      kind: 'delete',
      ns: next.settings.ns,
      uuid: next.settings.uuid,
      imaged: keepsImages(next),
      before: row.doc.view(),
    });
  return next;
};
