/**
 * The buckets of a time series that were written as such, in its bucket collection. Their measurements are records of
 * the series like all others. The bucket beside them keeps what measurements do not show, such as its `_id`.
 */
import type { Doc } from '@tessera/mql/engine';
import { isDoc } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import { insertRecord, removeRecord } from './collection.js';
import { recordKey, recordNumber } from './key.js';
import { measurement } from './measurements.js';
import type { PinnedBucket, PinnedBuckets, TimeSeries } from './time-series.js';
import type { Edit } from './tree.js';
import { Tree } from './tree.js';
import { measurementsIn } from './unpack.js';

/** Returns the measurements of a bucket as the series stores them. @throws CommandError 2, 22 */
const storedIn = (bucket: Doc, series: TimeSeries): readonly Doc[] =>
  measurementsIn(bucket, series).map(doc => measurement(doc, series));

const pinnedOf = (bucket: Doc, count: number): PinnedBucket => {
  const control = bucket.get('control');
  return { bucket, count, isClosed: isDoc(control) && control.get('closed') === true };
};

const withPinned = (
  pinned: PinnedBuckets | undefined,
  record: string,
  next: PinnedBucket | undefined,
  edit: Edit,
): PinnedBuckets | undefined => {
  const before = pinned?.buckets.get(record);
  const buckets = pinned?.buckets ?? Tree.empty();
  const bytes = (pinned?.bytes ?? 0) - (before?.bucket.byteLength ?? 0) + (next?.bucket.byteLength ?? 0);
  const changed = next === undefined ? buckets.delete(record, edit) : buckets.set(record, next, edit);
  return changed.size === 0 ? undefined : { buckets: changed, bytes };
};

/** Returns the pinned buckets from their documents. */
export const pinnedBuckets = (
  buckets: Iterable<readonly [string, Doc]>,
  series: TimeSeries,
  edit: Edit,
): PinnedBuckets | undefined => {
  let pinned: PinnedBuckets | undefined;
  for (const [record, bucket] of buckets)
    pinned = withPinned(pinned, record, pinnedOf(bucket, measurementsIn(bucket, series).length), edit);
  return pinned;
};

/** Returns the keys of the records of a pinned bucket's measurements. */
export const recordsOfPinned = (record: string, { count }: PinnedBucket): readonly string[] => {
  const first = recordNumber(record) + 1;
  return Array.from({ length: count }, (_, i) => recordKey(first + i));
};

/** Adds a bucket and its measurements to a series. @throws CommandError 2, 22 */
export const withBucket = (series: Collection, bucket: Doc, edit: Edit): Collection => {
  const measurements = storedIn(bucket, series.settings.timeSeries!);
  const record = recordKey(series.nextRecord);
  let next: Collection = {
    ...series,
    nextRecord: series.nextRecord + 1,
    pinned: withPinned(series.pinned, record, pinnedOf(bucket, measurements.length), edit),
  };
  for (const doc of measurements) next = insertRecord(next, doc, edit);
  return next;
};

/** Removes a bucket and its measurements from a series. @param records the records of its measurements */
export const withoutBucket = (
  series: Collection,
  record: string,
  records: readonly string[],
  edit: Edit,
): Collection => {
  let next: Collection = { ...series, pinned: withPinned(series.pinned, record, undefined, edit) };
  for (const each of records) {
    const doc = series.records.get(each);
    if (doc !== undefined) next = removeRecord(next, each, doc, edit);
  }
  return next;
};

/** Returns the pinned bucket of a measurement with the record of the bucket, if the measurement is in one. */
const pinnedOfRecord = (
  { pinned }: Collection,
  record: string,
): { readonly at: string; readonly found: PinnedBucket } | undefined => {
  const walk = pinned?.buckets.walk(undefined, record, true);
  if (walk?.next() !== true) return undefined;
  const isWithin = recordNumber(record) <= recordNumber(walk.key) + walk.value.count;
  return isWithin ? { at: walk.key, found: walk.value } : undefined;
};

/** Whether a measurement is in a closed bucket, which writes of measurements do not change. */
export const isInClosedBucket = (series: Collection, record: string): boolean =>
  pinnedOfRecord(series, record)?.found.isClosed === true;

/** Removes the pinned bucket of a measurement that was removed, if it was its last one. */
export const withoutEmptyBucket = (series: Collection, removed: string, edit: Edit): Collection => {
  const pinned = pinnedOfRecord(series, removed);
  if (pinned === undefined) return series;
  const rest = series.records.walk(pinned.at, recordKey(recordNumber(pinned.at) + pinned.found.count + 1));
  return rest.next() ? series : { ...series, pinned: withPinned(series.pinned, pinned.at, undefined, edit) };
};

/** Whether the measurements of a pinned bucket are those with which it was written. */
export const isAsWritten = ({ bucket }: PinnedBucket, stored: readonly Doc[], series: TimeSeries): boolean => {
  const written = storedIn(bucket, series);
  return stored.length === written.length && stored.every((doc, i) => isSame(doc.bytes, written[i]!.bytes));
};

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i]);
