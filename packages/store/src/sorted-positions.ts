/**
 * Sorts many index keys, which usually have a long common prefix. The next few units of each key and its position form
 * one number, because the engine sorts numbers natively, and much faster than strings. Only keys that agree in these
 * units are compared further.
 */

/** The maximum number of keys that are sorted by comparisons. */
const few = 12;

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

/** Returns the number of units that all keys of a range share; undefined if the keys are equal. */
const sharedUnits = (keys: readonly string[], positions: Uint32Array, from: number, to: number): number | undefined => {
  const first = keys[positions[from]!]!;
  let shared = first.length;
  let isSame = true;
  for (let i = from + 1; i < to; i++) {
    const key = keys[positions[i]!]!;
    if (key === first) continue;
    isSame = false;
    let unit = 0;
    const most = Math.min(shared, key.length);
    while (unit < most && key.charCodeAt(unit) === first.charCodeAt(unit)) unit += 1;
    shared = unit;
  }
  return isSame ? undefined : shared;
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

const sortRange = (keys: readonly string[], positions: Uint32Array, from: number, to: number): void => {
  const count = to - from;
  if (count <= few) {
    insert(keys, positions, from, to);
    return;
  }
  const shared = sharedUnits(keys, positions, from, to);
  if (shared === undefined) return;
  const range = positions.slice(from, to);
  const numbers = new Float64Array(count);
  const units = unitsBeside(count);
  for (let i = 0; i < count; i++) {
    const number = numberAt(keys[range[i]!]!, shared, units);
    if (number === undefined) {
      positions.set(
        range.sort((a, b) => order(keys[a]!, keys[b]!)),
        from,
      );
      return;
    }
    numbers[i] = number * count + i;
  }
  numbers.sort();
  let start = from;
  let last = -1;
  for (let i = 0; i < count; i++) {
    const number = Math.floor(numbers[i]! / count);
    positions[from + i] = range[numbers[i]! - number * count]!;
    if (number === last) continue;
    if (from + i - start > 1) sortRange(keys, positions, start, from + i);
    start = from + i;
    last = number;
  }
  if (to - start > 1) sortRange(keys, positions, start, to);
};

/** Returns the positions of the keys in ascending order of the keys. Positions of equal keys stay in order. */
export const sortedPositions = (keys: readonly string[]): Uint32Array => {
  const positions = Uint32Array.from(keys, (_, i) => i);
  if (keys.length > 1) sortRange(keys, positions, 0, keys.length);
  return positions;
};
