import type { Document } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import type { IndexDescription, IndexSpecification } from './types/indexes.js';

/** Returns the keys of an index in order, from any accepted form. */
export const indexKeys = (specification: IndexSpecification): Map<string, unknown> => {
  const keys = new Map<string, unknown>();
  const add = (one: unknown): void => {
    if (typeof one === 'string') keys.set(one, 1);
    else if (one instanceof Map)
      for (const [path, direction] of one as ReadonlyMap<string, unknown>) keys.set(path, direction);
    else if (Array.isArray(one)) {
      const [path, direction] = one as readonly unknown[];
      if (one.length === 2 && typeof path === 'string' && isDirection(direction)) keys.set(path, direction);
      else one.forEach(add);
    } else if (typeof one === 'object' && one !== null)
      for (const [path, direction] of Object.entries(one)) keys.set(path, direction);
  };
  add(specification);
  if (keys.size === 0) throw new MongoInvalidArgumentError('An index needs at least one key, such as { name: 1 }.');
  return keys;
};

const isDirection = (value: unknown): boolean =>
  typeof value === 'number' || ['text', '2d', '2dsphere', 'hashed', 'geoHaystack'].includes(value as string);

const fields = [
  ...['name', 'background', 'unique', 'sparse', 'hidden', 'expireAfterSeconds', 'partialFilterExpression'],
  ...['wildcardProjection', 'collation', 'storageEngine', 'version'],
  ...['weights', 'default_language', 'language_override', 'textIndexVersion'],
  ...['2dsphereIndexVersion', 'bits', 'min', 'max', 'bucketSize'],
] as const satisfies readonly (keyof IndexDescription)[];

const known: ReadonlySet<string> = new Set(fields);
/** The server's names of options. */
const renamed: Readonly<Record<string, string>> = {
  version: 'v',
  defaultLanguage: 'default_language',
  languageOverride: 'language_override',
};

/**
 * Returns the options that belong to the index, without those of the command or the driver.
 * @param sendsUnknown whether to include options that the driver does not list
 */
export const indexFields = (options: Omit<IndexDescription, 'key'>, sendsUnknown: boolean): Document => {
  const index: Document = {};
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && (sendsUnknown || known.has(name))) index[renamed[name] ?? name] = value as unknown;
  return index;
};
