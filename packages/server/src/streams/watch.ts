import { dbOf, nameOf } from '@tessera/store';
import { internalDatabases } from '../engine/database.js';
import type { Op } from '../log/op.js';

/** The namespaces that a change stream watches. */
export type Watch =
  | { readonly kind: 'collection'; readonly ns: string }
  | { readonly kind: 'database'; readonly db: string }
  /** All databases except the internal ones. */
  | { readonly kind: 'cluster' };

const isSystem = (ns: string): boolean => /^(?:\$|system\.)/.test(nameOf(ns));

/** Whether operations on the collection concern the stream. */
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

/** Whether the operation is one on a view. */
const isOnView = (op: Op): boolean =>
  (op.kind === 'create' && op.made.uuid === undefined) ||
  (op.kind === 'drop' && op.dropped.uuid === undefined) ||
  (op.kind === 'modify' && op.after.uuid === undefined);

/** Whether the stream reports the operation. A stream on a collection does not report operations on views. A stream on a collection does not report the drop of its database. */
export const concerns = (watch: Watch, op: Op): boolean => {
  switch (op.kind) {
    case 'noop':
      return false;
    case 'dropDatabase':
      return watch.kind === 'database' ? op.db === watch.db : watch.kind === 'cluster' && !internalDatabases.has(op.db);
    case 'rename':
      return watches(watch, op.ns) || watches(watch, op.to);
    default:
      return watches(watch, op.ns) && !(watch.kind === 'collection' && isOnView(op));
  }
};

/** Whether the stream ends with the operation. */
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
