/**
 * The buckets of time series, as the collection `system.buckets.<name>` shows them. Collections store single measurements.
 * Buckets are computed when they are read, except for written buckets.
 */
import type { Collation, Entry, Value } from '@tessera/mql/engine';
import {
  DateValue,
  Doc,
  ObjectIdValue,
  compare,
  createCollation,
  hashKey,
  isArray,
  isDoc,
  isNumber,
  typeName,
} from '@tessera/mql/engine';
import { columnOf } from './bson-column.js';
import type { Collection } from './collection.js';
import { emptyCollection, placeRecord, removeRecord } from './collection.js';
import { parseClusteredIndex } from './index-spec.js';
import { recordKey } from './key.js';
import { isAsWritten, recordsOfPinned, withBucket, withoutBucket } from './pinned-buckets.js';
import { bucketValidator } from './series-catalog.js';
import { normalized } from './measurements.js';
import type { PinnedBucket, TimeSeries } from './time-series.js';
import type { Edit } from './tree.js';

/** The maximum number of measurements of a bucket. */
const mostMeasurements = 1000;

/** To what the first time of a bucket is rounded down, in seconds. */
const rounding = { seconds: 60, minutes: 3600, hours: 86_400 } as const;

/** The types of the fields in a bucket. A measurement with other types is in another bucket. */
class FieldTypes {
  readonly #known = new Map<string, string>();

  /** Whether all fields have the types of earlier ones, also within documents and arrays. */
  fit(value: Value, path = ''): boolean {
    const known = this.#known.get(path);
    if (known !== undefined && known !== kindOf(value)) return false;
    return partsOf(value).every(([name, part]) => this.fit(part, `${path}\0${name}`));
  }

