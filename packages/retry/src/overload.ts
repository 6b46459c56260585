import type { Millis, MongoError } from '@tessera/contracts';

/** Rule: Client Backpressure, "Terms". */
const overloaded = 'SystemOverloadedError';

const defaultBase: Millis = 100;
const longest: Millis = 10_000;

/** What is tried again after it waits first. */
export const isOverload = (error: MongoError): boolean => error.labels.includes(overloaded);

/** The newest is such an error. */
export const endsOverloaded = (failures: readonly MongoError[]): boolean => failures.slice(-1).some(isOverload);

/** The base that the server asks for; anything but a positive number asks for nothing. */
export const baseBackoffOf = (error: MongoError): Millis => {
  const asked: unknown = error.reply?.['baseBackoffMS'];
  return typeof asked === 'number' && asked > 0 ? asked : defaultBase;
};

/**
 * How long to wait: from nothing up to a ceiling that doubles.
 * @param doublings of the base.
 * @param chance in [0, 1).
 */
export const backoff = (doublings: number, chance: number, base: Millis = defaultBase): Millis =>
  chance * Math.min(longest, base * 2 ** doublings);
