import { Decimal } from '../src/value/decimal.js';
import { Doc } from '../src/value/doc.js';
import { CommandError } from '../src/errors.js';
import { show } from '../src/value/show.js';
import type { Value } from '../src/value/value.js';
import { Double, isArray, isDoc, ObjectIdValue, RegexValue } from '../src/value/value.js';

/** A value written in JavaScript: integers are int32, other numbers doubles, bigints int64, plain objects documents. */
export type Shorthand =
  | string
  | number
  | bigint
  | boolean
  | null
  | RegExp
  | Value
  | readonly Shorthand[]
  | { readonly [key: string]: Shorthand };

const isPlain = (value: object): value is { readonly [key: string]: Shorthand } =>
  Object.getPrototypeOf(value) === Object.prototype;

/** Converts a shorthand to a BSON value. */
export const v = (short: Shorthand): Value => {
  if (typeof short === 'number') return (short | 0) === short && !Object.is(short, -0) ? short : new Double(short);
  if (typeof short !== 'object' || short === null) return short;
  if (Array.isArray(short)) return (short as readonly Shorthand[]).map(v);
  if (short instanceof RegExp) return new RegexValue(short.source, short.flags);
  return isPlain(short) ? d(short) : (short as Value);
};

/** Creates a document. As in JavaScript, integer-like keys come first; use `Doc.of` if the order matters. */
export const d = (short: { readonly [key: string]: Shorthand }): Doc =>
  Doc.of(Object.entries(short).map(([key, value]) => [key, v(value)] as const));

/** Creates a double, also for integers, which the shorthand would convert to int32. */
export const double = (value: number): Double => new Double(value);
export const decimal = (text: string): Decimal => Decimal.parse(text)!;
export const oid = (n: number): ObjectIdValue => ObjectIdValue.fromHex(n.toString(16).padStart(24, '0'));

/** Formats a value so that different values, including different types, have different texts. */
export const text = (value: Value | undefined): string => {
  if (value === undefined) return 'missing';
  if (isDoc(value))
    return `{${value
      .entries()
      .map(([key, item]) => `${key}: ${text(item)}`)
      .join(', ')}}`;
  if (isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (typeof value === 'bigint') return `${value}L`;
  return value instanceof Decimal ? `${value.toString()}D` : show(value);
};

/** Returns the error of an action, such as `2 BadValue: unknown operator: $foo`, or `accepted`. */
export const refusal = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof CommandError) return `${error.code} ${error.codeName}: ${error.message}`;
    throw error;
  }
  return 'accepted';
};