  add(value: Value, path = ''): void {
    if (!this.#known.has(path)) this.#known.set(path, kindOf(value));
    for (const [name, part] of partsOf(value)) this.add(part, `${path}\0${name}`);
  }
}

const kindOf = (value: Value): string => (isNumber(value) ? 'number' : typeName(value).replace('symbol', 'string'));

const partsOf = (value: Value): readonly (readonly [string | number, Value])[] =>
  isDoc(value) ? value.entries() : isArray(value) ? [...value.entries()] : [];

interface Bucket {
  readonly record: string;
  readonly start: number;
  readonly measurements: Doc[];
  /** The records of the measurements. */
  readonly members: string[];
  readonly types: FieldTypes;
  /** The bucket as it was written, if it was. */
  readonly pinned: PinnedBucket | undefined;
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
const columnsOf = (measurements: readonly Doc[], isCompressed: boolean): Doc => {
  const columns = new Map<string, (Value | undefined)[]>();
  for (const [i, measurement] of measurements.entries()) {
    for (const [name, value] of measurement) {
      const column = columns.get(name) ?? [];
      column[i] = value;
      columns.set(name, column);
    }
  }
  const shown = (column: readonly (Value | undefined)[]): Value =>
    isCompressed
      ? columnOf(column)
      : Doc.of([...column.entries()].flatMap(([i, value]) => (value === undefined ? [] : [[String(i), value]])));
  return Doc.of([...columns].map(([name, column]) => [name, shown(column)]));
};

/** Returns an id that begins with the bucket's time, as in mongod. */
const idOf = ({ start, record }: Bucket): ObjectIdValue => {
  const bytes = new Uint8Array(12);
  new DataView(bytes.buffer).setUint32(0, Math.floor(start / 1000) >>> 0);
  for (let i = 0; i < record.length; i++) bytes[4 + (i % 8)]! ^= record.charCodeAt(i) & 0xff;
  return new ObjectIdValue(bytes);
};

const timeOf = (measurement: Doc, { timeField }: TimeSeries): number => (measurement.get(timeField) as DateValue).ms;

/** The version of a bucket: 1 without compression, 2 if its measurements are sorted by time, else 3. */
const versionOf = (measurements: readonly Doc[], series: TimeSeries): number => {
  if (!series.isCompressed) return 1;
  const times = measurements.map(measurement => timeOf(measurement, series));
  return times.every((time, i) => i === 0 || times[i - 1]! <= time) ? 2 : 3;
};

const documentOf = (bucket: Bucket, series: TimeSeries, order: Collation | undefined): Doc => {
  const { pinned, start } = bucket;
  const { metaField, timeField, isCompressed } = series;
  if (pinned !== undefined && isAsWritten(pinned, bucket.measurements, series)) return pinned.bucket;
  const measurements =
    metaField === undefined ? bucket.measurements : bucket.measurements.map(doc => doc.without(metaField));
  const meta = metaField === undefined ? undefined : bucket.measurements[0]!.get(metaField);
  const min = extremes(measurements, -1, order).with(timeField, new DateValue(start));
  const control: Entry[] = [
    ['version', versionOf(measurements, series)],
    ['min', min],
    ['max', extremes(measurements, 1, order)],
  ];
  if (isCompressed) control.push(['count', measurements.length]);
  if (pinned?.isClosed === true) control.push(['closed', true]);
  return Doc.fromBytes(
    Doc.of([
      ['_id', pinned?.bucket.get('_id') ?? idOf(bucket)],
      ['control', Doc.of(control)],
      ...(meta === undefined ? [] : [['meta', meta] as const]),
      ['data', columnsOf(measurements, isCompressed)],
    ]).bytes,
  );
};

const emptyBucket = (): Pick<Bucket, 'measurements' | 'members' | 'types'> => ({
  measurements: [],
  members: [],
  types: new FieldTypes(),
});

/** Returns the pinned buckets of a series, without measurements, by the records of these. */
const pinnedIn = ({ pinned }: Collection, { timeField }: TimeSeries): ReadonlyMap<string, Bucket> => {
  const found = new Map<string, Bucket>();
  for (const [record, each] of pinned?.buckets ?? []) {
    const start = valueAt(each.bucket, ['control', 'min', timeField]);
    const bucket: Bucket = {
      ...{ record, pinned: each, ...emptyBucket() },
      start: start instanceof DateValue ? start.ms : 0,
    };
    for (const member of [record, ...recordsOfPinned(record, each)]) found.set(member, bucket);
  }
  return found;
};

const valueAt = (doc: Doc, path: readonly string[]): Value | undefined =>
  path.reduce<Value | undefined>((value, name) => (isDoc(value) ? value.get(name) : undefined), doc);

/** The buckets with one meta value that accept measurements, by their first times. */
class OpenBuckets {
  readonly #span: number;
  readonly #buckets: Bucket[] = [];
  #newest: Bucket | undefined;

  constructor(span: number) {
    this.#span = span;
  }

  #accepts(bucket: Bucket, measurement: Doc, ms: number): boolean {
    const isInTime = ms >= bucket.start && ms < bucket.start + this.#span;
    return isInTime && bucket.measurements.length < mostMeasurements && bucket.types.fit(measurement);
  }

  add(bucket: Bucket): void {
    this.#newest = bucket;
    const at = this.#buckets.findLastIndex(({ start }) => start <= bucket.start) + 1;
    this.#buckets.splice(at, 0, bucket);
  }

