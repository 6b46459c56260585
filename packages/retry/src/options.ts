import { MongoError } from '@tessera/contracts';
import type { RetryPolicyOptions } from '@tessera/contracts';

/** The options that disable retries: `retryReads: false` for reads and `retryWrites: false` for writes. */
export type Gates = Pick<RetryPolicyOptions, 'retryReads' | 'retryWrites'>;

/** The defaults of {@link Gates}. */
export const gateDefaults: Required<{ readonly [K in keyof Gates]: boolean }> = { retryReads: true, retryWrites: true };

/**
 * Checks the value of an option.
 * @throws MongoError `usage` if it is not a number from `least` to `most`
 */
export const checkRange = (option: string, value: number, least: number, most: number = Infinity): void => {
  if (value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new MongoError('usage', `"${option}" must be a number ${range}, not ${String(value)}.`);
};
