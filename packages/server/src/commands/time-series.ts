import type { Doc, Version } from '@tessera/mql/engine';
import { fail, isAtLeast } from '@tessera/mql/engine';
import type { TimeSeries } from '@tessera/store';
import type { Args, Schema } from './schema.js';
import { integer, parseFields, required, string } from './schema.js';

const schema = {
  timeField: required(string()),
  metaField: string(),
  granularity: string(),
  bucketMaxSpanSeconds: integer(1, 31_536_000),
  bucketRoundingSeconds: integer(1, 31_536_000),
} satisfies Schema;

/** The time that a bucket of each granularity may span, in seconds. */
const spans = { seconds: 3600, minutes: 86_400, hours: 2_592_000 } as const;

type Granularity = keyof typeof spans;

const isGranularity = (name: string): name is Granularity => Object.hasOwn(spans, name);

/** Returns the granularity, or undefined if the span of buckets is given in seconds. @throws CommandError 2, 72 */
const granularityOf = ({ granularity, bucketMaxSpanSeconds }: Args<typeof schema>): Granularity | undefined => {
  if (granularity === undefined) return bucketMaxSpanSeconds === undefined ? 'seconds' : undefined;
  if (isGranularity(granularity)) return granularity;
  throw fail(
    'BadValue',
    `Enumeration value '${granularity}' for field 'create.timeseries.granularity' is not a valid value.`,
  );
};

const checkFields = ({ timeField, metaField }: Args<typeof schema>): void => {
  for (const [option, field] of Object.entries({ timeField, metaField })) {
    if (field?.startsWith('$') === true) throw fail('BadValue', `'${option}' must not begin with '$': ${field}`);
    if (field?.includes('\0') === true) throw fail('BadValue', `'${option}' must not contain a null byte`);
    if (field?.includes('.') === true) throw fail('InvalidOptions', `'${option}' must be a top-level field`);
    if (field === '_id') throw fail('InvalidOptions', `'${option}' may not be '_id'`);
  }
  if (timeField === metaField) throw fail('InvalidOptions', "'metaField' and 'timeField' may not be the same field");
};

/** Reads the option `timeseries`. @throws CommandError 2, 14, 72, 40414, 40415 */
export const timeSeriesOf = (spec: Doc, expireAfterSeconds: number | undefined, version: Version): TimeSeries => {
  const args = parseFields(spec, schema, 'create.timeseries', version);
  checkFields(args);
  const { timeField, metaField, bucketMaxSpanSeconds, bucketRoundingSeconds } = args;
  if (bucketMaxSpanSeconds !== bucketRoundingSeconds && args.granularity === undefined)
    throw fail(
      'InvalidOptions',
      "Timeseries 'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' need to be set alongside each other and have the same value",
    );
  const granularity = granularityOf(args);
  if (granularity !== undefined && bucketRoundingSeconds !== undefined)
    throw fail('InvalidOptions', "Timeseries 'granularity' cannot be set with 'bucketRoundingSeconds'");
  const span = granularity === undefined ? bucketMaxSpanSeconds! : spans[granularity];
  if (granularity !== undefined && bucketMaxSpanSeconds !== undefined && bucketMaxSpanSeconds !== span)
    throw fail(
      'InvalidOptions',
      `Timeseries 'bucketMaxSpanSeconds' is not configurable to a value other than the default of ${span} for the provided granularity`,
    );
  return {
    ...{ timeField, metaField, granularity, expireAfterSeconds },
    bucketMaxSpanSeconds: span,
    bucketRoundingSeconds: granularity === undefined ? bucketRoundingSeconds : undefined,
    isCompressed: isAtLeast(version, '8.0'),
  };
};

/** Options of `create` that a time series cannot have. */
const excluded = [
  'capped',
  'autoIndexId',
  'idIndex',
  'viewOn',
  'pipeline',
  'validator',
  'validationLevel',
  'validationAction',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
];

/** Options of `collMod` that a time series cannot have. */
const unchangeable = ['validator', 'validationLevel', 'validationAction', 'changeStreamPreAndPostImages'];

/** Options of `collMod` that change the buckets. They cannot be combined with others. */
const ofBuckets = ['timeseries', 'timeseriesBucketsMayHaveMixedSchemaData'];

const unchangeableOfIndex = ['expireAfterSeconds', 'unique', 'prepareUnique', 'forceNonUnique'];

/** Checks the options of `collMod` for a time series. @throws CommandError 72 */
export const checkSeriesChange = ({ index, ...args }: Readonly<Record<string, unknown>>): void => {
  const given = index as Readonly<Record<string, unknown>> | undefined;
  const other =
    unchangeable.find(name => args[name] !== undefined) ??
    unchangeableOfIndex.find(name => given?.[name] !== undefined);
  if (other !== undefined) throw fail('InvalidOptions', `option not supported on a time-series collection: ${other}`);
  const bucket = ofBuckets.find(name => args[name] !== undefined);
  const beside = [index, args['expireAfterSeconds']].some(value => value !== undefined);
  if (bucket !== undefined && beside) throw fail('InvalidOptions', `option '${bucket}' cannot be combined with others`);
};

/** Checks the options of `create` for a time series. @throws CommandError 72 */
export const checkSeriesOptions = (ns: string, body: Doc): void => {
  const other = excluded.find(name => body.has(name));
  if (other !== undefined) throw fail('InvalidOptions', `${ns}: 'timeseries' is not allowed with '${other}'`);
};
