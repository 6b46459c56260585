/**
 * Sorts many index keys, which usually have a long common prefix. The next few units of each key and its position form
 * one number, because the engine sorts numbers natively, and much faster than strings. Only keys that agree in these
 * units are compared further. The sort yields to other commands between parts of many keys.
 */
import type { Pieces } from '@tessera/mql/engine';
import { isDue, pause, spend } from '@tessera/mql/engine';

/** The maximum number of keys that are sorted by comparisons. */
const few = 12;

/** The maximum number of keys that are sorted without a pause. */
const many = 8_192;

/** The number of numbers that are sorted without a pause. */
const numbersPerRun = 32_768;

/** The number of keys that are sorted by comparisons without a pause. */
const keysPerRun = 2_048;

/** The number of keys between two chances to pause. */
const batch = 256;

/** The number of one-byte units, and of the end of a key. */
const radix = 257;

const mostExact = 2 ** 53;

/** Returns how many units a number has room for, besides a position below `count`. */
const unitsBeside = (count: number): number => {
  let units = 0;
  for (let room = mostExact / count; room >= radix; room /= radix) units += 1;
  return units;
};

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts few positions by insertion, which keeps equal keys in order. */
const insert = (keys: readonly string[], positions: Uint32Array, from: number, to: number): void => {
  for (let i = from + 1; i < to; i++) {
    const position = positions[i]!;
    const key = keys[position]!;
    let at = i;
    for (; at > from && keys[positions[at - 1]!]! > key; at--) positions[at] = positions[at - 1]!;
    positions[at] = position;
  }
};

/** Part of a list, from a position (inclusive) to another (exclusive). */
type Span = readonly [from: number, to: number];

/**
 * Returns the number of units that the keys of a range share with the first key, and not more than `most`. Keys that
 * equal the first key do not count.
 */
const sharedUnits = (
  keys: readonly string[],
  positions: Uint32Array,
  [from, to]: Span,
  first: string,
  most = Number.POSITIVE_INFINITY,
): number => {
  let shared = most;
  for (let i = from; i < to; i++) {
    const key = keys[positions[i]!]!;
    if (key === first) continue;
    let unit = 0;
    const end = Math.min(shared, key.length, first.length);
    while (unit < end && key.charCodeAt(unit) === first.charCodeAt(unit)) unit += 1;
    shared = unit;
  }
  return shared;
};

/** Returns the units of a key as a number; undefined if one of them has two bytes. */
const numberAt = (key: string, from: number, units: number): number | undefined => {
  let number = 0;
  for (let i = from; i < from + units; i++) {
    const unit = i < key.length ? key.charCodeAt(i) : -1;
    if (unit > 0xff) return undefined;
    number = number * radix + unit + 1;
  }
  return number;
};

/** How the keys of a range become numbers. */
interface Numbering {
  /** The number of units that all keys share. */
  readonly shared: number;
  /** The number of units that become a number. */
  readonly units: number;
  /** The number of keys of the whole range. */
  readonly count: number;
}

/** Combines the next units of each key with its place in the range. Returns false if a unit has two bytes. */
const number = (
  keys: readonly string[],
  range: Uint32Array,
  numbers: Float64Array,
  { shared, units, count }: Numbering,
  [from, to]: Span,
): boolean => {
  for (let i = from; i < to; i++) {
    const prefix = numberAt(keys[range[i]!]!, shared, units);
    if (prefix === undefined) return false;
    numbers[i] = prefix * count + i;
  }
  return true;
};

const sortRange = (keys: readonly string[], positions: Uint32Array, from: number, to: number): void => {
  const count = to - from;
  if (count <= few) {
    insert(keys, positions, from, to);
    return;
  }
  const shared = sharedUnits(keys, positions, [from, to], keys[positions[from]!]!);
  if (shared === Number.POSITIVE_INFINITY) return;
  const range = positions.slice(from, to);
  const numbers = new Float64Array(count);
  if (!number(keys, range, numbers, { shared, units: unitsBeside(count), count }, [0, count])) {
    range.sort((a, b) => order(keys[a]!, keys[b]!));
    positions.set(range, from);
    return;
  }
  numbers.sort();
  let start = from;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const prefix = Math.floor(numbers[i]! / count);
    positions[from + i] = range[numbers[i]! - prefix * count]!;
    if (prefix === last) continue;
    if (from + i - start > 1) sortRange(keys, positions, start, from + i);
    start = from + i;
    last = prefix;
  }
  if (to - start > 1) sortRange(keys, positions, start, to);
};

/** Sorts numbers in runs, and merges the runs. Without an order, the numbers are in ascending order. */
const sortedInRuns = function* <T extends Float64Array | Uint32Array>(
  list: T,
  run: number,
  by?: (a: number, b: number) => number,
): Pieces<T> {
  const { length } = list;
  for (let at = 0; at < length; at += run) {
    const part = list.subarray(at, at + run);
    part.sort(by);
    spend(part.length);
    if (isDue()) yield pause;
  }
  let from: T = list;
  let into: T = list.slice() as T;
  for (let width = run; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(middle + width, length);
      let [i, j] = [start, middle];
      for (let at = start; at < end; at++) {
        const isFirst =
          j >= end || (i < middle && (by === undefined ? from[i]! <= from[j]! : by(from[i]!, from[j]!) <= 0));
        into[at] = isFirst ? from[i++]! : from[j++]!;
        if (at % batch === 0 && isDue()) yield pause;
      }
    }
    [from, into] = [into, from];
  }
  return from;
};

/** Sorts a range like `sortRange`, with pauses. */
const sortMany = function* (keys: readonly string[], positions: Uint32Array, from: number, to: number): Pieces<void> {
  const count = to - from;
  const first = keys[positions[from]!]!;
  let shared = Number.POSITIVE_INFINITY;
  for (let at = from; at < to; at += batch) {
    shared = sharedUnits(keys, positions, [at, Math.min(at + batch, to)], first, shared);
    if (isDue()) yield pause;
  }
  if (shared === Number.POSITIVE_INFINITY) return;
  const range = positions.slice(from, to);
  const unsorted = new Float64Array(count);
  const numbering: Numbering = { shared, units: unitsBeside(count), count };
  for (let at = 0; at < count; at += batch) {
    if (!number(keys, range, unsorted, numbering, [at, Math.min(at + batch, count)])) {
      positions.set(yield* sortedInRuns(range, keysPerRun, (a, b) => order(keys[a]!, keys[b]!)), from);
      return;
    }
    if (isDue()) yield pause;
  }
  const numbers = yield* sortedInRuns(unsorted, numbersPerRun);
  let start = from;
  let last = -1;
  for (let i = 0; i <= count; i++) {
    const prefix = i === count ? -1 : Math.floor(numbers[i]! / count);
    if (i % batch === 0 && isDue()) yield pause;
    if (i < count) positions[from + i] = range[numbers[i]! - prefix * count]!;
    if (prefix === last) continue;
    const size = from + i - start;
    if (size > many) yield* sortMany(keys, positions, start, from + i);
    else if (size > 1) sortRange(keys, positions, start, from + i);
    start = from + i;
    last = prefix;
  }
};

/** Returns the positions of the keys in ascending order of the keys. Positions of equal keys stay in order. */
export const sortedPositions = function* (keys: readonly string[]): Pieces<Uint32Array> {
  const positions = new Uint32Array(keys.length);
  for (let i = 0; i < positions.length; i++) positions[i] = i;
  if (keys.length > many) yield* sortMany(keys, positions, 0, keys.length);
  else if (keys.length > 1) sortRange(keys, positions, 0, keys.length);
  return positions;
};
