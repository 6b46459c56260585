import type { Document } from '@tessera/contracts';

/**
 * Converts a result to a plain document: drops undefined fields and turns `Map`s into documents. Rule: "Converting
 * Returned Model Objects to Documents".
 */
export const plainResult = (result: unknown): unknown => {
  if (result instanceof Map)
    return Object.fromEntries([...result].map(([key, value]) => [String(key), plainResult(value)]));
  if (typeof result !== 'object' || result === null || Array.isArray(result) || '_bsontype' in result) return result;
  if (result instanceof Date || result instanceof Uint8Array || result instanceof RegExp) return result;
  const members = Object.entries(result as Document).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Map ? plainResult(value) : value,
  ]);
  // Drops `upsertedId: null` of updates without upsert, and `didUpsert`, which drivers may add to client bulk write
  // results.
  return Object.fromEntries(
    members.filter(
      ([name, value]) => value !== undefined && name !== 'didUpsert' && !(name === 'upsertedId' && value === null),
    ),
  );
};
