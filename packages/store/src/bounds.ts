import type { StringKeys, Value } from '@tessera/mql/engine';
import { compare, isArray, isNullish, isPosition, rankOf } from '@tessera/mql/engine';
import type { Index } from './collection.js';
import type { IndexField } from './index-keys.js';
import type { Predicate } from './predicate.js';
import { beyond, beyondRecords, fieldKey, rankRange } from './key.js';

/** The index keys from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: string;
  readonly to: string;
}

export interface Bounds {
  readonly ranges: readonly Range[];
  /** The number of leading index fields that are pinned to single values (one of them possibly to several). */
  readonly points: number;
  readonly ranged: boolean;
  /** The number of leading fields that are pinned to exactly one value. A sort may skip them. */
  readonly single: number;
}

/** The maximum number of combinations of `$in` values that are looked up one by one. */
const mostPoints = 1000;

/**
 * The ranks of the types whose range comparisons match values of the same type only: numbers, strings, binary,
 * ObjectId, boolean, date, timestamp.
 */
const rangeable: ReadonlySet<number> = new Set([10, 15, 30, 35, 40, 45, 47]);

/**
 * Whether equality with a value corresponds to exactly one key. It does not for an array, because the index contains
 * its elements, for a regular expression, which also matches strings, and for null, which also matches missing fields.
 */
const isOnePoint = (value: Value): boolean => !isArray(value) && !isNullish(value) && rankOf(value) !== 50;

/** Returns the range of keys of documents that can equal a value, or undefined if the index cannot be used. */
const pointRange = (field: IndexField, value: Value, collation: StringKeys | undefined): Range | undefined => {
  if (isNullish(value)) {
    // A number in a path may also be a field name that documents in an array lack, which the index does not contain.
    if (field.parts.some(isPosition)) return undefined;
    const [from, to] = rankRange(0, 5, field.direction);
    return { from, to };
  }
  if (!isOnePoint(value)) return undefined;
  const key = fieldKey(value, field.direction, collation);
  return { from: key, to: key + beyond };
};

const pointsOf = (
  field: IndexField,
  predicates: readonly Predicate[],
  collation: StringKeys | undefined,
): readonly Range[] | undefined => {
  let best: readonly Range[] | undefined;
  for (const { path, op, value } of predicates) {
    if (path !== field.path || (op !== 'eq' && op !== 'in')) continue;
    const values = op === 'in' ? (value as readonly Value[]) : [value];
    const ranges = values.map(one => pointRange(field, one, collation));
    if (!ranges.every(range => range !== undefined)) continue;
    if (best === undefined || ranges.length < best.length) best = ranges;
  }
  return best;
};

const distinctRanges = (ranges: readonly Range[]): readonly Range[] => {
  if (ranges.length < 2) return ranges;
  const sorted = [...ranges].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  return sorted.filter((range, i) => i === 0 || range.from >= sorted[i - 1]!.to);
};

const isPoint = (range: Range): boolean => range.to === range.from + beyond;

/** Returns the range of keys that can satisfy one inequality, or undefined. */
const sideOf = (field: IndexField, { op, value }: Predicate, collation: StringKeys | undefined): Range | undefined => {
  const rank = rankOf(value);
  if (!rangeable.has(rank)) return undefined;
  const [first, last] = rankRange(rank, rank, field.direction);
  const key = fieldKey(value, field.direction, collation);
  const upward = (op === 'gt' || op === 'gte') === (field.direction === 1);
  if (op !== 'gt' && op !== 'gte' && op !== 'lt' && op !== 'lte') return undefined;
  const open = op === 'gt' || op === 'lt';
  return upward ? { from: open ? key + beyond : key, to: last } : { from: first, to: open ? key : key + beyond };
};

/**
 * Returns the range of keys that can satisfy a field's inequalities. In a multikey index, different elements may
 * satisfy them, so only one of them is used.
 */
const rangeOf = (
  field: IndexField,
  predicates: readonly Predicate[],
  { multikey, definition }: Index,
): Range | undefined => {
  let range: Range | undefined;
  for (const predicate of predicates) {
    if (predicate.path !== field.path) continue;
    const side = sideOf(field, predicate, definition.collation?.order.lookup);
    if (side === undefined) continue;
    if (range === undefined) range = side;
    else if (!multikey) {
      range = { from: side.from > range.from ? side.from : range.from, to: side.to < range.to ? side.to : range.to };
    }
  }
  return range;
};

