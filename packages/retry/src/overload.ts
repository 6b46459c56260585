import { isOverload } from '@tessera/contracts';
import type { Millis, MongoError } from '@tessera/contracts';

const defaultBase: Millis = 100;
const longest: Millis = 10_000;

/** Returns whether the newest failure is an overload error. */
export const endsOverloaded = (failures: readonly MongoError[]): boolean => failures.slice(-1).some(isOverload);

/** Returns the base of the backoff: `baseBackoffMS` of the reply if that is a positive number, else the default. */
export const baseBackoffOf = (error: MongoError): Millis => {
  const suggested: unknown = error.reply?.['baseBackoffMS'];
  return typeof suggested === 'number' && suggested > 0 ? suggested : defaultBase;
};

/**
 * Returns the time to wait before a retry: a random time below a limit that doubles with each retry, up to 10 s.
 * @param doublings how often the base is doubled
 * @param chance a random number in [0, 1)
 */
export const backoff = (doublings: number, chance: number, base: Millis = defaultBase): Millis =>
  chance * Math.min(longest, base * 2 ** doublings);
