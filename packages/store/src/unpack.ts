/** The measurements in the document of a bucket. */
import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc } from '@tessera/mql/engine';
import { isColumn, valuesIn } from './bson-column.js';
import type { TimeSeries } from './time-series.js';

/**
 * The maximum number of values in compressed columns, more than a bucket of mongod has. A few bytes can stand for
 * thousands of values, so it limits the memory and the time that they take.
 */
const mostValues = 100_000;

/** Returns the values of a column by the names of their measurements. @throws CommandError 2, 22 */
const entriesIn = (column: Value, most: number): readonly (readonly [string, Value])[] => {
  if (isDoc(column)) return column.entries();
  if (!isColumn(column)) throw fail('BadValue', 'A column of a bucket must be an object or a compressed column');
  const entries: (readonly [string, Value])[] = [];
  let i = 0;
  for (const value of valuesIn(column)) {
    if (i === most) break;
    if (value !== undefined) entries.push([String(i), value]);
    i += 1;
  }
  return entries;
};

/** Returns the measurements of a bucket, in its order. @throws CommandError 2, 22 */
export const measurementsIn = (bucket: Doc, { timeField, metaField }: TimeSeries): readonly Doc[] => {
  const [data, meta] = [bucket.get('data'), bucket.get('meta')];
  if (!isDoc(data)) return [];
  const times = data.get(timeField);
  const first = metaField === undefined || meta === undefined ? [] : [[metaField, meta] as const];
  const rows = new Map<string, Entry[]>();
  for (const [name, time] of times === undefined ? [] : entriesIn(times, mostValues + 1))
    rows.set(name, [[timeField, time], ...first]);
  if (rows.size * data.size > mostValues)
    throw fail('InvalidBSON', `The columns of a bucket have more than ${mostValues} values`);
  for (const [field, column] of data) {
    if (field === timeField || field === metaField) continue;
    for (const [name, value] of entriesIn(column, rows.size)) rows.get(name)?.push([field, value]);
  }
  return [...rows.values()].map(entries => Doc.of(entries));
};
