/** What a server sent, which may be anything: the value in the form that is expected, else undefined. */
import type { ObjectId } from './values.js';

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A number, a bigint or an object of npm `bson`, as a codec may decode whole numbers; a fraction is cut off. */
export const wholeOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  const { toBigInt } = (value ?? {}) as { readonly toBigInt?: () => bigint };
  return typeof toBigInt === 'function' ? toBigInt.call(value) : undefined;
};

/** A finite number in any of those forms. */
export const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const whole = wholeOf(value);
  return whole === undefined ? undefined : Number(whole);
};

export const objectIdOf = (value: unknown): ObjectId | undefined => {
  const id = value as ObjectId | null | undefined;
  return typeof id?.toHexString === 'function' ? id : undefined;
};
