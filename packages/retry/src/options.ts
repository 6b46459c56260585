import { MongoError } from '@tessera/contracts';
import type { RetryPolicyOptions } from '@tessera/contracts';

/** The options of the connection string that turn retries of reads and of writes off. */
export type Gates = Pick<RetryPolicyOptions, 'retryReads' | 'retryWrites'>;

export const gateDefaults: Required<{ readonly [K in keyof Gates]: boolean }> = { retryReads: true, retryWrites: true };

/** @throws MongoError `usage` if the value of the option is not a number in this range. */
export const checkRange = (option: string, value: number, least: number, most: number = Infinity): void => {
  if (value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new MongoError('usage', `${option} must be a number ${range}, not ${String(value)}.`);
};
