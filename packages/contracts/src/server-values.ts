/**
 * Functions that read values of server replies. Servers and proxies may send any type, so each function returns undefined for a
 * value that does not have the expected type.
 */
import type { ObjectId } from './values.js';

/** Returns a string, or undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns a number, a bigint or a `Long` as a bigint, without its fraction; or undefined. */
export const wholeOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  const { toBigInt } = (value ?? {}) as { readonly toBigInt?: () => bigint };
  return typeof toBigInt === 'function' ? toBigInt.call(value) : undefined;
};

/** Returns a finite number, a bigint or a `Long` as a number; or undefined. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const whole = wholeOf(value);
  return whole === undefined ? undefined : Number(whole);
};

/** Returns an ObjectId, also of another copy of npm `bson`; or undefined. */
export const objectIdOf = (value: unknown): ObjectId | undefined => {
  const id = value as ObjectId | null | undefined;
  return typeof id?.toHexString === 'function' ? id : undefined;
};
