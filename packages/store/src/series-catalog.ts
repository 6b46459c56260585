/** A time series in the catalog: its options, its index, and its entries in listCollections. */
import type { Entry, Version } from '@tessera/mql/engine';
import { Doc, detached, fail, isAtLeast, parseValidator } from '@tessera/mql/engine';
import type { Collection, IndexDefinition, Validator } from './collection.js';
import { nameOf } from './collection.js';
import { parseIndexSpec } from './index-spec.js';
import { namesMetaOnly } from './measurements.js';
import type { TimeSeries } from './time-series.js';
import { isMeasured } from './time-series.js';

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
export const seriesIndex = (
  { timeField, metaField }: TimeSeries,
  version: Version,
  inherited?: Doc,
): IndexDefinition | undefined => {
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
  return parseIndexSpec(detached(spec), { inherited, isSeries: true });
};

/** Returns the filter of the buckets that the bucket collection accepts. */
const bucketFilter = ({ timeField, isCompressed }: TimeSeries): Doc => {
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
        ...(isCompressed
          ? ([
              ['closed', Doc.of([['bsonType', 'bool']])],
              [
                'count',
                Doc.of([
                  ['bsonType', 'number'],
                  ['minimum', 1],
                ]),
              ],
            ] as const)
          : []),
      ]),
    ],
    ...(isCompressed ? [['additionalProperties', false] as const] : []),
  ]);
  const schema = Doc.of([
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
  return Doc.of([['$jsonSchema', schema]]);
};

const validators = new WeakMap<TimeSeries, Validator>();

/** Returns the validator of the bucket collection. */
export const bucketValidator = (series: TimeSeries): Validator => {
  const known = validators.get(series);
  if (known !== undefined) return known;
  const filter = detached(bucketFilter(series));
  const made: Validator = { filter, ...parseValidator(filter, {}), level: 'strict' };
  validators.set(series, made);
  return made;
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
        Doc.of([['validator', bucketFilter(series)], ['clusteredIndex', true], ...settings.options.entries()]),
      ],
      ['info', Doc.of([readOnly, ['uuid', settings.uuid]])],
    ]),
  ];
};

/** Checks that a time series can have the index. @throws CommandError 67, 72, 85 */
export const checkSeriesIndex = ({ timeField, metaField }: TimeSeries, given: Doc, index: IndexDefinition): void => {
  const { unique, sparse, kind, expireAfterSeconds, partial, key } = index;
  if (partial !== undefined && given.has('collation'))
    throw fail('IndexOptionsConflict', 'A partial index of a time-series collection cannot have a collation');
  const measured = key.entries().filter(([path]) => isMeasured({ timeField, metaField }, path));
  const special = measured.find(([path, order]) => order === 'hashed' || path.endsWith('$**'));
  if (special !== undefined)
    throw fail('CannotCreateIndex', `Hashed and wildcard indexes are not supported on the measurement '${special[0]}'`);
  const filter = partial?.filter;
  const expires =
    filter !== undefined && key.size === 1 && key.keys()[0] === timeField && namesMetaOnly(filter, metaField);
  const refused: readonly (readonly [boolean, string])[] = [
    [unique, 'Unique'],
    [sparse && measured.length > 0, 'Sparse'],
    [kind === 'text', 'Text'],
    [measured.some(([, order]) => order === '2d'), '2d'],
    [expireAfterSeconds !== undefined && !expires, 'TTL'],
  ];
  const found = refused.find(([holds]) => holds);
  if (found !== undefined)
    throw fail('InvalidOptions', `${found[1]} indexes are not supported on time-series collections`);
};
