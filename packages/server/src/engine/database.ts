import type { Value } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { Described, Op } from '../log/op.js';
import type { OpTime } from '../log/op-time.js';
import type { RowWrite } from '../txn/claims.js';
import type { Collection, CollectionSettings } from '../store/collection.js';
import type { Edit } from '../store/tree.js';
import { Tree } from '../store/tree.js';
import type { SessionWrites } from './session-writes.js';
import type { SessionKey } from './sessions.js';

/** A pipeline that stands in the place of a collection. */
export interface View {
  readonly settings: Pick<CollectionSettings, 'ns' | 'options'>;
  /** Name of a collection or view of the same database. */
  readonly viewOn: string;
  readonly pipeline: readonly Value[];
}

export type Namespace = Collection | View;

export const isView = (namespace: Namespace | undefined): namespace is View =>
  namespace !== undefined && 'viewOn' in namespace;

/** Whether nothing but documents differs. */
export const isSameCatalog = (a: Namespace | undefined, b: Namespace | undefined): boolean => {
  if (a === undefined || b === undefined || isView(a) || isView(b)) return a === b;
  return (
    a.settings === b.settings &&
    a.indexes.length === b.indexes.length &&
    a.indexes.every(({ definition }, i) => definition === b.indexes[i]!.definition)
  );
};

/** All data of the server: one value that never changes. Whoever keeps one has a snapshot. */
export interface DatabaseValue {
  /** By `db.name`. */
  readonly namespaces: Tree<Namespace>;
  /** The last retryable write of each session: who goes back to a value knows again what was done in it, and nothing else. */
  readonly writes: Tree<SessionWrites>;
  /** The last entry of the log whose work is in it; undefined where there is no log. */
  readonly at: OpTime | undefined;
}

export const emptyDatabase: DatabaseValue = { namespaces: Tree.empty(), writes: Tree.empty(), at: undefined };

/** Every server has them: it keeps there what it knows of itself. */
export const internalDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/** The namespaces of one database, by name. */
export const namespacesOf = (value: DatabaseValue, db: string): readonly Namespace[] => {
  const found: Namespace[] = [];
  // '/' is the character after '.'.
  const walk = value.namespaces.walk(`${db}.`, `${db}/`);
  while (walk.next()) found.push(walk.value);
  return found;
};

/** Names of databases that have anything, in order. */
export const databasesOf = (value: DatabaseValue): readonly string[] => {
  const names = new Set<string>();
  for (const [ns] of value.namespaces) names.add(ns.slice(0, ns.indexOf('.')));
  return [...names].sort();
};

const described = (namespace: Namespace): Described => {
  const { ns, options } = namespace.settings;
  if (isView(namespace)) return { ns, uuid: undefined, options, indexes: [] };
  const indexes = namespace.indexes.map(({ definition }) => definition.spec);
  return { ns, uuid: namespace.settings.uuid, options, indexes };
};

/** Whoever minds what is written before it is committed. Each may throw: then nothing is. */
export interface Guard {
  row(write: RowWrite): void;
  /** An index is about to be made. */
  indexed(collection: Collection): void;
  noted(op: Op): void;
}

/** The next value while it is being made. Nobody else sees it before it is committed. */
export class Draft {
  readonly #base: DatabaseValue;
  #edit: Edit;
  /** Undefined: dropped. */
  #changed = new Map<string, Namespace | undefined>();
  #written: { readonly session: SessionKey; readonly writes: SessionWrites } | undefined;
  readonly #ops: Op[] | undefined;
  /** Undefined: nobody minds. */
  readonly guard: Guard | undefined;

  /** @param logged what is done is to be {@link note}d */
  constructor(base: DatabaseValue, edit: Edit, logged: boolean, guard?: Guard) {
    this.#base = base;
    this.#edit = edit;
    this.#ops = logged ? [] : undefined;
    this.guard = guard;
  }

  /** Whether somebody wants to know what is done. */
  get logged(): boolean {
    return this.#ops !== undefined;
  }

  /** What was done so far, for the log. */
  get ops(): readonly Op[] {
    return this.#ops ?? [];
  }

  note(op: Op): void {
    this.guard?.noted(op);
    this.#ops?.push(op);
  }

  get edit(): Edit {
    return this.#edit;
  }

  /** Returns the way to take back whatever changes from now on. */
  checkpoint(): () => void {
    const changed = new Map(this.#changed);
    const noted = this.ops.length;
    // What was made up to here is changed in place no more.
    this.#edit = { for: this.#edit.for };
    return () => {
      this.#changed = changed;
      this.#ops?.splice(noted);
    };
  }

  /** What a session has done becomes part of the value together with what it did. */
  remember(session: SessionKey, writes: SessionWrites): void {
    this.#written = { session, writes };
  }

  get(ns: string): Namespace | undefined {
    return this.#changed.has(ns) ? this.#changed.get(ns) : this.#base.namespaces.get(ns);
  }

  set(namespace: Namespace): void {
    this.#changed.set(namespace.settings.ns, namespace);
  }

  /** A collection or view that was not there. */
  create(made: Namespace): void {
    this.set(made);
    this.note({ kind: 'create', ns: made.settings.ns, made: described(made) });
  }

  drop(ns: string): void {
    const dropped = this.get(ns);
    if (dropped === undefined) return;
    this.#changed.set(ns, undefined);
    this.note({ kind: 'drop', ns, dropped: described(dropped) });
  }

  /** @param renamed as it is under its new name; what had that name is dropped */
  rename(ns: string, renamed: Namespace): void {
    const to = renamed.settings.ns;
    const dropped = this.get(to);
    this.#changed.set(ns, undefined);
    this.set(renamed);
    this.note({ kind: 'rename', ns, to, renamed: described(renamed), dropped: dropped && described(dropped) });
  }

  /** Another version of what is there already, as `collMod` makes it. */
  modify(before: Namespace, after: Namespace): void {
    this.set(after);
    this.note({ kind: 'modify', ns: after.settings.ns, before: described(before), after: described(after) });
  }

  /** The collection of that name, if there is one. @throws CommandError 166 if it is a view. */
  collection(ns: string): Collection | undefined {
    const namespace = this.get(ns);
    if (isView(namespace)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
    return namespace;
  }

  finish(): DatabaseValue {
    const written = this.#written;
    if (this.#changed.size === 0 && written === undefined) return this.#base;
    let { namespaces, writes } = this.#base;
    const { at } = this.#base;
    for (const [ns, namespace] of this.#changed) {
      namespaces =
        namespace === undefined ? namespaces.delete(ns, this.edit) : namespaces.set(ns, namespace, this.edit);
    }
    if (written !== undefined) writes = writes.set(written.session, written.writes, this.edit);
    return { namespaces, writes, at };
  }
}
