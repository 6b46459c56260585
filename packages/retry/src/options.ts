import { MongoError } from '@tessera/contracts';
import type { RetryPolicyOptions } from '@tessera/contracts';

/**
 * The options by which a policy decides whether it retries reads and writes at all. Unlike `retryWrites` in
 * {@link RetryOptions}, they do not change the labels of errors.
 */
export type RetryFlags = Pick<RetryPolicyOptions, 'retryReads' | 'retryWrites'>;

/** The defaults of {@link RetryFlags}. */
export const retryFlagDefaults: Required<{ readonly [K in keyof RetryFlags]: boolean }> = {
  retryReads: true,
  retryWrites: true,
};

/**
 * Checks the value of an option.
 * @throws MongoError `usage` if it is not a number from `least` to `most`
 */
export const checkRange = (option: string, value: number, least: number, most: number = Infinity): void => {
  if (value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new MongoError('usage', `"${option}" must be a number ${range}, not ${String(value)}.`);
};
