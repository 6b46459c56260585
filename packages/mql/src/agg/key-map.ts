import type { Collation } from '../value/compare.js';
import { hashKey } from '../value/compare.js';
import { Decimal } from '../value/decimal.js';
import { compareNumbers, numberKey } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { Double } from '../value/value.js';

/** Returns the double that equals a number, if there is one. */
const asDouble = (value: bigint | Decimal): number | undefined => {
  if (typeof value === 'bigint') {
    const n = Number(value);
    return BigInt(n) === value ? n : undefined;
  }
  const n = value.toNumber();
  return !value.isFinite || compareNumbers(new Double(n), value) === 0 ? n : undefined;
};

/**
 * Returns a key that is the same for two values exactly if MongoDB considers them equal. For most numbers it is the
 * number itself, which is the fastest.
 */
export const quickKey = (value: Value, collation: Collation | undefined): string | number => {
  if (typeof value === 'number') return value;
  if (value instanceof Double) return value.value;
  const n = typeof value === 'bigint' || value instanceof Decimal ? asDouble(value) : undefined;
  return n ?? hashKey(value, collation);
};

/** A map by values, with MongoDB's equality. Strings and numbers, the most frequent keys, are not converted to text. */
export class KeyMap<T> {
  readonly #strings = new Map<string, T>();
  readonly #numbers = new Map<number, T>();
  readonly #others = new Map<string, T>();
  readonly #collation: Collation | undefined;

  constructor(collation: Collation | undefined) {
    this.#collation = collation;
  }

  /** Returns the entry of a value, or creates it. A missing value is a key of its own. */
  take<V extends Value | undefined>(value: V, make: (value: V) => T): T {
    switch (typeof value) {
      case 'string':
        return upsert(this.#strings, this.#collation === undefined ? value : this.#collation.key(value), value, make);
      case 'number':
        return upsert(this.#numbers, value, value, make);
      case 'bigint':
        return this.#number(value, make);
      case 'undefined':
        return upsert(this.#others, 'missing', value, make);
      default:
        if (value instanceof Double) return upsert(this.#numbers, value.value, value, make);
        if (value instanceof Decimal) return this.#number(value, make);
        return upsert(this.#others, hashKey(value, this.#collation), value, make);
    }
  }

  #number<V extends bigint | Decimal>(value: V, make: (value: V) => T): T {
    const n = asDouble(value);
    return n === undefined
      ? upsert(this.#others, numberKey(value), value, make)
      : upsert(this.#numbers, n, value, make);
  }
}

const upsert = <K, V, T>(map: Map<K, T>, key: K, value: V, make: (value: V) => T): T => {
  let found = map.get(key);
  if (found === undefined) {
    found = make(value);
    map.set(key, found);
  }
  return found;
};
