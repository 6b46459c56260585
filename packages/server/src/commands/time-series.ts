import type { Entry, Version } from '@tessera/mql/engine';
import { Doc, fail, isAtLeast } from '@tessera/mql/engine';
import type { Collection, IndexDefinition, TimeSeries } from '@tessera/store';
import { nameOf } from '@tessera/store';
import { parseIndexSpec } from '../engine/index-spec.js';
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
    if (field?.includes('\0') === true) throw fail('InvalidOptions', `'${option}' must not contain a null byte`);
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
  };
};

const seriesDoc = (series: TimeSeries): Doc => {
  const { timeField, metaField, granularity, bucketMaxSpanSeconds, bucketRoundingSeconds } = series;
  const entries: Entry[] = [['timeField', timeField]];
  if (metaField !== undefined) entries.push(['metaField', metaField]);
  if (granularity !== undefined) entries.push(['granularity', granularity]);
  entries.push(['bucketMaxSpanSeconds', bucketMaxSpanSeconds]);
  if (bucketRoundingSeconds !== undefined) entries.push(['bucketRoundingSeconds', bucketRoundingSeconds]);
  return Doc.of(entries);
};

/** Returns the collection's options as listCollections shows them, with defaults filled in. */
export const seriesOptions = (given: Doc, series: TimeSeries): Doc => {
  const { expireAfterSeconds: seconds } = series;
  const expiry: readonly Entry[] = seconds === undefined ? [] : [['expireAfterSeconds', BigInt(seconds)]];
  const others = given.entries().filter(([name]) => name !== 'timeseries' && name !== 'expireAfterSeconds');
  return Doc.of([...expiry, ...others, ['timeseries', seriesDoc(series)]]);
};

/** Returns the index that a new time series with a `metaField` has from 6.3 on, or undefined. */
export const seriesIndex = ({ timeField, metaField }: TimeSeries, version: Version): IndexDefinition | undefined => {
  if (metaField === undefined || !isAtLeast(version, '6.3')) return undefined;
  const spec = Doc.of([
    [
      'key',
      Doc.of([
        [metaField, 1],
        [timeField, 1],
      ]),
    ],
    ['name', `${metaField}_1_${timeField}_1`],
  ]);
  return parseIndexSpec(Doc.fromBytes(spec.bytes), undefined, true);
};

const boundsSchema = ({ timeField }: TimeSeries): Doc => {
  const date = Doc.of([['bsonType', 'date']]);
  const time = Doc.of([
    ['bsonType', 'object'],
    ['required', [timeField]],
    ['properties', Doc.of([[timeField, date]])],
  ]);
  const object = Doc.of([['bsonType', 'object']]);
  const control = Doc.of([
    ['bsonType', 'object'],
    ['required', ['version', 'min', 'max']],
    [
      'properties',
      Doc.of([
        ['version', Doc.of([['bsonType', 'number']])],
        ['min', time],
        ['max', time],
      ]),
    ],
  ]);
  return Doc.of([
    ['bsonType', 'object'],
    ['required', ['_id', 'control', 'data']],
    [
      'properties',
      Doc.of([
        ['_id', Doc.of([['bsonType', 'objectId']])],
        ['control', control],
        ['data', object],
        ['meta', Doc.EMPTY],
      ]),
    ],
    ['additionalProperties', false],
  ]);
};

/** Returns the entries of listCollections for a time series and its buckets. */
export const listedSeries = ({ settings }: Collection, series: TimeSeries): readonly Doc[] => {
  const name = nameOf(settings.ns);
  const readOnly: Entry = ['readOnly', false];
  return [
    Doc.of([
      ['name', name],
      ['type', 'timeseries'],
      ['options', settings.options],
      ['info', Doc.of([readOnly])],
    ]),
    Doc.of([
      ['name', `system.buckets.${name}`],
      ['type', 'collection'],
      [
        'options',
        Doc.of([
          ['validator', Doc.of([['$jsonSchema', boundsSchema(series)]])],
          ['clusteredIndex', true],
          ...settings.options.entries(),
        ]),
      ],
      ['info', Doc.of([readOnly, ['uuid', settings.uuid]])],
    ]),
  ];
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
];

/** Checks the options of `create` for a time series. @throws CommandError 72 */
export const checkSeriesOptions = (ns: string, body: Doc): void => {
  const other = excluded.find(name => body.has(name));
  if (other !== undefined) throw fail('InvalidOptions', `${ns}: 'timeseries' is not allowed with '${other}'`);
};

/** Checks that a time series can have the index. @throws CommandError 72 */
export const checkSeriesIndex = ({ unique, sparse, kind, expireAfterSeconds, partial }: IndexDefinition): void => {
  const refused: readonly (readonly [boolean, string])[] = [
    [unique, 'Unique'],
    [sparse, 'Sparse'],
    [kind === 'text', 'Text'],
    [kind === '2d', '2d'],
    [expireAfterSeconds !== undefined && partial === undefined, 'TTL'],
  ];
  const found = refused.find(([holds]) => holds);
  if (found !== undefined)
    throw fail('InvalidOptions', `${found[1]} indexes are not supported on time-series collections`);
};
