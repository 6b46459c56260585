import type { Collation } from '../../value/compare.js';
import { compare, hashKey } from '../../value/compare.js';
import { Decimal } from '../../value/decimal.js';
import { Doc } from '../../value/doc.js';
import { divide, multiply, subtract, toDouble } from '../../value/numbers.js';
import type { NumberValue, Value } from '../../value/value.js';
import { double, isArray, isNullish, isNumber } from '../../value/value.js';
import { count } from '../coerce.js';
import { mergeInto } from '../object.js';
import type { Gatherer } from './sliding.js';
import { WindowSum } from './window-sum.js';

type Maybe = Value | undefined;

/** A first-in, first-out queue with random access. */
export class Queue<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  pop(): void {
    this.#items.pop();
  }

  shift(): void {
    this.#items[this.#first++] = undefined;
    if (this.#first < 64 || this.#first * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#first);
    this.#first = 0;
  }

  /** Returns the item at an index; the oldest has index 0. */
  at(index: number): T | undefined {
    return this.#items[this.#first + index];
  }

  slice(from: number, to: number): T[] {
    return this.#items.slice(this.#first + from, this.#first + to) as T[];
  }
}

export class SumOf implements Gatherer<Maybe> {
  protected readonly sum: WindowSum = new WindowSum();
  protected count = 0;

  add(value: Maybe): void {
    if (!isNumber(value)) return;
    this.sum.add(value);
    this.count += 1;
  }

  remove(value: Maybe): void {
    if (!isNumber(value)) return;
    this.sum.remove(value);
    this.count -= 1;
  }

  result(): Value {
    return this.sum.result();
  }
}

export class AverageOf extends SumOf {
  override result(): Value {
    return this.count === 0 ? null : divide(this.sum.result(), this.count);
  }
}

export class CountOf implements Gatherer<unknown> {
  #count = 0;

  add(): void {
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
  }

  result(): Value {
    return count(this.#count);
  }
}

/**
 * The standard deviation. The sum of squared differences from the mean is updated for each value that is added or
 * removed.
 */
export class DeviationOf implements Gatherer<Maybe> {
  readonly #sample: boolean;
  readonly #sum = new WindowSum();
  #squares = new WindowSum();
  #count = 0;
  #broken = 0;

  constructor(sample: boolean) {
    this.#sample = sample;
  }

  add(value: Maybe): void {
    this.#change(value, 1);
  }

  remove(value: Maybe): void {
    this.#change(value, -1);
  }

