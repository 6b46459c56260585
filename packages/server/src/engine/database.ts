import type { Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { Collection, DatabaseValue, Edit, Namespace, SessionWrites } from '@tessera/store';
import { isView, memoryIn } from '@tessera/store';
import type { Described, Op } from '../log/op.js';
import type { RowWrite } from '../txn/claims.js';
import { bucketsAt } from './buckets.js';
import type { SessionKey } from './sessions.js';

/** Databases that every server has for its own data. */
export const internalDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

const described = (namespace: Namespace): Described => {
  const { ns, options } = namespace.settings;
  if (isView(namespace)) return { ns, uuid: undefined, options, indexes: [] };
  const indexes = namespace.indexes.map(({ definition }) => definition.spec);
  return { ns, uuid: namespace.settings.uuid, options, indexes };
};

/** Checks writes before they are committed. If a method throws, nothing is committed. */
export interface Guard {
  row(write: RowWrite): void;
  /** Called before an index is created. */
  indexed(collection: Collection): void;
  noted(op: Op): void;
}

/** The next value of the data, while a command changes it. Other commands do not see it until it is committed. */
export class Draft {
  readonly #base: DatabaseValue;
  #edit: Edit;
  /** The changed namespaces; undefined for a dropped one. */
  #changed = new Map<string, Namespace | undefined>();
  #written: { readonly session: SessionKey; readonly writes: SessionWrites } | undefined;
  readonly #ops: Op[] | undefined;
  /** Undefined: writes are not checked. */
  readonly guard: Guard | undefined;
  /** The numbers of documents that were written. */
  inserted = 0;
  updated = 0;
  deleted = 0;

  /** @param logged whether to record operations for the oplog, see {@link note} */
  constructor(base: DatabaseValue, edit: Edit, logged: boolean, guard?: Guard) {
    this.#base = base;
    this.#edit = edit;
    this.#ops = logged ? [] : undefined;
    this.guard = guard;
  }

  /** Whether operations are recorded for the oplog. */
  get logged(): boolean {
    return this.#ops !== undefined;
  }

  /** The operations recorded so far. */
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

  /** Returns a function that reverts all later changes. */
  checkpoint(): () => void {
    const changed = new Map(this.#changed);
    const noted = this.ops.length;
    // Objects created before the checkpoint must no longer be changed in place.
    this.#edit = { for: this.#edit.for };
    return () => {
      this.#changed = changed;
      this.#ops?.splice(noted);
    };
  }

  /** Adds a session's write history to the value, together with the data that it wrote. */
  remember(session: SessionKey, writes: SessionWrites): void {
    this.#written = { session, writes };
  }

  get(ns: string): Namespace | undefined {
    return this.#changed.has(ns) ? this.#changed.get(ns) : this.#base.namespaces.get(ns);
  }

  /** Sets the next version of a namespace: for buckets, that of the time series. */
  set(namespace: Namespace): void {
    const stored = isView(namespace) ? namespace : (namespace.series ?? namespace);
    this.#changed.set(stored.settings.ns, stored);
  }

  /** Adds a new collection or view. */
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

  /** @param renamed the collection under its new name, in place of any collection that had that name */
  rename(ns: string, renamed: Namespace): void {
    const to = renamed.settings.ns;
    const dropped = this.get(to);
    this.#changed.set(ns, undefined);
    this.set(renamed);
    this.note({ kind: 'rename', ns, to, renamed: described(renamed), dropped: dropped && described(dropped) });
  }

  /** Replaces the definition of a namespace, as `collMod` does. */
  modify(before: Namespace, after: Namespace, change: Doc): void {
    this.set(after);
    this.note({ kind: 'modify', ns: after.settings.ns, before: described(before), after: described(after), change });
  }

  /** Returns the collection, if it exists. @throws CommandError 166 for a view */
  collection(ns: string): Collection | undefined {
    const namespace = this.get(ns);
    if (isView(namespace)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
    return namespace;
  }

  /** Returns the collection with these documents, which may be the buckets of a time series. @throws CommandError 166 */
  documents(ns: string): Collection | undefined {
    return this.collection(ns) ?? bucketsAt(name => this.get(name), ns);
  }

  /** The approximate bytes of memory by which the data grows. Negative if it shrinks. */
  get growth(): number {
    let growth = 0;
    for (const [ns, after] of this.#changed) growth += memoryIn(after) - memoryIn(this.#base.namespaces.get(ns));
    return growth;
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
