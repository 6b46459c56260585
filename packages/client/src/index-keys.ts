import type { Document } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import type { CreateIndexesOptions, IndexSpecification } from './types/indexes.js';

/** The keys of an index in any of the forms that are taken, in their order. */
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

const commandOnly = new Set([
  'session',
  'signal',
  'timeoutMS',
  'readPreference',
  'readConcern',
  'writeConcern',
  'commitQuorum',
  'comment',
  'maxTimeMS',
]);

/** The options that belong to the index, not to the command. */
export const indexFields = (options: CreateIndexesOptions): Document =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !commandOnly.has(name)));
