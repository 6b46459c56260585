import type { Chance } from '../../chance.js';
import { Blank } from './blanks.js';

const collections: Readonly<Record<string, readonly string[]>> = {
  shop: ['c', 'c', 'c', 'c', 'e', 'v', 'n', 'system.js', 'system.views', 'system.profile'],
  vault: ['c', 'c', 'v', 't', 'ts', 'system.buckets.ts', 'system.js', 'system.views', 'system.profile', 'capped'],
  store: ['open', 'open', 'open', 'hidden', 'hidden', 'n'],
  admin: ['system.users', 'system.users', 'system.roles', 'private', 'system.version', 'system.keys'],
  local: ['oplog.rs', 'private', 'startup_log', 'system.replset'],
  config: ['private', 'transactions', 'system.sessions', 'image_collection', 'databases', 'shards'],
};

const databases = [
  [5, 'shop'],
  [5, 'vault'],
  [2, 'store'],
  [2, 'admin'],
  [1, 'local'],
  [1, 'config'],
] as const;

export const databaseOf = (chance: Chance): string => chance.weighted(databases);

export const collectionIn = (chance: Chance, db: string): string => chance.pick(collections[db] ?? ['c']);

/** The collection of a command, which is sometimes given by its UUID. */
export const targetIn = (chance: Chance, db: string): unknown =>
  chance.yes(0.03) ? new Blank('secretUuid') : collectionIn(chance, db);

export const namespaceOf = (chance: Chance): string => {
  const db = databaseOf(chance);
  return `${db}.${collectionIn(chance, db)}`;
};

/** Another place: `{ db, coll }`, or a collection of the database. */
export const otherPlace = (chance: Chance, db: string): unknown => {
  if (chance.yes(0.6)) return collectionIn(chance, db);
  const other = databaseOf(chance);
  return chance.yes(0.9) ? { db: other, coll: collectionIn(chance, other) } : namespaceOf(chance);
};
