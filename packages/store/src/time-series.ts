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

/** Whether a path belongs to the measurements, not to the time field or the meta field. */
export const isMeasured = (
  { timeField, metaField }: Pick<TimeSeries, 'timeField' | 'metaField'>,
  path: string,
): boolean => path !== timeField && path.split('.', 1)[0] !== metaField;
