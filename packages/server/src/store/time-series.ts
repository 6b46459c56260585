/** How a time-series collection is made. */
export interface TimeSeries {
  readonly timeField: string;
  readonly metaField: string | undefined;
  /** Undefined: the buckets are said instead. */
  readonly granularity: 'seconds' | 'minutes' | 'hours' | undefined;
  readonly bucketMaxSpanSeconds: number;
  readonly bucketRoundingSeconds: number | undefined;
  /** After how long measurements are removed. */
  readonly expireAfterSeconds: number | undefined;
}
