import type { Doc } from '@tessera/mql/engine';
import type { Tree } from './tree.js';

/** The settings of a time-series collection. */
export interface TimeSeries {
  readonly timeField: string;
  readonly metaField: string | undefined;
  /** Undefined if the span of buckets is given in seconds instead. */
  readonly granularity: 'seconds' | 'minutes' | 'hours' | undefined;
  readonly bucketMaxSpanSeconds: number;
  readonly bucketRoundingSeconds: number | undefined;
  /** The age at which measurements are removed, in seconds. */
  readonly expireAfterSeconds: number | undefined;
  /** Whether buckets are compressed, as from 8.0 on. */
  readonly isCompressed: boolean;
}

/** A bucket as it was written. Its measurements are the records that follow the record of the bucket. */
export interface PinnedBucket {
  readonly bucket: Doc;
  /** The number of its measurements. */
  readonly count: number;
  /** Whether `control.closed` is true, so that the bucket accepts no changes of measurements. */
  readonly isClosed: boolean;
}

/** The buckets by the keys of their records, which no measurement has. */
export interface PinnedBuckets {
  readonly buckets: Tree<PinnedBucket>;
  /** The size of all buckets in bytes. */
  readonly bytes: number;
}

/** Whether a path belongs to the measurements, not to the time field or the meta field. */
export const isMeasured = (
  { timeField, metaField }: Pick<TimeSeries, 'timeField' | 'metaField'>,
  path: string,
): boolean => path !== timeField && path.split('.', 1)[0] !== metaField;
