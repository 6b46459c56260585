import { compare } from '../value/compare.js';
import type { Value } from '../value/value.js';
import { DateValue, Double } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Sort } from './sort.js';
import type { SortKey } from './sort-key.js';

/** Compares two keys by their indexes in the list that the columns were made from. */
type ByPlace = (i: number, j: number) => number;

/** Returns a number that orders a value exactly among the values of its type, or NaN for other values. */
const numberOf = (value: Value | undefined): number => {
  if (typeof value === 'number') return value;
  return value instanceof Double ? value.value : Number.NaN;
};

const timeOf = (value: Value | undefined): number =>
  value instanceof DateValue && value.exact === undefined ? value.ms : Number.NaN;

/** Returns the numbers of one field of all keys, or undefined if a value has none. */
const numbersOf = (
  keys: readonly SortKey[],
  field: number,
  of: (value: Value | undefined) => number,
): Float64Array | undefined => {
  const numbers = new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) {
    const number = of(keys[i]![field]);
    if (Number.isNaN(number)) return undefined;
    numbers[i] = number;
  }
  return numbers;
};

/** UTF-16 code units are in the order of code points, unless there are surrogates or units above them. */
const ordersByUnits = /^[\0-\uD7FF]*$/;

const textsOf = (keys: readonly SortKey[], field: number): readonly string[] | undefined => {
  const texts: string[] = [];
  for (const key of keys) {
    const value = key[field];
    if (typeof value !== 'string' || !ordersByUnits.test(value)) return undefined;
    texts.push(value);
  }
  return texts;
};

/** The values of one field of all keys, if they have the same type. */
type Column = { readonly numbers: Float64Array } | { readonly texts: readonly string[] } | undefined;

const columnOf = (keys: readonly SortKey[], field: number, byBytes: boolean): Column => {
  const numbers = numbersOf(keys, field, numberOf) ?? numbersOf(keys, field, timeOf);
  if (numbers !== undefined) return { numbers };
  const texts = byBytes ? textsOf(keys, field) : undefined;
  return texts && { texts };
};

const byNumber =
  (numbers: Float64Array, direction: number): ByPlace =>
  (i, j) => {
    const a = numbers[i]!;
    const b = numbers[j]!;
    return a < b ? -direction : a > b ? direction : 0;
  };

const byText =
  (texts: readonly string[], direction: number): ByPlace =>
  (i, j) => {
    const a = texts[i]!;
    const b = texts[j]!;
    return a < b ? -direction : a > b ? direction : 0;
  };

/** The positions of values among the distinct values of their field. */
interface Ranks {
  readonly of: Float64Array;
  readonly distinct: number;
}

/** The range within which integers are used as their own ranks. */
const narrow = 65_536;

const ranksOfIntegers = (numbers: Float64Array): Ranks | undefined => {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    if (!Number.isInteger(number)) return undefined;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  if (most - least >= narrow) return undefined;
  const of = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) of[i] = numbers[i]! - least;
  return { of, distinct: most - least + 1 };
};

const ranksOfNumbers = (numbers: Float64Array): Ranks => {
  const sorted = numbers.slice().sort();
  let distinct = 0;
  for (let i = 0; i < sorted.length; i++)
    if (i === 0 || sorted[i] !== sorted[distinct - 1]) sorted[distinct++] = sorted[i]!;
  const of = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    let from = 0;
    let to = distinct - 1;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (sorted[middle]! < number) from = middle + 1;
      else to = middle;
    }
    of[i] = from;
  }
  return { of, distinct };
};

/** The maximum number of strings that are ranked. More are compared pair by pair, which can yield to others. */
const maxTexts = 8_192;

const ranksOfTexts = (texts: readonly string[]): Ranks | undefined => {
  const places = new Map<string, number>();
  const of = new Float64Array(texts.length);
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i]!;
    let place = places.get(text);
    if (place === undefined) {
      if (places.size === maxTexts) return undefined;
      place = places.size;
      places.set(text, place);
    }
    of[i] = place;
  }
  const ranks = new Float64Array(places.size);
  [...places.keys()].sort().forEach((text, rank) => {
    ranks[places.get(text)!] = rank;
  });
  for (let i = 0; i < of.length; i++) of[i] = ranks[of[i]!]!;
  return { of, distinct: places.size };
};

/** The maximum number of keys that are ranked. More are compared pair by pair, which can yield to others. */
const maxRanked = 131_072;

const composite = (
  columns: readonly Column[],
  directions: readonly number[],
  length: number,
): Float64Array | undefined => {
  const all = new Float64Array(length);
  let distinct = 1;
  for (const [field, column] of columns.entries()) {
    if (column === undefined) return undefined;
    const ranks =
      'texts' in column
        ? ranksOfTexts(column.texts)
        : (ranksOfIntegers(column.numbers) ?? ranksOfNumbers(column.numbers));
    if (ranks === undefined) return undefined;
    distinct *= ranks.distinct;
    if (distinct * length > Number.MAX_SAFE_INTEGER) return undefined;
    const last = ranks.distinct - 1;
    for (let i = 0; i < length; i++) {
      const rank = ranks.of[i]!;
      all[i] = all[i]! * ranks.distinct + (directions[field] === 1 ? rank : last - rank);
    }
  }
  return all;
};

/** The parts of a {@link Sort} that sorting uses. */
export type Ordering = Pick<Sort, 'key' | 'compareKeys' | 'pattern' | 'collation'>;

/** A way to sort many keys. */
export type Plan =
  /** One number per key, in the order of the keys. The numbers stay exact when multiplied by the number of keys. */
  { readonly ranks: Float64Array } | { readonly order: ByPlace };

/**
 * Prepares the sorting of many keys. The order equals that of `compareKeys`, but sorting is faster: fields whose values
 * are all numbers, all dates or all strings are read into columns once. If the columns hold few enough distinct values,
 * each key becomes one number.
 */
export const planSort = (keys: readonly SortKey[], sort: Ordering): Plan => {
  const directions = sort.pattern.filter(({ path }) => path !== '$natural').map(({ direction }) => direction);
  spend(directions.length * keys.length);
  const columns = directions.map((_, field) => columnOf(keys, field, sort.collation === undefined));
  const ranks = keys.length > maxRanked ? undefined : composite(columns, directions, keys.length);
  if (ranks !== undefined) return { ranks };
  const orders = columns.map((column, field): ByPlace => {
    const direction = directions[field]!;
    if (column === undefined) return (i, j) => direction * compare(keys[i]![field], keys[j]![field], sort.collation);
    return 'numbers' in column ? byNumber(column.numbers, direction) : byText(column.texts, direction);
  });
  return {
    order: (i, j) => {
      let order = 0;
      for (let field = 0; order === 0 && field < orders.length; field++) order = orders[field]!(i, j);
      return order;
    },
  };
};
