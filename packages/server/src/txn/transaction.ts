import type { Millis } from '@tessera/contracts';
import type { CommandError, Scripts, Version } from '@tessera/mql/engine';
import { fail, isAtLeast } from '@tessera/mql/engine';
import type { Collection, DatabaseValue } from '@tessera/store';
import { dbOf, nameOf, recordKey, isSameCatalog, isView } from '@tessera/store';
import type { Data } from '../engine/data.js';
import type { Guard } from '../engine/database.js';
import { Draft, internalDatabases } from '../engine/database.js';
import type { MemoryLimit } from '../engine/memory-limit.js';
import { Watchers } from '../engine/watchers.js';
import type { Author } from '../log/entry.js';
import type { Op } from '../log/op.js';
import type { Ending } from './blocked.js';
import type { RowWrite, UniqueKey } from './claims.js';
import { claimOfKey, claimOfNamespace, claimOfRecord, uniqueKeysOf } from './claims.js';
import { catalogConflict, conflict } from './conflict.js';
import { isTransient } from './transient.js';
import type { Pending } from './pending.js';
import type { DocumentCounts } from '../engine/usage.js';
import { addWritten } from '../engine/usage.js';

const notIn = (message: string): Error => fail('OperationNotSupportedInTransaction', message);

/** The newest data, with which a transaction may conflict. */
export interface Head {
  readonly value: DatabaseValue;
  readonly version: Version;
  /** The documents that commands have written. */
  readonly documents: DocumentCounts;
  /** The maximum memory of documents and indexes. */
  readonly memory: Pick<MemoryLimit, 'check'>;
  readonly scripts: Pick<Scripts, 'sleep'>;
}

/** The settings with which a transaction starts. */
export interface Beginning {
  /** The data that it reads. */
  readonly base: DatabaseValue;
  /** The Stable API fields of the first statement. */
  readonly api: string;
  /** The level of the read concern. */
  readonly level: string;
  /** The time after which it is aborted, in milliseconds: `transactionLifetimeLimitSeconds`. */
  readonly lifetime: Millis;
}

/** Checks that transactions can write to the collection. @throws CommandError 263, 50791 */
const checkWritable = ({ settings: { ns, capped, timeSeries } }: Collection): void => {
  if (timeSeries !== undefined)
    throw notIn(`Cannot write to time-series collection ${ns} in a multi-document transaction.`);
  if (capped !== undefined) {
    throw notIn(
      `Collection '${ns}' is a capped collection. Writes in transactions are not allowed on capped collections.`,
    );
  }
  if (nameOf(ns).startsWith('system.'))
    throw fail(50791, `Cannot write to system collection ${ns} within a transaction.`);
  if (internalDatabases.has(dbOf(ns))) throw notIn(`Cannot perform writes against ${ns} in a transaction.`);
};

const collectionOf = ({ namespaces }: DatabaseValue, ns: string): Collection | undefined => {
  const namespace = namespaces.get(ns);
  return isView(namespace) ? undefined : namespace;
};

/** Returns the record with a key of a unique index. */
const holderOf = ({ indexes }: Collection, { index, key }: UniqueKey): string | undefined =>
  indexes.find(({ definition }) => definition.name === index)?.entries.get(key);

/**
 * The data that the statements of a transaction read and write: a snapshot taken by the first statement, and the
 * transaction's own writes. The first of two conflicting writers wins, and the other transaction has to be retried.
 */
export class Transaction implements Data, Guard, Ending {
  readonly author: Author;
  readonly base: DatabaseValue;
  readonly api: string;
  readonly level: string;
  readonly ops: Op[] = [];
  /** The written records by namespace. The keys of records that the transaction inserted may also be used by others. */
  readonly touched: Map<string, Set<string>> = new Map<string, Set<string>>();
  readonly #head: Head;
  readonly #pending: Pending<Ending>;
  readonly #watchers = new Watchers();
  /** Whether the first statement has not completed yet. */
  isFresh: boolean = true;
  #view: DatabaseValue;
  #hasFailed = false;

  constructor(head: Head, pending: Pending<Ending>, author: Author, { base, api, level }: Beginning) {
    this.author = author;
    this.base = base;
    this.api = api;
    this.level = level;
    this.#head = head;
    this.#pending = pending;
    this.#view = base;
  }

  get value(): DatabaseValue {
    return this.#view;
  }

