import type { Value } from '@tessera/mql/engine';
import type { Collection, CollectionSettings } from './collection.js';
import { memoryOf } from './memory.js';
import type { OpTime } from './op-time.js';
import type { SessionWrites } from './session-writes.js';
import { Tree } from './tree.js';

/** A view: a pipeline on a collection or another view. */
export interface View {
  readonly settings: Pick<CollectionSettings, 'ns' | 'options'>;
  /** The name of a collection or view in the same database. */
  readonly viewOn: string;
  readonly pipeline: readonly Value[];
}

export type Namespace = Collection | View;

export const isView = (namespace: Namespace | undefined): namespace is View =>
  namespace !== undefined && 'viewOn' in namespace;

/**
 * Returns the approximate memory of a namespace in bytes. The profile does not count, so that commands which free
 * memory can be recorded.
 */
export const memoryIn = (namespace: Namespace | undefined): number =>
  namespace === undefined || isView(namespace) || namespace.settings.ns.endsWith('.system.profile')
    ? 0
    : memoryOf(namespace);

/** Whether two versions of a namespace differ in nothing but documents. */
export const isSameCatalog = (a: Namespace | undefined, b: Namespace | undefined): boolean => {
  if (a === undefined || b === undefined || isView(a) || isView(b)) return a === b;
  return (
    a.settings === b.settings &&
    a.indexes.length === b.indexes.length &&
    a.indexes.every(({ definition }, i) => definition === b.indexes[i]!.definition)
  );
};

/** All data of the server, as one immutable value. A reference to it is a snapshot. */
export interface DatabaseValue {
  /** Collections and views by `db.name`. */
  readonly namespaces: Tree<Namespace>;
  /** The last retryable write of each session. As part of the value, it is restored together with the data. */
  readonly writes: Tree<SessionWrites>;
  /** The optime of the last oplog entry that the value includes; undefined without an oplog. */
  readonly at: OpTime | undefined;
}

export const emptyDatabase: DatabaseValue = { namespaces: Tree.empty(), writes: Tree.empty(), at: undefined };

/** Returns the namespaces of one database, sorted by name. */
export const namespacesOf = (value: DatabaseValue, db: string): readonly Namespace[] => {
  const found: Namespace[] = [];
  // '/' is the character after '.'.
  const walk = value.namespaces.walk(`${db}.`, `${db}/`);
  while (walk.next()) found.push(walk.value);
  return found;
};

/** Returns the names of all databases that have a namespace, sorted. */
export const databasesOf = (value: DatabaseValue): readonly string[] => {
  const names = new Set<string>();
  for (const [ns] of value.namespaces) names.add(ns.slice(0, ns.indexOf('.')));
  return [...names].sort();
};
