import { MongoInvalidArgumentError } from './errors.js';

/**
 * The treatment of undefined values in filters. `error` rejects the operation. `null` matches documents whose field is
 * null or missing. `ignore` removes the condition, so that `{ userId: undefined }` matches every document.
 */
export type UndefinedInFilters = 'error' | 'null' | 'ignore';

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Copies the value if something below it changes. `path` leads to the value. */
const settle = (value: unknown, rule: UndefinedInFilters, path: string): unknown => {
  if (value === undefined) {
    if (rule === 'error')
      throw new MongoInvalidArgumentError(
        `The filter has the value undefined at "${path}". Check the input, or set "undefinedInFilters" to "null" or "ignore".`,
      );
    return null;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => settle(item, rule, `${path}.${index}`));
  if (!isPlain(value)) return value;
  const settled: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    if (member !== undefined || rule !== 'ignore')
      settled[name] = settle(member, rule, path === '' ? name : `${path}.${name}`);
  return settled;
};

/**
 * Returns the filter without undefined values. Elements of arrays become null, as BSON has it.
 * @throws MongoInvalidArgumentError if the rule is `error` and the filter contains undefined
 */
export const withoutUndefined = <Filter>(filter: Filter, rule: UndefinedInFilters): Filter =>
  filter === undefined ? filter : (settle(filter, rule, '') as Filter);
