import type { Value } from '@tessera/mql/engine';
import { compare, isArray, isDoc, isNumber, show, toDouble, typeName } from '@tessera/mql/engine';
import type { Plain } from './plain.js';
import { toValue, wrapped } from './plain.js';

/** A pattern for a value: it matches every value that `accepts` returns true for. {@link any} has the common patterns. */
export class Anything {
  /** Completes the error message "… must be", for example `of type long`. */
  readonly wanted: string;
  /** Returns whether a value, as `@tessera/mql/engine` represents it, matches. `undefined` means that the field is missing. */
  readonly accepts: (value: Value | undefined) => boolean;

  constructor(wanted: string, accepts: (value: Value | undefined) => boolean) {
    this.wanted = wanted;
    this.accepts = accepts;
  }
}

const ofType = (type: string): Anything => new Anything(`of type ${type}`, value => typeName(value) === type);

/** Patterns for values that a test cannot predict. Most are named after the BSON type that they match. */
export const any: {
  /** Any value, but not a missing field. */
  readonly value: Anything;
  /** The field must be missing. */
  readonly absent: Anything;
  /** A 64-bit integer. */
  readonly long: Anything;
  /** A 32-bit integer. */
  readonly int: Anything;
  readonly double: Anything;
  readonly string: Anything;
  readonly date: Anything;
  readonly objectId: Anything;
  readonly timestamp: Anything;
  readonly document: Anything;
  readonly array: Anything;
  /** A number of any type within the bounds, both inclusive. */
  between(least: number, most: number): Anything;
} = {
  value: new Anything('present', value => value !== undefined),
  absent: new Anything('absent', value => value === undefined),
  long: ofType('long'),
  int: ofType('int'),
  double: ofType('double'),
  string: ofType('string'),
  date: ofType('date'),
  objectId: ofType('objectId'),
  timestamp: ofType('timestamp'),
  document: ofType('object'),
  array: ofType('array'),
  between: (least, most) =>
    new Anything(`between ${least} and ${most}`, value => {
      if (!isNumber(value)) return false;
      const n = toDouble(value);
      return n >= least && n <= most;
    }),
};

const isSubset = (pattern: unknown): pattern is Plain =>
  typeof pattern === 'object' &&
  pattern !== null &&
  (Object.getPrototypeOf(pattern) === Object.prototype || Object.getPrototypeOf(pattern) === null) &&
  wrapped(pattern) === undefined;

const at = (where: string, name: string): string => (where === '' ? name : `${where}.${name}`);

/**
 * Returns a description of the first difference, or undefined if the value matches. A document must have at least the
 * fields of the pattern, in any order. An array must have the same number of items. Numbers are compared by value.
 */
export const difference = (pattern: unknown, value: Value | undefined, where = ''): string | undefined => {
  const is = (wanted: string): string =>
    `${where} must be ${wanted}, but is ${value === undefined ? 'missing' : show(value)}`;
  if (pattern === undefined) return undefined;
  if (pattern instanceof Anything) return pattern.accepts(value) ? undefined : is(pattern.wanted);
  if (Array.isArray(pattern)) {
    if (!isArray(value)) return is('an array');
    if (value.length !== pattern.length) return is(`an array of ${pattern.length}`);
    return firstOf(pattern, (item, i) => difference(item, value[i], at(where, String(i))));
  }
  if (isSubset(pattern)) {
    if (!isDoc(value)) return is('a document');
    return firstOf(Object.entries(pattern), ([name, item]) => difference(item, value.get(name), at(where, name)));
  }
  const wanted = toValue(pattern);
  return value !== undefined && compare(wanted, value) === 0 ? undefined : is(show(wanted));
};

const firstOf = <T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined => {
  for (const [i, item] of items.entries()) {
    const found = find(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
};
