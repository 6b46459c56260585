import { createHash } from 'node:crypto';
import { EJSON, serialize } from 'bson';

/** Returns a hash of a value, including its types and the order of keys. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(serialize({ value }, { ignoreUndefined: false }))
    .digest('hex');

/** Returns the value as text, to show differences. */
export const textOf = (value: unknown): string => EJSON.stringify(value, { relaxed: false });