  #change(value: Maybe, sign: 1 | -1): void {
    if (!isNumber(value)) return;
    const n = toDouble(value);
    if (!Number.isFinite(n)) {
      this.#broken += sign;
      return;
    }
    const before = this.#count;
    this.#count += sign;
    if (before > 0 && this.#count > 0) {
      const distance = before * n - toDouble(this.#sum.result());
      this.#squares.add(double((sign * distance ** 2) / (before * this.#count)));
    }
    // Discards the rounding errors of earlier values.
    if (this.#count <= 1) this.#squares = new WindowSum();
    if (sign === 1) this.#sum.add(double(n));
    else this.#sum.remove(double(n));
  }

  result(): Value {
    const divisor = this.#sample ? this.#count - 1 : this.#count;
    if (this.#broken > 0 || divisor <= 0) return null;
    const squares = toDouble(this.#squares.result());
    // A single value has no deviation, and rounding errors must not make the sum negative.
    return double(this.#count === 1 || squares < 0 ? 0 : Math.sqrt(squares / divisor));
  }
}

/** The covariance of pairs of numbers. */
export class CovarianceOf implements Gatherer<Maybe> {
  readonly #sample: boolean;
  readonly #x = new AverageOf();
  readonly #y = new AverageOf();
  readonly #products = new WindowSum();
  #count = 0;

  constructor(sample: boolean) {
    this.#sample = sample;
  }

  add(value: Maybe): void {
    const pair = pairOf(value);
    if (pair === undefined) return;
    const [x, y] = pair;
    if (!isFinitePair(pair)) return this.#products.add(specialOf(pair));
    this.#count += 1;
    const distance = subtract(x, meanOf(this.#x));
    this.#x.add(x);
    this.#y.add(y);
    this.#products.add(multiply(distance, subtract(y, meanOf(this.#y))));
  }

  remove(value: Maybe): void {
    const pair = pairOf(value);
    if (pair === undefined) return;
    const [x, y] = pair;
    if (!isFinitePair(pair)) return this.#products.remove(specialOf(pair));
    this.#count -= 1;
    this.#x.remove(x);
    const distance = subtract(x, meanOf(this.#x));
    this.#products.remove(multiply(distance, subtract(y, meanOf(this.#y))));
    this.#y.remove(y);
  }

  result(): Value {
    if (this.#count === 1 && !this.#sample) return double(0);
    const divisor = this.#sample ? this.#count - 1 : this.#count;
    return divisor <= 0 ? null : divide(this.#products.result(), double(divisor));
  }
}

type Pair = readonly [NumberValue, NumberValue];

const pairOf = (value: Maybe): Pair | undefined => {
  if (!isArray(value) || value.length !== 2) return undefined;
  const [x, y] = value;
  return isNumber(x) && isNumber(y) ? [x, y] : undefined;
};

const isFinitePair = (pair: Pair): boolean => pair.every(value => Number.isFinite(toDouble(value)));

const meanOf = (average: AverageOf): NumberValue => (average.result() as NumberValue | null) ?? double(0);

/** Returns NaN if a number is NaN or if there are infinities of different signs. */
const specialOf = (pair: Pair): NumberValue => {
  const n = pair
    .map(toDouble)
    .filter(value => !Number.isFinite(value))
    .reduce((sum, value) => sum + value);
  return pair.some(value => value instanceof Decimal) ? Decimal.fromNumber(n) : double(n);
};

/** The least or the greatest value. Values that a later one replaces as the extreme are dropped at once. */
export class ExtremeOf implements Gatherer<Maybe> {
  readonly #sign: 1 | -1;
  readonly #collation: Collation | undefined;
  readonly #best = new Queue<Value>();

  constructor(sign: 1 | -1, collation: Collation | undefined) {
    this.#sign = sign;
    this.#collation = collation;
  }

  add(value: Maybe): void {
    if (isNullish(value)) return;
    while (this.#best.size > 0 && this.#beats(value, this.#best.at(this.#best.size - 1)!)) this.#best.pop();
    this.#best.push(value);
  }

  #beats(value: Value, other: Value): boolean {
    return compare(value, other, this.#collation) * this.#sign > 0;
  }

  remove(value: Maybe): void {
    if (!isNullish(value) && this.#best.at(0) === value) this.#best.shift();
  }

  result(): Value {
    return this.#best.at(0) ?? null;
  }
}

export class PushOf implements Gatherer<Maybe> {
  readonly #values = new Queue<Value>();

  add(value: Maybe): void {
    if (value !== undefined) this.#values.push(value);
  }

  remove(value: Maybe): void {
    if (value !== undefined) this.#values.shift();
  }

  result(): Value {
    return this.#values.slice(0, this.#values.size);
  }
}

export class SetOf implements Gatherer<Maybe> {
  readonly #collation: Collation | undefined;
  readonly #values = new Map<string, { readonly value: Value; count: number }>();

  constructor(collation: Collation | undefined) {
    this.#collation = collation;
  }

  add(value: Maybe): void {
    if (value === undefined) return;
    const key = hashKey(value, this.#collation);
    const found = this.#values.get(key);
    if (found === undefined) this.#values.set(key, { value, count: 1 });
    else found.count += 1;
  }

  remove(value: Maybe): void {
    if (value === undefined) return;
    const key = hashKey(value, this.#collation);
    const found = this.#values.get(key)!;
    found.count -= 1;
    if (found.count === 0) this.#values.delete(key);
  }

  result(): Value {
    return [...this.#values.values()].map(({ value }) => value);
  }
}

/** The arrays of a window in sequence. */
export class ConcatenationOf extends PushOf {
  override result(): Value {
    return (super.result() as readonly Value[]).flat(1);
  }
}

/** The distinct elements of the arrays of a window. */
export class UnionOf implements Gatherer<Maybe> {
  readonly #set: SetOf;

  constructor(collation: Collation | undefined) {
    this.#set = new SetOf(collation);
  }

  add(value: Maybe): void {
    for (const item of elementsOf(value)) this.#set.add(item);
  }

  remove(value: Maybe): void {
    for (const item of elementsOf(value)) this.#set.remove(item);
  }

  result(): Value {
    return this.#set.result();
  }
}

const elementsOf = (value: Maybe): readonly Value[] => (isArray(value) ? value : []);

/** The fields of all documents of a window. Its documents are never removed. */
export class MergeOf implements Gatherer<Maybe> {
  readonly #fields = new Map<string, Value>();

  add(value: Maybe): void {
    mergeInto(this.#fields, value);
  }

  remove(): void {
    this.#fields.clear();
  }

  result(): Value {
    return Doc.of(this.#fields);
  }
}

/** The first or the last n values. */
export class EndsOf implements Gatherer<Maybe> {
  readonly #n: number;
  readonly #fromEnd: boolean;
  readonly #values = new Queue<Value>();

  constructor(n: number, fromEnd: boolean) {
    this.#n = n;
    this.#fromEnd = fromEnd;
  }

  add(value: Maybe): void {
    this.#values.push(value ?? null);
  }

  remove(): void {
    this.#values.shift();
  }

  result(): Value {
    const { size } = this.#values;
    return this.#fromEnd
      ? this.#values.slice(Math.max(0, size - this.#n), size)
      : this.#values.slice(0, Math.min(this.#n, size));
  }
}

/** A sorted list with binary search. The oldest of several equal items comes first and is removed first. */
export class Ranked<T> {
  readonly items: T[] = [];
  readonly #order: (a: T, b: T) => number;

  constructor(order: (a: T, b: T) => number) {
    this.#order = order;
  }

  /**
   * Returns the index of the first item that is not before the given one, or with `after`, of the first item behind it.
   */
  #position(item: T, after: boolean): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = this.#order(this.items[middle]!, item);
      if (order < 0 || (after && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  add(item: T): void {
    this.items.splice(this.#position(item, true), 0, item);
  }

  remove(item: T): void {
    this.items.splice(this.#position(item, false), 1);
  }
}

/** The best n items of an order. */
export class BestOf<T> implements Gatherer<T> {
  readonly #ranked: Ranked<T>;
  readonly #counts: (item: T) => boolean;
  readonly #resultOf: (ranked: readonly T[]) => Value;

  constructor(order: (a: T, b: T) => number, counts: (item: T) => boolean, resultOf: (ranked: readonly T[]) => Value) {
    this.#ranked = new Ranked(order);
    this.#counts = counts;
    this.#resultOf = resultOf;
  }

  add(item: T): void {
    if (this.#counts(item)) this.#ranked.add(item);
  }

  remove(item: T): void {
    if (this.#counts(item)) this.#ranked.remove(item);
  }

  result(): Value {
    return this.#resultOf(this.#ranked.items);
  }
}
