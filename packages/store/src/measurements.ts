import type { Entry, Value, Version } from '@tessera/mql/engine';
import { DateValue, Doc, detached, fail, isArray, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import type { TimeSeries } from './time-series.js';

/** Returns a value with the fields of all documents in it in order, as the meta field has them. */
export const normalized = (value: Value): Value => {
  if (isArray(value)) return value.map(normalized);
  if (!isDoc(value)) return value;
  const entries = value.entries().map(([name, inner]) => [name, normalized(inner)] as const);
  return Doc.of(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
};

/**
 * Returns a measurement as queries read it: the time field, the meta field, then the other fields.
 * @throws CommandError 2
 */
export const measurement = (doc: Doc, { timeField, metaField }: TimeSeries): Doc => {
  if (!(doc.get(timeField) instanceof DateValue))
    throw fail('BadValue', `'${timeField}' must be present and contain a valid BSON UTC datetime value`);
  const first = [timeField, ...(metaField !== undefined && doc.has(metaField) ? [metaField] : [])];
  const entries: Entry[] = first.map(name => [name, normalized(doc.get(name)!)]);
  for (const [name, value] of doc) if (!first.includes(name)) entries.push([name, value]);
  return detached(Doc.of(entries));
};

/** Whether a filter, or the modifiers of an update, refer to the meta field only. */
export const namesMetaOnly = (doc: Doc, metaField: string | undefined): boolean =>
  doc.entries().every(([name, value]) => {
    if (name === '$comment') return true;
    if (name.startsWith('$')) {
      const parts: readonly Value[] = isArray(value) ? value : [value];
      return parts.every(part => isDoc(part) && namesMetaOnly(part, metaField));
    }
    return metaField !== undefined && (name === metaField || name.startsWith(`${metaField}.`));
  });

const refused = (message: string): Error => fail('InvalidOptions', message);

interface UpdateOfSeries {
  readonly q: Doc;
  readonly u: Doc | readonly Value[];
  readonly multi: boolean | undefined;
  readonly upsert: boolean | undefined;
}

/** Checks an update of a time series, which may change the meta field only. @throws CommandError 72 */
export const checkSeriesUpdate = (
  collection: Collection | undefined,
  { q, u, multi, upsert }: UpdateOfSeries,
): void => {
  const series = collection?.settings.timeSeries;
  if (series === undefined) return;
  const what = 'on a time-series collection';
  if (upsert === true) throw refused(`Cannot perform an upsert ${what}`);
  if (multi !== true) throw refused(`Cannot perform a non-multi update ${what}`);
  if (!isDoc(u)) throw refused(`Cannot perform an update ${what} with an aggregation pipeline`);
  if (u.keys()[0]?.startsWith('$') !== true) throw refused(`Cannot perform a replacement-style update ${what}`);
  if (!namesMetaOnly(q, series.metaField))
    throw refused(`Cannot perform an update ${what} when querying on a field that is not the metaField`);
  if (!namesMetaOnly(u, series.metaField))
    throw refused(`Cannot perform an update ${what} which updates a field that is not the metaField`);
};

/**
 * Checks a delete from a time series. Before 7.0, its filter may refer to the meta field only.
 * @throws CommandError 72
 */
export const checkSeriesDelete = (
  collection: Collection | undefined,
  version: Version,
  { q, isMulti }: { readonly q: Doc; readonly isMulti: boolean },
): void => {
  const series = collection?.settings.timeSeries;
  if (series === undefined || isAtLeast(version, '7.0')) return;
  const what = 'on a time-series collection';
  if (!isMulti) throw refused(`Cannot perform a non-multi delete ${what}`);
  if (!namesMetaOnly(q, series.metaField))
    throw refused(`Cannot perform a delete ${what} when querying on a field that is not the metaField`);
};

/** Checks that a collection is not a time series. @throws CommandError 166 */
export const refuseSeries = (collection: Collection | undefined, what: string): void => {
  if (collection?.settings.timeSeries !== undefined)
    throw fail(
      'CommandNotSupportedOnView',
      `${what} is not supported on time-series collection ${collection.settings.ns}`,
    );
};

/** Returns the time before which measurements have expired, in milliseconds since 1970, or undefined. */
export const oldestOf = ({ settings: { timeSeries } }: Collection, nowMs: number): number | undefined =>
  timeSeries?.expireAfterSeconds === undefined ? undefined : nowMs - timeSeries.expireAfterSeconds * 1000;
