import { fail } from '../errors.js';
import { parseFieldPath } from '../agg/field-path.js';
import { metadataOf } from '../query/metadata.js';
import type { Collation } from '../value/compare.js';
import type { Doc } from '../value/doc.js';
import { toExactLong } from '../value/numbers.js';
import { show } from '../value/show.js';
import type { Value } from '../value/value.js';
import { double, isDoc, isNumber } from '../value/value.js';
import type { SortField, SortKey } from './sort-key.js';
import { createSortKeys } from './sort-key.js';

export type { SortField, SortKey } from './sort-key.js';

/** A compiled sort. */
export interface Sort {
  /** The fields in the order of the specification. */
  readonly pattern: readonly SortField[];
  /**
   * Returns the values by which a document is compared. To sort many documents, compute them once per document.
   * @throws CommandError BadValue
   */
  readonly key: (doc: Doc) => SortKey;
  readonly compareKeys: (a: SortKey, b: SortKey) => number;
  /** The order of strings; by bytes if undefined. */
  readonly collation: Collation | undefined;
  /** Returns a negative number, 0 or a positive number. Documents with equal keys keep their order. */
  readonly compare: (a: Doc, b: Doc) => number;
}

export interface SortOptions {
  readonly collation?: Collation | undefined;
  /** Returns random numbers from 0 to 1. If undefined, `{ $meta: 'randVal' }` is rejected. */
  readonly random?: (() => number) | undefined;
}

const maxFields = 32;

const directionOf = (path: string, value: Value): 1 | -1 => {
  if (!isNumber(value)) throw fail(15974, `Illegal key in $sort specification: ${path}: ${show(value)}`);
  const direction = toExactLong(value);
  if (direction === 1n) return 1;
  if (direction === -1n) return -1;
  throw fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
};

const byMetadata = (path: string, spec: Doc, random: (() => number) | undefined): SortField => {
  const meta = spec.get('$meta');
  if (meta === undefined || spec.size !== 1) {
    throw fail(17312, '$meta is the only expression supported by $sort right now');
  }
  if (meta === 'randVal' && random !== undefined)
    return { path: `$meta ${path}`, direction: 1, of: () => double(random()) };
  if (meta === 'searchScore' || meta === 'vectorSearchScore') {
    const ofSearch = (doc: Doc): Value => {
      const score = metadataOf(doc)?.search?.get(meta);
      if (score === undefined) throw fail(40218, `query requires ${meta} metadata, but it is not available`);
      return score;
    };
    return { path: `$meta ${path}`, direction: -1, of: ofSearch };
  }
  const noted = meta === 'textScore' ? 'text score' : meta === 'geoNearDistance' ? '$geoNear distance' : undefined;
  if (noted === undefined) throw fail(31138, `Illegal $meta sort: ${show(meta)}`);
  const of = (doc: Doc): Value => {
    const score = metadataOf(doc)?.[meta as 'textScore' | 'geoNearDistance'];
    if (score === undefined) throw fail(40218, `query requires ${noted} metadata, but it is not available`);
    return double(score);
  };
  return { path: `$meta ${path}`, direction: -1, of };
};

const parseNatural = (spec: Doc): readonly SortField[] => {
  const value = spec.get('$natural')!;
  const direction = isNumber(value) ? toExactLong(value) : undefined;
  if (spec.size > 1) throw fail('BadValue', `Cannot include '$natural' in compound sort: ${show(spec)}`);
  if (direction !== 1n && direction !== -1n) {
    throw fail('BadValue', '$natural sort cannot be set to a value other than -1 or 1.');
  }
  return [{ path: '$natural', direction: direction === 1n ? 1 : -1 }];
};

const parsePattern = (spec: Doc, random: (() => number) | undefined): readonly SortField[] => {
  if (spec.has('$natural')) return parseNatural(spec);
  const fields = spec.entries().map(([path, value]): SortField => {
    parseFieldPath(path);
    return isDoc(value) ? byMetadata(path, value, random) : { path, direction: directionOf(path, value) };
  });
  if (fields.length > maxFields) throw fail(13103, 'too many compound keys');
  return fields;
};

const compiled = (pattern: readonly SortField[], collation: Collation | undefined): Sort => {
  const keys = createSortKeys(
    pattern.filter(({ path }) => path !== '$natural'),
    collation,
  );
  return {
    pattern,
    key: keys.of,
    compareKeys: keys.compare,
    collation,
    compare: (a, b) => keys.compare(keys.of(a), keys.of(b)),
  };
};

/** Sorts by the distance that `$near` computed, nearest first. */
export const byDistance: Sort = compiled(
  [{ path: '$meta distance', direction: 1, of: doc => double(metadataOf(doc)?.geoNearDistance ?? 0) }],
  undefined,
);

/**
 * Compiles a sort such as `{ a: 1, 'b.c': -1 }`. `{ $meta: 'textScore' }` sorts by the score of `$text`, and
 * `{ $meta: 'randVal' }` at random. An empty
 * specification and `{ $natural: ±1 }` compare all documents as equal, which keeps the order in which they are found.
 * @throws CommandError 15974, 15975, 17312, …
 */
export const parseSort = (spec: Doc, options: SortOptions = {}): Sort =>
  compiled(parsePattern(spec, options.random), options.collation);
