import type { Document } from '@tessera/contracts';

/** The document without the members that are not there, `Map`s with numbers as keys as documents. Rule: "Converting Returned Model Objects to Documents". */
export const plainResult = (result: unknown): unknown => {
  if (result instanceof Map)
    return Object.fromEntries([...result].map(([key, value]) => [String(key), plainResult(value)]));
  if (typeof result !== 'object' || result === null || Array.isArray(result) || '_bsontype' in result) return result;
  if (result instanceof Date || result instanceof Uint8Array || result instanceof RegExp) return result;
  const members = Object.entries(result as Document).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Map ? plainResult(value) : value,
  ]);
  // An update that inserted nothing says so by null, and one of a client's bulk write by a member that drivers may add.
  return Object.fromEntries(
    members.filter(
      ([name, value]) => value !== undefined && name !== 'didUpsert' && !(name === 'upsertedId' && value === null),
    ),
  );
};