const within = (prefix: string, { from, to }: Range): Range => ({ from: prefix + from, to: prefix + to });

/** Returns the bounds of one equality on a single-field index, the most frequent query. */
const pinnedBounds = ({ definition }: Index, { path, op, value }: Predicate): Bounds | undefined => {
  const field = definition.fields[0]!;
  if (op !== 'eq' || path !== field.path || !isOnePoint(value)) return undefined;
  const key = fieldKey(value, field.direction, definition.collation?.order.lookup);
  return { ranges: [{ from: key, to: key + beyondRecords }], points: 1, ranged: false, single: 1 };
};

/**
 * Whether the field's path starts with the same field as a pinned path. Different array elements may satisfy the two,
 * and have separate entries, so only one of the paths can be used.
 */
const isBeside = (pinned: readonly IndexField[], { parts }: IndexField): boolean =>
  pinned.some(other => other.parts[0] === parts[0]);

/**
 * Returns the ranges of an index with the documents that can match the predicates, or undefined if the index is not
 * useful.
 */
export const boundsIn = (index: Index, predicates: readonly Predicate[]): Bounds | undefined => {
  const { definition } = index;
  if (predicates.length === 1 && definition.fields.length === 1) {
    const pinned = pinnedBounds(index, predicates[0]!);
    if (pinned !== undefined) return pinned;
  }
  const collation = definition.collation?.order.lookup;
  let prefixes: readonly string[] = [''];
  let points = 0;
  let single = 0;
  for (const field of definition.fields) {
    if (index.multikey && isBeside(definition.fields.slice(0, points), field)) break;
    const ranges = pointsOf(field, predicates, collation);
    const here = ranges && distinctRanges(ranges);
    if (here?.every(isPoint) === true && here.length * prefixes.length <= mostPoints) {
      prefixes = prefixes.flatMap(prefix => here.map(range => prefix + range.from));
      points += 1;
      if (here.length === 1) single += 1;
      continue;
    }
    const last = here ?? (definition.hashed ? undefined : rangeOf(field, predicates, index));
    if (last === undefined) break;
    const ends = 'from' in last ? [last] : last;
    if (ends.length * prefixes.length > mostPoints) break;
    const ranges2 = prefixes.flatMap(prefix => ends.map(range => within(prefix, range)));
    return { ranges: ranges2.filter(range => range.from < range.to), points, ranged: true, single };
  }
  if (points === 0) return undefined;
  const after = points === definition.fields.length ? beyondRecords : beyond;
  return { ranges: prefixes.map(prefix => ({ from: prefix, to: prefix + after })), points, ranged: false, single };
};

/** Whether the predicates imply a condition of a partial index. */
const implies = (predicates: readonly Predicate[], wanted: Predicate): boolean =>
  predicates.some(({ path, op, value }) => {
    if (path !== wanted.path || wanted.extent !== undefined) return false;
    if (op === wanted.op && compare(value, wanted.value) === 0) return true;
    if (wanted.op === 'exists') {
      if (wanted.value !== true) return false;
      if (op === 'eq') return !isNullish(value);
      if (op === 'in') return (value as readonly Value[]).every(one => !isNullish(one));
      // Comparisons with MinKey and MaxKey also match missing fields.
      return /^[gl]te?$/.test(op) && rangeable.has(rankOf(value));
    }
    if (rankOf(value) !== rankOf(wanted.value) || !rangeable.has(rankOf(value))) return false;
    const order = compare(value, wanted.value);
    switch (wanted.op) {
      case 'gte':
        return (op === 'eq' || op === 'gte' || op === 'gt') && order >= 0;
      case 'gt':
        return ((op === 'eq' || op === 'gte') && order > 0) || (op === 'gt' && order >= 0);
      case 'lte':
        return (op === 'eq' || op === 'lte' || op === 'lt') && order <= 0;
      case 'lt':
        return ((op === 'eq' || op === 'lte') && order < 0) || (op === 'lt' && order <= 0);
      default:
        return false;
    }
  });

/** Whether a sparse or partial index contains all documents that can match the predicates. */
export const coversAll = ({ definition }: Index, predicates: readonly Predicate[]): boolean => {
  const { sparse, partial, fields } = definition;
  if (partial !== undefined) return partial.predicates?.every(one => implies(predicates, one)) === true;
  if (!sparse) return true;
  return fields.some(field => implies(predicates, { path: field.path, op: 'exists', value: true }));
};
