import { MongoError } from '@tessera/contracts';

/** @throws MongoError `usage` if what an option was given is not a number of this range. */
export const checkRange = (option: string, value: number, least: number, most: number = Infinity): void => {
  if (value >= least && value <= most) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new MongoError('usage', `${option} must be a number ${range}, not ${String(value)}.`);
};
