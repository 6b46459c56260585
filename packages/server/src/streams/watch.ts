import { internalDatabases } from '../engine/database.js';
import type { Op } from '../log/op.js';
import { dbOf, nameOf } from '../store/collection.js';

/** What a change stream watches. */
export type Watch =
  | { readonly kind: 'collection'; readonly ns: string }
  | { readonly kind: 'database'; readonly db: string }
  /** All databases but those of the server itself. */
  | { readonly kind: 'cluster' };

const isSystem = (ns: string): boolean => /^(?:\$|system\.)/.test(nameOf(ns));

/** Whether what happens to that collection belongs to the stream. */
const watches = (watch: Watch, ns: string): boolean => {
  switch (watch.kind) {
    case 'collection':
      return ns === watch.ns;
    case 'database':
      return dbOf(ns) === watch.db && !isSystem(ns);
    case 'cluster':
      return !internalDatabases.has(dbOf(ns)) && !isSystem(ns);
  }
};

/** Whether the stream tells of it. The end of a database is no matter of a stream on one of its collections. */
export const concerns = (watch: Watch, op: Op): boolean => {
  switch (op.kind) {
    case 'noop':
      return false;
    case 'dropDatabase':
      return watch.kind === 'database' ? op.db === watch.db : watch.kind === 'cluster' && !internalDatabases.has(op.db);
    case 'rename':
      return watches(watch, op.ns) || watches(watch, op.to);
    default:
      return watches(watch, op.ns);
  }
};

/** Whether the stream ends with it. */
export const invalidates = (watch: Watch, op: Op): boolean => {
  switch (watch.kind) {
    case 'collection':
      return op.kind === 'drop' || op.kind === 'rename';
    case 'database':
      return op.kind === 'dropDatabase';
    case 'cluster':
      return false;
  }
};
