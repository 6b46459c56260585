import type { Clock, Millis, Random, Soon } from '@tessera/contracts';
import type { Doc, Value, Version } from '@tessera/mql/engine';
import { BinaryValue, Naps, ObjectIdValue, fail, parseWhere } from '@tessera/mql/engine';
import type { Author } from '../log/entry.js';
import type { Op } from '../log/op.js';
import { Cursors } from './cursors.js';
import type { DatabaseValue } from './database.js';
import { Draft, emptyDatabase } from './database.js';
import { ExpiryWatch, hasExpiring, sweepExpired } from './expiry.js';
import type { Commit, History } from './history.js';
import { Journal } from './journal.js';
import { Operations } from './operations.js';
import { Parameters } from './parameters.js';
import type { SessionWrites } from './session-writes.js';
import type { SessionKey } from './sessions.js';
import { Sessions } from './sessions.js';
import { Transactions } from '../txn/transactions.js';
import { Watchers } from './watchers.js';

export interface EngineDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface EngineOptions {
  readonly version: Version;
  readonly parameters: Readonly<Record<string, boolean | number>>;
  readonly journalInterval: Millis;
  /** {@link ServerOptions.oplogSizeMB} */
  readonly oplogSizeMB: number;
}

/** Rule: Driver Sessions, "logicalSessionTimeoutMinutes". */
export const sessionTimeoutMinutes = 30;

const sessionTimeout: Millis = sessionTimeoutMinutes * 60_000;

/** How often expired sessions are looked for, at the next command of a session: as often as mongod does. */
const sessionSweep: Millis = 300_000;

/** Where the committed data outlives a crash. */
export interface DataDisk {
  /** The data that survives a crash. */
  readonly saved: DatabaseValue;
  /** Committed data cannot be saved at present. */
  readonly isFailing: boolean;
  /** Called when more is saved than before. */
  onSaved: (() => void) | undefined;
  /** @throws CommandError 14031, 39 as long as committed data cannot be saved */
  check(): void;
  /** Called after every commit. */
  committed(): void;
  /** Everything committed so far survives a crash when this has settled. @throws CommandError 14031, 39 */
  flush(): Soon<void>;
}

