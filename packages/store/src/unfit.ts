import type { Doc, Value } from '@tessera/mql/engine';
import {
  UndefinedValue,
  createWalk,
  eachEntry,
  fail,
  isArray,
  isDoc,
  requireGeometry,
  requirePair,
  showDoc,
  splitPath,
} from '@tessera/mql/engine';
import type { Collection, IndexDefinition } from './collection.js';
import type { TimeSeries } from './time-series.js';
import { isMeasured } from './time-series.js';

const isEmpty = (value: Value): boolean =>
  value === null ||
  value instanceof UndefinedValue ||
  (isDoc(value) && value.size === 0) ||
  (isArray(value) && value.length === 0);

/** Checks that the fields of a geospatial index are places. @throws CommandError 13026, 13027, 16755, 16804 */
const requirePlaces = ({ key, spec }: IndexDefinition, doc: Doc): void => {
  for (const [path, kind] of key) {
    if (kind !== '2dsphere' && kind !== '2d') continue;
    const values: Value[] = [];
    const gather = (value: Value | undefined): boolean => {
      if (value !== undefined) values.push(value);
      return false;
    };
    createWalk(path, gather, 'whole').any(doc);
    if (kind === '2d') {
      for (const value of values) requirePair(value, spec, doc);
      continue;
    }
    if (values.length === 1 && isEmpty(values[0]!)) continue;
    const name = splitPath(path).at(-1)!;
    for (const value of values)
      requireGeometry(value, spec, name, why => fail(16755, `Can't extract geo keys: ${showDoc(doc)}  ${why}`));
  }
};

/** Checks that the fields beside the text have no arrays. @throws CommandError 201 */
const requireNoArrays = ({ fields }: IndexDefinition, doc: Doc): void => {
  const isArrayAt = (field: IndexDefinition['fields'][number]): boolean => {
    let isWhole = false;
    const isSpread = eachEntry([field], doc, ([value]) => {
      isWhole = isArray(value);
    });
    return isSpread || isWhole;
  };
  const field = fields.find(one => !one.path.startsWith('_fts') && isArrayAt(one));
  if (field !== undefined)
    throw fail(201, `Field '${field.path}' of text index contains an array in document: ${showDoc(doc)}`);
};

const requireFitFor = (definition: IndexDefinition, doc: Doc): void => {
  const { kind, partial } = definition;
  if (partial !== undefined && !partial.matches(doc)) return;
  if (kind === '2dsphere' || kind === '2d') requirePlaces(definition, doc);
  else if (kind === 'text') requireNoArrays(definition, doc);
};

/** Checks that the indexed fields of a measurement are not arrays. @throws CommandError 5930501 */
const requireNoMeasuredArrays = ({ key }: IndexDefinition, doc: Doc, series: TimeSeries): void => {
  for (const [path, order] of key) {
    if (order === '2dsphere' || !isMeasured(series, path)) continue;
    const field = { path, parts: splitPath(path), direction: 1 } as const;
    if (eachEntry([field], doc, () => undefined))
      throw fail(5930501, `Indexed measurement field contains an array value: ${path}`);
  }
};

/**
 * Checks that the collection's indexes can index a document.
 * @throws CommandError 201, 13026, 16755, 5930501 and others of unfit values
 */
export const requireFit = ({ indexes, settings: { timeSeries } }: Collection, doc: Doc): void => {
  for (const { definition } of indexes) {
    if (definition.kind !== undefined) requireFitFor(definition, doc);
    if (timeSeries !== undefined) requireNoMeasuredArrays(definition, doc, timeSeries);
  }
};

/**
 * Checks that a new index can index all existing documents.
 * @throws CommandError 201, 13026, 16755, 5930501 and others of unfit values
 */
export const requireAllFit = (definition: IndexDefinition, { records, settings: { timeSeries } }: Collection): void => {
  if (definition.kind === undefined && timeSeries === undefined) return;
  const walk = records.walk(undefined, undefined);
  while (walk.next()) {
    requireFitFor(definition, walk.value);
    if (timeSeries !== undefined) requireNoMeasuredArrays(definition, walk.value, timeSeries);
  }
};
