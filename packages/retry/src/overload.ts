import type { Millis, MongoError } from '@tessera/contracts';

/** Rule: Client Backpressure, "Terms". */
const overloaded = 'SystemOverloadedError';

const defaultBase: Millis = 100;
const longest: Millis = 10_000;

/** Whether a retry has to wait first. */
export const isOverload = (error: MongoError): boolean => error.labels.includes(overloaded);

/** Whether the newest failure is an overload error. */
export const endsOverloaded = (failures: readonly MongoError[]): boolean => failures.slice(-1).some(isOverload);

/** The base of the backoff: `baseBackoffMS` of the reply if that is a positive number, else the default. */
export const baseBackoffOf = (error: MongoError): Millis => {
  const suggested: unknown = error.reply?.['baseBackoffMS'];
  return typeof suggested === 'number' && suggested > 0 ? suggested : defaultBase;
};

/**
 * Returns the time to wait: between 0 and a limit that doubles.
 * @param doublings of the base.
 * @param chance in [0, 1).
 */
export const backoff = (doublings: number, chance: number, base: Millis = defaultBase): Millis =>
  chance * Math.min(longest, base * 2 ** doublings);