/** The data, who reads and who writes it. All writing is synchronous, and a command reads one value from beginning to end. */
export class Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly version: Version;
  readonly parameters: Parameters;
  /** How many bytes of memory a member's log may take. */
  readonly oplogBytes: number;
  readonly cursors: Cursors;
  readonly sessions: Sessions = new Sessions();
  readonly transactions: Transactions = new Transactions(this);
  readonly operations: Operations = new Operations();
  startedAt: Millis;
  readonly expiry: ExpiryWatch;
  /** What the scripts of the command in hand sleep. */
  readonly naps: Naps = new Naps();
  /** What `$where` is here. */
  readonly where: (argument: Value) => (doc: Doc) => boolean = argument =>
    parseWhere(argument, this.version, this.naps);
  /** Undefined: nothing is written down. */
  history: History | undefined;
  /** Undefined: the data is in memory alone. */
  disk: DataDisk | undefined;
  /** Called when more than before outlives a crash, which takes its time where there is a disk. */
  onSaved: (() => void) | undefined;
  #value: DatabaseValue = emptyDatabase;
  readonly #journal: Journal;
  #sweptAt: Millis;
  readonly #watchers = new Watchers();
  readonly #processId: Uint8Array;
  #nextId: number;

  /**
   * @throws RangeError if `oplogSizeMB` is not a finite number of at least 1, or if the version does not know one of the
   * `parameters` or does not allow its value
   */
  constructor(deps: EngineDeps, options: EngineOptions) {
    this.clock = deps.clock;
    this.random = deps.random;
    this.version = options.version;
    this.parameters = new Parameters(options.version, options.parameters);
    if (!(options.oplogSizeMB >= 1 && options.oplogSizeMB < Number.POSITIVE_INFINITY))
      throw new RangeError(`oplogSizeMB must be a number of megabytes, at least 1: it is ${options.oplogSizeMB}.`);
    this.oplogBytes = options.oplogSizeMB * 0x10_0000;
    this.cursors = new Cursors(deps, this.parameters);
    this.startedAt = deps.clock.now();
    this.#sweptAt = this.startedAt;
    this.#journal = new Journal(options.journalInterval, emptyDatabase);
    this.expiry = new ExpiryWatch(deps.clock, this.parameters, () => sweepExpired(this));
    this.#processId = deps.random.bytes(5);
    this.#nextId = Math.floor(deps.random.unit() * 0x1000000);
  }

  /** What is committed. */
  get value(): DatabaseValue {
    return this.#value;
  }

  /** Makes the next value and commits it; if the work throws, nothing has changed. */
  change<T>(what: string, work: (draft: Draft) => T, author?: Author): T {
    const draft = new Draft(this.#value, { for: what }, this.history !== undefined, this.transactions.guard);
    const result = work(draft);
    const value = draft.finish();
    if (value !== this.#value) this.commit({ value, ops: draft.ops, author, transaction: false, at: undefined });
    return result;
  }

  /** What does nothing that is to be written down, as the profiler, has no place in the history. */
  commit(commit: Commit): void {
    // What is decided is not refused: whoever decides has asked before.
    if (commit.value !== this.#value && commit.at === undefined) this.disk?.check();
    this.naps.settle();
    this.#journal.committed(this.#value, this.clock.now());
    const history = commit.ops.length === 0 ? undefined : this.history;
    this.#value = history === undefined ? commit.value : history.record(commit);
    this.disk?.committed();
    history?.recorded();
    this.#watchers.wake();
  }

  /** The data is that of another member, or what it was before: it outlives a crash from now on. */
  adopt(value: DatabaseValue): void {
    this.#value = value;
    void this.flush();
    this.#watchers.wake();
  }

  /** A place in the history at which nothing happens. */
  noop(message: string): void {
    this.note({ kind: 'noop', message });
  }

  /** Something has a place in the history that leaves the data as it is. */
  note(op: Op): void {
    this.commit({ value: this.#value, ops: [op], author: undefined, transaction: false, at: undefined });
  }

  /** What would be left if the process were gone now. */
  get durable(): DatabaseValue {
    return this.disk?.saved ?? this.#journal.saved(this.#value, this.clock.now());
  }

  /** All that is committed outlives a crash when this has settled. @throws CommandError 14031, 39 */
  flush(): Soon<void> {
    this.#journal.flush(this.#value);
    return this.disk?.flush();
  }

  /** Begins with what a disk has, and keeps on it what is committed. */
  load(disk: DataDisk): void {
    this.disk = disk;
    disk.onSaved = () => this.onSaved?.();
    this.#value = disk.saved;
    this.#journal.flush(this.#value);
    if (hasExpiring(this.#value)) this.expiry.start();
  }

  /** The session is known to have come so far, although it wrote nothing that is to be remembered. */
  noteWrites(session: SessionKey, writes: SessionWrites): void {
    this.#value = { ...this.#value, writes: this.#value.writes.set(session, writes, { for: 'a transaction number' }) };
  }

  /** @param lsid that has been checked by `sessionKeyOf` */
  useSession(session: SessionKey, lsid: Doc): void {
    const now = this.clock.now();
    if (now - this.#sweptAt >= sessionSweep) {
      this.#sweptAt = now;
      this.#expireSessions();
    }
    if (this.sessions.used(session, lsid, this.clock.wallTime())) return;
    for (const forgotten of this.sessions.overflow()) this.endSession(forgotten);
  }

  /** Its cursors are closed, its transaction is aborted. What it wrote is remembered until it would have expired: a late message may still come. */
  endSession(session: SessionKey): void {
    this.transactions.abort(session);
    this.operations.interrupt(operation => operation.session === session);
    this.cursors.killOf(session);
    this.sessions.end(session);
  }

  /** Ends the sessions of the user with this digest. */
  endSessionsOf(user: string): void {
    for (const session of this.sessions.of(user)) this.endSession(session);
  }

  #expireSessions(): void {
    const oldest = this.clock.wallTime() - sessionTimeout;
    for (const session of this.sessions.unusedSince(oldest)) this.endSession(session);
    let { writes } = this.#value;
    const edit = { for: 'expired sessions' };
    for (const [session, { writtenAt }] of this.#value.writes) {
      if (writtenAt <= oldest && !this.sessions.has(session)) writes = writes.delete(session, edit);
    }
    if (writes !== this.#value.writes) this.#value = { ...this.#value, writes };
  }

  /** Calls back once, after the next commit. Returns the way to take that back. */
  onceChanged(wake: () => void): () => void {
    return this.#watchers.once(wake);
  }

  newObjectId(): ObjectIdValue {
    const bytes = new Uint8Array(12);
    new DataView(bytes.buffer).setUint32(0, Math.floor(this.clock.wallTime() / 1000) >>> 0);
    bytes.set(this.#processId, 4);
    this.#nextId = (this.#nextId + 1) & 0xffffff;
    bytes[9] = this.#nextId >>> 16;
    bytes[10] = (this.#nextId >>> 8) & 0xff;
    bytes[11] = this.#nextId & 0xff;
    return new ObjectIdValue(bytes);
  }

  newUuid(): BinaryValue {
    const bytes = this.random.bytes(16).slice();
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return new BinaryValue(4, bytes);
  }

  endAllSessions(): void {
    this.transactions.abortAll();
    this.operations.interrupt(({ session }) => session !== undefined);
    this.sessions.clear();
    this.cursors.killAllOfSessions();
  }

  /** The process is gone: what was in its memory is lost, and of the data what had not been journaled. */
  crash(): void {
    this.#value = this.#journal.recovered(this.#value, this.clock.now());
    this.cursors.clear();
    this.sessions.clear();
    this.close();
    this.parameters.reset();
  }

  /** A new process begins with what the journal has. */
  restart(): void {
    this.startedAt = this.clock.now();
    this.#sweptAt = this.startedAt;
    if (hasExpiring(this.#value)) this.expiry.start();
  }

  /** Stops what runs by itself. */
  close(): void {
    this.transactions.abortAll();
    this.operations.interrupt(() => true, fail('InterruptedAtShutdown', 'interrupted at shutdown'));
    this.cursors.close();
    this.expiry.stop();
    this.#watchers.wake();
  }
}