  /** Whether a statement of a batch has failed, although the command's reply has `ok: 1`. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  change<T>(what: string, work: (draft: Draft) => T): T {
    const draft = new Draft(this.#view, { for: what }, true, this);
    const result = work(draft);
    addWritten(this.#head.documents, draft);
    if (this.#hasFailed) return result;
    this.#head.scripts.sleep.requireElapsed();
    const view = draft.finish();
    this.#head.memory.check(what, this.#view, view, draft.growth);
    for (const op of draft.ops) this.ops.push(op);
    this.#view = view;
    return result;
  }

  /**
   * Ends a batch after a failed statement. Errors that require a retry of the transaction fail the whole command.
   * @throws the error, if it is transient
   */
  failed(error: CommandError): 'stop' {
    this.#hasFailed = true;
    if (isTransient(error.code)) throw error;
    return 'stop';
  }

  /**
   * Notes the use of a namespace, whose definition must not change until the transaction ends. Servers before 7.0 only
   * have the newest definitions.
   * @throws CommandError 246 if the definition has changed since the transaction started
   */
  use(ns: string): void {
    const [head, base] = [this.#head.value.namespaces.get(ns), this.base.namespaces.get(ns)];
    if (!isAtLeast(this.#head.version, '7.0') && !isSameCatalog(head, base))
      throw catalogConflict(ns, this.#head.version);
    this.#pending.use(ns, this);
  }

  /** Checks a write, and claims what it writes. @throws CommandError 112, 246, 263 */
  row(write: RowWrite): void {
    const { collection, record } = write;
    checkWritable(collection);
    const { ns } = collection.settings;
    const base = collectionOf(this.base, ns);
    if (base !== undefined) {
      const head = this.#unchanged(ns, base);
      this.#checkFree(ns, claimOfNamespace(ns));
      if (record !== undefined && base.records.get(record) !== undefined) {
        this.#claim(ns, claimOfRecord(ns, record));
        if (head.records.get(record) !== base.records.get(record)) throw conflict();
      }
      for (const key of uniqueKeysOf(write)) {
        this.#claim(ns, claimOfKey(ns, key));
        if (holderOf(head, key) !== holderOf(base, key)) throw conflict();
      }
    }
    const touched = this.touched.get(ns) ?? new Set();
    this.touched.set(ns, touched.add(record ?? recordKey(collection.nextRecord)));
  }

  /** Returns the newest version of a collection that existed when the transaction started. */
  #unchanged(ns: string, base: Collection): Collection {
    const head = collectionOf(this.#head.value, ns);
    if (head === undefined || !isSameCatalog(head, base)) throw catalogConflict(ns, this.#head.version);
    return head;
  }

  #checkFree(ns: string, claim: string): void {
    const owner = this.#pending.ownerOf(claim);
    if (owner !== undefined && owner !== this) throw conflict();
  }

  #claim(ns: string, claim: string): void {
    this.#checkFree(ns, claim);
    this.#pending.claim(ns, claim, this);
  }

  /**
   * Checks that an index may be created.
   * @throws CommandError 263 unless the transaction created the collection and it is empty
   */
  indexed({ settings: { ns }, records }: Collection): void {
    const kind = this.base.namespaces.get(ns) !== undefined ? 'existing' : records.size > 0 ? 'non-empty' : undefined;
    if (kind === undefined) return;
    throw notIn(`Cannot create new indexes on ${kind} collection ${ns} in a multi-document transaction.`);
  }

  /** Checks an operation on a namespace, and claims the namespace. @throws CommandError 112, 263 */
  noted(op: Op): void {
    if (op.kind !== 'create' && op.kind !== 'createIndexes') return;
    const { ns } = op;
    if (nameOf(ns).startsWith('system.')) throw notIn(`Cannot write to system collection ${ns} within a transaction.`);
    if (op.kind === 'create' && !isAtLeast(this.#head.version, '4.4'))
      throw notIn(`Cannot create namespace ${ns} in multi-document transaction.`);
    if (op.kind === 'create' && op.made.uuid === undefined)
      throw notIn(`Cannot create a view in a multi-document transaction.`);
    if (this.#head.value.namespaces.get(ns) !== this.base.namespaces.get(ns)) throw conflict();
    if (this.#pending.writerIn(ns, this) !== undefined) throw conflict();
    this.#claim(ns, claimOfNamespace(ns));
  }

  /**
   * Calls `wake` once, when the transaction has been committed or aborted. Returns a function that cancels the
   * callback.
   */
  onceEnded(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  /** Releases all claims, and wakes the operations that wait for them. */
  end(): void {
    this.#pending.release(this);
    this.#watchers.wake();
  }
}
