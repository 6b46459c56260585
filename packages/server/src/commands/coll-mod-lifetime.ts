import type { Value } from '@tessera/mql/engine';
import { Doc, detached, fail, isNumber, toDouble } from '@tessera/mql/engine';
import type { Collection, TimeSeries } from '@tessera/store';
import { seriesOptions } from '@tessera/store';
import type { Call } from './command.js';
import { timeSeriesOf } from './time-series.js';

/** The options of `collMod` that set how long documents live, and how much time a bucket spans. */
interface Lifetime {
  readonly expireAfterSeconds: Value | undefined;
  readonly timeseries: Doc | undefined;
}

const order = ['seconds', 'minutes', 'hours'];

/** Returns `expireAfterSeconds`, or undefined for 'off'. @throws CommandError 14, 72 */
const secondsOf = (value: Value): number | undefined => {
  if (value === 'off') return undefined;
  if (typeof value !== 'string' && !isNumber(value))
    throw fail('TypeMismatch', "'expireAfterSeconds' must be a number or a string");
  const seconds = isNumber(value) ? toDouble(value) : Number.NaN;
  if (seconds >= 0 && seconds <= 0x7fffffff) return Math.floor(seconds);
  throw fail('InvalidOptions', "'expireAfterSeconds' must be a number from 0 to 2147483647, or 'off'");
};

/** Returns the time series with larger buckets. Their size cannot be reduced. @throws CommandError 72 */
const grown = (series: TimeSeries, change: Doc | undefined, call: Call): TimeSeries => {
  if (change === undefined || change.size === 0) return series;
  const { timeField, metaField, granularity } = series;
  const kept: readonly (readonly [string, Value])[] = [
    ['timeField', timeField],
    ...(metaField === undefined ? [] : [['metaField', metaField] as const]),
  ];
  const next = timeSeriesOf(Doc.of([...kept, ...change.entries()]), series.expireAfterSeconds, call.engine.version);
  const shrinks =
    granularity !== undefined && next.granularity !== undefined
      ? order.indexOf(next.granularity) < order.indexOf(granularity)
      : next.bucketMaxSpanSeconds < series.bucketMaxSpanSeconds;
  if (shrinks)
    throw fail(
      'InvalidOptions',
      'Invalid transition for timeseries.granularity. Can only transition from a smaller to a larger one',
    );
  return next;
};

const livingFor = (series: TimeSeries, value: Value | undefined): TimeSeries =>
  value === undefined ? series : { ...series, expireAfterSeconds: secondsOf(value) };

const withSeries = (collection: Collection, series: TimeSeries): Collection => {
  const options = seriesOptions(collection.settings.options, series);
  return {
    ...collection,
    settings: { ...collection.settings, options: detached(options), timeSeries: series },
  };
};

/** Returns the collection with the new lifetime. @throws CommandError 72 unless it is a time series or clustered */
export const withLifetime = (
  collection: Collection,
  call: Call,
  { expireAfterSeconds, timeseries }: Lifetime,
): Collection => {
  if (expireAfterSeconds === undefined && timeseries === undefined) return collection;
  const series = collection.settings.timeSeries;
  if (expireAfterSeconds !== undefined) call.engine.expiry.start();
  if (series !== undefined)
    return withSeries(collection, livingFor(grown(series, timeseries, call), expireAfterSeconds));
  if (timeseries !== undefined)
    throw fail('InvalidOptions', "option 'timeseries' only supported on a time-series collection");
  const [first, ...others] = collection.indexes;
  if (first?.definition.clustered !== true)
    throw fail('InvalidOptions', "'expireAfterSeconds' option is only supported on collections clustered by _id");
  const seconds = secondsOf(expireAfterSeconds!);
  const { options } = collection.settings;
  const listed =
    seconds === undefined ? options.without('expireAfterSeconds') : options.with('expireAfterSeconds', BigInt(seconds));
  return {
    ...collection,
    settings: { ...collection.settings, options: detached(listed) },
    indexes: [{ ...first, definition: { ...first.definition, expireAfterSeconds: seconds } }, ...others],
  };
};
