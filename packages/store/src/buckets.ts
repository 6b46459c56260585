/**
 * The buckets of time series, as the collection `system.buckets.<name>` shows them. Collections store single measurements.
 * Their buckets are computed when they are read.
 */
import type { Collation, Entry, Value } from '@tessera/mql/engine';
import { DateValue, Doc, ObjectIdValue, compare, createCollation, hashKey, isArray, isDoc } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import { emptyCollection, placeRecord } from './collection.js';
import type { TimeSeries } from './time-series.js';

/** The maximum number of measurements of a bucket. */
const mostMeasurements = 1000;

/** To what the first time of a bucket is rounded down, in seconds. */
const rounding = { seconds: 60, minutes: 3600, hours: 86_400 } as const;

interface Bucket {
  readonly record: string;
  readonly start: number;
  readonly meta: Value | undefined;
  readonly measurements: Doc[];
}

/** Returns the extreme of two values: of documents and arrays, the extremes of their parts. */
const extreme = (a: Value, b: Value, sign: 1 | -1, order: Collation | undefined): Value => {
  if (isDoc(a) && isDoc(b)) return extremes([a, b], sign, order);
  if (isArray(a) && isArray(b)) {
    const [short, long] = a.length < b.length ? [a, b] : [b, a];
    return long.map((item, i) => (i < short.length ? extreme(short[i]!, item, sign, order) : item));
  }
  return compare(a, b, order) * sign >= 0 ? a : b;
};

/** Returns the least or the greatest values of the fields of documents. */
const extremes = (docs: readonly Doc[], sign: 1 | -1, order: Collation | undefined): Doc => {
  const found = new Map<string, Value>();
  for (const doc of docs) {
    for (const [name, value] of doc) {
      const other = found.get(name);
      found.set(name, other === undefined ? value : extreme(other, value, sign, order));
    }
  }
  return Doc.of(found);
};

/** Returns the values of each field, by the position of their measurement. */
const columnsOf = (measurements: readonly Doc[]): Doc => {
  const columns = new Map<string, Entry[]>();
  for (const [i, measurement] of measurements.entries()) {
    for (const [name, value] of measurement) {
      const column = columns.get(name);
      if (column === undefined) columns.set(name, [[String(i), value]]);
      else column.push([String(i), value]);
    }
  }
  return Doc.of([...columns].map(([name, column]) => [name, Doc.of(column)]));
};

/** Returns an id that begins with the bucket's time, as in mongod. */
const idOf = ({ start, record }: Bucket): ObjectIdValue => {
  const bytes = new Uint8Array(12);
  new DataView(bytes.buffer).setUint32(0, Math.floor(start / 1000) >>> 0);
  for (let i = 0; i < record.length; i++) bytes[4 + (i % 8)]! ^= record.charCodeAt(i) & 0xff;
  return new ObjectIdValue(bytes);
};

const documentOf = (bucket: Bucket, { timeField }: TimeSeries, order: Collation | undefined): Doc => {
  const { meta, measurements, start } = bucket;
  const min = extremes(measurements, -1, order).with(timeField, new DateValue(start));
  return Doc.fromBytes(
    Doc.of([
      ['_id', idOf(bucket)],
      [
        'control',
        Doc.of([
          ['version', 1],
          ['min', min],
          ['max', extremes(measurements, 1, order)],
        ]),
      ],
      ...(meta === undefined ? [] : [['meta', meta] as const]),
      ['data', columnsOf(measurements)],
    ]).bytes,
  );
};

/** Divides the measurements of a series into buckets, in the order in which they were inserted. */
const bucketsIn = ({ records }: Collection, series: TimeSeries): readonly Bucket[] => {
  const { timeField, metaField, granularity, bucketMaxSpanSeconds, bucketRoundingSeconds } = series;
  const step = 1000 * (granularity === undefined ? bucketRoundingSeconds! : rounding[granularity]);
  const span = 1000 * bucketMaxSpanSeconds;
  const all: Bucket[] = [];
  const open = new Map<string, Bucket>();
  for (const [record, measurement] of records) {
    const meta = metaField === undefined ? undefined : measurement.get(metaField);
    const { ms } = measurement.get(timeField) as DateValue;
    const key = meta === undefined ? '' : hashKey(meta);
    let bucket = open.get(key);
    if (
      bucket === undefined ||
      ms < bucket.start ||
      ms >= bucket.start + span ||
      bucket.measurements.length >= mostMeasurements
    ) {
      bucket = { record, start: Math.floor(ms / step) * step, meta, measurements: [] };
      open.set(key, bucket);
      all.push(bucket);
    }
    bucket.measurements.push(metaField === undefined ? measurement : measurement.without(metaField));
  }
  return all;
};

const known = new WeakMap<Collection, Collection>();

/** Returns the collection of the buckets of a time series. One version of the series has one. */
export const bucketsOf = (collection: Collection, series: TimeSeries, ns: string): Collection => {
  const before = known.get(collection);
  if (before !== undefined) return before;
  const { settings } = collection;
  const edit = { for: 'buckets' };
  let made = emptyCollection({ ...settings, ns, timeSeries: undefined });
  const collation = settings.options.get('collation');
  const order = isDoc(collation) ? createCollation(collation) : undefined;
  for (const bucket of bucketsIn(collection, series))
    made = placeRecord(made, bucket.record, documentOf(bucket, series, order), edit);
  known.set(collection, made);
  return made;
};
