/**
 * Functions that read values of server replies. A server or proxy can send a value of an unexpected type; then each function
 * returns undefined.
 */
import type { Long, ObjectId } from './values.js';

/** Returns the value if it is a string; otherwise undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Converts a finite number (its fraction is dropped), a bigint or a `Long` to a bigint. Returns undefined for other values. */
export const wholeOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  const long = value as Long | null | undefined;
  // A Timestamp has the method too, and a document may have the field.
  return long?._bsontype === 'Long' && typeof long.toBigInt === 'function' ? long.toBigInt() : undefined;
};

/** Converts a finite number, a bigint or a `Long` to a number. Returns undefined for other values. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const whole = wholeOf(value);
  return whole === undefined ? undefined : Number(whole);
};

/** Returns the value if it is an ObjectId of any copy of npm `bson`; otherwise undefined. */
export const objectIdOf = (value: unknown): ObjectId | undefined => {
  const id = value as ObjectId | null | undefined;
  // A UUID has the method too, and a document may have the field.
  return id?._bsontype === 'ObjectId' && typeof id.toHexString === 'function' ? id : undefined;
};
