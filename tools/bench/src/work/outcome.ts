import { createHash } from 'node:crypto';
import { EJSON, serialize } from 'bson';

/** Stands for the whole value, its types and the order of its keys. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(serialize({ value }, { ignoreUndefined: false }))
    .digest('hex');

/** The whole value for whoever must see where two differ. */
export const textOf = (value: unknown): string => EJSON.stringify(value, { relaxed: false });
