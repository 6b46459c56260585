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
}
