import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { compare } from '../value/compare.js';
import { toExactLong } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isNullish, isNumber } from '../value/value.js';
import { footprint } from '../work/footprint.js';
import { spend } from '../work/meter.js';
import { ValueAccumulator } from './accumulator.js';
import { print } from './coerce.js';
import type { Evaluate } from './expression.js';

type Maybe = Value | undefined;

/** An accumulator that keeps a limited number of values. */
export type Keeper = new (input: Evaluate, n: number) => ValueAccumulator;

/**
 * Reads the limit `n`.
 * @throws CommandError 5787902, 5787903, 5787908
 */
export const requireCount = (value: Maybe): number => {
  if (!isNumber(value)) throw fail(5787902, `Value for 'n' must be of integral type, but found ${print(value)}`);
  const n = toExactLong(value);
  if (n === undefined) throw fail(5787903, `Value for 'n' must be of integral type, but found ${print(value)}`);
  if (n <= 0n) throw fail(5787908, `'n' must be greater than 0, found ${n}`);
  return Number(n);
};

export class FirstN extends ValueAccumulator {
  readonly #values: Value[] = [];
  readonly #n: number;

  constructor(input: Evaluate, n: number) {
    super(input);
    this.#n = n;
  }

  take(value: Maybe): void {
    if (this.#values.length >= this.#n) return;
    this.#values.push(value ?? null);
    this.held += footprint(value);
  }

  result(): Value {
    return this.#values;
  }
}

export class LastN extends ValueAccumulator {
  #values: Value[] = [];
  #most = 0;
  readonly #n: number;

  constructor(input: Evaluate, n: number) {
    super(input);
    this.#n = n;
  }

  take(value: Maybe): void {
    this.#values.push(value ?? null);
    this.#most = Math.max(this.#most, this.#values.length);
    this.held = 16 * this.#most;
    // The array is cut occasionally rather than for each value.
    if (this.#values.length >= 2 * this.#n + 64) this.#values = this.#values.slice(-this.#n);
  }

  result(): Value {
    return this.#values.slice(-this.#n);
  }
}

/**
 * Inserts an item into a sorted list of limited length, after equal items. If the list is full, the item at the given
 * end is dropped. An item that would be dropped itself, or that equals the one at that end, is not inserted.
 */
export const insertBounded = <T>(
  list: T[],
  item: T,
  limit: number,
  order: (a: T, b: T) => number,
  dropped: 'first' | 'last' = 'last',
): void => {
  if (list.length === limit) {
    const stays = dropped === 'last' ? order(item, list[limit - 1]!) < 0 : order(item, list[0]!) > 0;
    if (!stays) return;
  }
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(item, list[middle]!) < 0) high = middle;
    else low = middle + 1;
  }
  spend(1 + ((dropped === 'last' ? list.length - low : list.length) >>> 8));
  list.splice(low, 0, item);
  if (list.length <= limit) return;
  if (dropped === 'last') list.pop();
  else list.shift();
};

/** Creates an accumulator of the n least or greatest values, best first. Null and missing values are ignored. */
export const extremesOf = (sign: 1 | -1, collation: Collation | undefined): Keeper =>
  class Extremes extends ValueAccumulator {
    readonly #values: Value[] = [];
    readonly #n: number;

    constructor(input: Evaluate, n: number) {
      super(input);
      this.#n = n;
    }

    take(value: Maybe): void {
      if (isNullish(value)) return;
      const before = this.#values.length;
      insertBounded(this.#values, value, this.#n, (a, b) => -sign * compare(a, b, collation));
      if (this.#values.length > before) this.held += footprint(value);
    }

    result(): Value {
      return this.#values;
    }
  };