  /** Returns the newest bucket if it accepts a measurement of that time, else the last one before that does. */
  for(measurement: Doc, ms: number): Bucket | undefined {
    if (this.#newest !== undefined && this.#accepts(this.#newest, measurement, ms)) return this.#newest;
    for (let i = this.#buckets.length - 1; i >= 0; i--) {
      const bucket = this.#buckets[i]!;
      if (bucket.start + this.#span <= ms) return undefined;
      if (this.#accepts(bucket, measurement, ms)) return bucket;
    }
    return undefined;
  }
}

/** Divides the measurements of a series into buckets, in the order in which they were inserted. */
const bucketsIn = (collection: Collection, series: TimeSeries): Iterable<Bucket> => {
  const { metaField, granularity, bucketMaxSpanSeconds, bucketRoundingSeconds } = series;
  const step = 1000 * (granularity === undefined ? bucketRoundingSeconds! : rounding[granularity]);
  const pinned = pinnedIn(collection, series);
  const all = new Set<Bucket>();
  const open = new Map<string, OpenBuckets>();
  const openFor = (meta: Value | undefined): OpenBuckets => {
    const key = meta === undefined ? '' : hashKey(normalized(meta));
    const known = open.get(key) ?? new OpenBuckets(1000 * bucketMaxSpanSeconds);
    open.set(key, known);
    return known;
  };
  for (const [record, measurement] of collection.records) {
    const meta = metaField === undefined ? undefined : measurement.get(metaField);
    const ms = timeOf(measurement, series);
    let bucket = pinned.get(record) ?? openFor(meta).for(measurement, ms);
    bucket ??= { record, start: Math.floor(ms / step) * step, ...emptyBucket(), pinned: undefined };
    if (!all.has(bucket)) {
      all.add(bucket);
      if (bucket.pinned?.isClosed !== true) openFor(meta).add(bucket);
    }
    bucket.measurements.push(measurement);
    bucket.members.push(record);
    bucket.types.add(measurement);
  }
  for (const bucket of pinned.values()) if (bucket.pinned!.count === 0) all.add(bucket);
  return all;
};

/** The bucket collection of each version of a series. */
const known = new WeakMap<Collection, Collection>();

/** The records of the measurements in each bucket, by version of the bucket collection. */
const membersOf = new WeakMap<Collection, ReadonlyMap<string, readonly string[]>>();

const clusteredId = parseClusteredIndex(
  Doc.of([
    ['key', Doc.of([['_id', 1]])],
    ['unique', true],
  ]),
  undefined,
  undefined,
);

/** Returns the collection of the buckets of a time series. One version of the series has one. */
export const bucketsOf = (series: Collection, ns: string): Collection => {
  const before = known.get(series);
  if (before !== undefined) return before;
  const timeSeries = series.settings.timeSeries!;
  const { settings } = series;
  const edit = { for: 'buckets' };
  const empty = emptyCollection(
    { ...settings, ns, timeSeries: undefined, validator: bucketValidator(timeSeries) },
    clusteredId,
  );
  let made: Collection = { ...empty, nextRecord: series.nextRecord, series };
  const collation = settings.options.get('collation');
  const order = isDoc(collation) ? createCollation(collation) : undefined;
  const members = new Map<string, readonly string[]>();
  for (const bucket of bucketsIn(series, timeSeries)) {
    made = placeRecord(made, bucket.record, documentOf(bucket, timeSeries, order), edit);
    members.set(bucket.record, bucket.members);
  }
  known.set(series, made);
  membersOf.set(made, members);
  return made;
};

const remembered = (before: Collection, buckets: Collection, series: Collection): Collection => {
  const made = { ...buckets, nextRecord: series.nextRecord, series };
  known.set(series, made);
  membersOf.set(made, membersOf.get(before)!);
  return made;
};

/** Returns the records of the measurements in a bucket. A bucket written later is not in the map: it is pinned. */
const membersIn = (buckets: Collection, record: string): readonly string[] =>
  membersOf.get(buckets)!.get(record) ?? recordsOfPinned(record, buckets.series!.pinned!.buckets.get(record)!);

/** Adds a bucket to a bucket collection, and its measurements to the series. @throws CommandError 2, 11000, 22 */
export const insertBucket = (buckets: Collection, bucket: Doc, edit: Edit): Collection => {
  const placed = placeRecord(buckets, recordKey(buckets.nextRecord), bucket, edit);
  return remembered(buckets, placed, withBucket(buckets.series!, bucket, edit));
};

/** Removes a bucket from a bucket collection, and its measurements from the series. */
export const removeBucket = (buckets: Collection, record: string, bucket: Doc, edit: Edit): Collection => {
  const series = withoutBucket(buckets.series!, record, membersIn(buckets, record), edit);
  return remembered(buckets, removeRecord(buckets, record, bucket, edit), series);
};
