import { invalid } from '../error.js';
import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { Scalar, ScalarKind } from '../values.js';
import { compareScalars, scalarOf } from '../values.js';

/** A bucket of a facet: its value or lower bound, and the number of documents. */
export interface Bucket {
  readonly _id: unknown;
  readonly count: bigint;
}

export interface FacetResult {
  readonly buckets: readonly Bucket[];
}

/** Counts the units of a result in buckets. */
export type Facet = (level: Level, units: readonly number[]) => FacetResult;

const valuesOf = (level: Level, path: string, kind: ScalarKind, unit: number): readonly Scalar[] =>
  level
    .scalars(path)
    .get(kind)
    ?.column.of(unit)
    .map(({ value }) => value) ?? [];

const strings = (fields: Fields): Facet => {
  fields.allow('type', 'path', 'numBuckets');
  const path = fields.string('path');
  const most = fields.optionalInteger('numBuckets', { from: 1, to: 1000 }, 10);
  return (level, units) => {
    if (level.units.size > 0 && level.texts.has(path) && !level.scalars(path).has('string'))
      throw invalid(`Cannot facet on field "${path}" because it was not indexed as "token".`);
    const counts = new Map<string, number>();
    for (const unit of units)
      for (const value of new Set(valuesOf(level, path, 'string', unit).map(each => each.value as string)))
        counts.set(value, (counts.get(value) ?? 0) + 1);
    const sorted = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    return { buckets: sorted.slice(0, most).map(([_id, count]) => ({ _id, count: BigInt(count) })) };
  };
};

const boundariesOf = (fields: Fields, kind: 'date' | 'number'): readonly { given: unknown; bound: Scalar }[] => {
  const given = fields.required('boundaries');
  if (!Array.isArray(given) || given.length < 2 || given.length > 1000)
    throw fields.problem('boundaries', 'must be an array of 2 to 1000 values');
  const boundaries = given.map((value: unknown) => {
    const bound = scalarOf(value);
    if (bound?.kind !== kind) throw fields.problem('boundaries', `must have values of type ${kind}`);
    return { given: value, bound };
  });
  if (boundaries.some(({ bound }, i) => i > 0 && compareScalars(boundaries[i - 1]!.bound, bound) >= 0))
    throw fields.problem('boundaries', 'must be in ascending order');
  return boundaries;
};

const ranges =
  (kind: 'date' | 'number') =>
  (fields: Fields): Facet => {
    fields.allow('type', 'path', 'boundaries', 'default');
    const path = fields.string('path');
    const boundaries = boundariesOf(fields, kind);
    const other = fields.optionalString('default');
    const bucketOf = (value: Scalar): number => {
      const above = boundaries.findIndex(({ bound }) => compareScalars(value, bound) < 0);
      return above <= 0 ? -1 : above - 1;
    };
    return (level, units) => {
      const counts = boundaries.slice(1).map(() => 0);
      let others = 0;
      for (const unit of units) {
        const buckets = new Set(valuesOf(level, path, kind, unit).map(bucketOf));
        for (const bucket of buckets) if (bucket >= 0) counts[bucket]!++;
        if (buckets.size === 0 || buckets.has(-1)) others++;
      }
      const buckets: Bucket[] = counts.map((count, i) => ({ _id: boundaries[i]!.given, count: BigInt(count) }));
      if (other !== undefined) buckets.push({ _id: other, count: BigInt(others) });
      return { buckets };
    };
  };

const makers: Readonly<Record<'date' | 'number' | 'string', (fields: Fields) => Facet>> = {
  string: strings,
  number: ranges('number'),
  date: ranges('date'),
};

/** Parses `facets`, a document with facets by their names. @throws SearchError */
export const readFacets = (fields: Fields): ReadonlyMap<string, Facet> => {
  const names = Object.keys(fields.document);
  if (names.length === 0) throw invalid(`"${fields.path}" must have at least one facet.`);
  return new Map(
    names.map(name => {
      const facet = fields.child(name);
      return [name, makers[facet.oneOf('type', ['string', 'number', 'date'])](facet)];
    }),
  );
};
