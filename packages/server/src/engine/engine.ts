import type { Clock, Millis, Random, Soon } from '@tessera/contracts';
import type { Doc, Value, Version } from '@tessera/mql/engine';
import { BinaryValue, ObjectIdValue, Scripts, fail, parseWhere } from '@tessera/mql/engine';
import type { DatabaseValue, SessionWrites } from '@tessera/store';
import { emptyDatabase } from '@tessera/store';
import type { Author } from '../log/entry.js';
import type { Op } from '../log/op.js';
import { Cursors } from './cursors.js';
import type { OpenChange } from './data.js';
import { Draft } from './database.js';
import { ExpiryWatch, hasExpiring, sweepExpired } from './expiry.js';
import type { Commit, History } from './history.js';
import { loadedJavaScript } from './javascript.js';
import { Journal } from './journal.js';
import { MemoryLimit } from './memory-limit.js';
import { Operations } from './operations.js';
import { Parameters } from './parameters.js';
import type { SessionKey } from './sessions.js';
import { Sessions } from './sessions.js';
import { Transactions } from '../txn/transactions.js';
import type { DocumentCounts } from './usage.js';
import { addWritten, noDocuments } from './usage.js';
import type { Loading } from './loading.js';
import { Watchers } from './watchers.js';

export interface EngineDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly host?: Loading['host'];
}

export interface EngineOptions {
  readonly version: Version;
  readonly parameters: Readonly<Record<string, boolean | number>>;
  readonly journalInterval: Millis;
  /** {@link ServerOptions.oplogSizeMB} */
  readonly oplogSizeMB: number;
  /** {@link ServerOptions.memoryLimitMB} */
  readonly memoryLimitMB: number;
}

/** Rule: Driver Sessions, "logicalSessionTimeoutMinutes". */
export const sessionTimeoutMinutes = 30;

const sessionTimeout: Millis = sessionTimeoutMinutes * 60_000;

/**
 * How often the server looks for expired sessions, in milliseconds, as in mongod. It looks when a command uses a
 * session.
 */
const sessionSweep: Millis = 300_000;

/** Persistent storage, from which committed data is restored after a crash. */
export interface DataDisk {
  /** The data that survives a crash. */
  readonly saved: DatabaseValue;
  /** Whether committed data cannot be saved at present. */
  readonly isFailing: boolean;
  /** Called after more data was saved. */
  onSaved: (() => void) | undefined;
  /** Checks that data can be saved. @throws CommandError 14031, 39 while committed data cannot be saved */
  check(): void;
  /** Called after every commit. */
  committed(): void;
  /** Resolves once all data committed so far survives a crash. @throws CommandError 14031, 39 */
  flush(): Soon<void>;
}

/**
 * The data of a server, with its cursors, sessions and transactions. Writes are synchronous, and a command reads one
 * value from start to end.
 */
export class Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly host: Loading['host'];
  readonly version: Version;
  readonly parameters: Parameters;
  /** The maximum memory of a member's oplog, in bytes. */
  readonly oplogBytes: number;
  /** The maximum memory of documents and indexes. */
  readonly memory: MemoryLimit;
  readonly cursors: Cursors;
  readonly sessions: Sessions = new Sessions();
  readonly transactions: Transactions = new Transactions(this);
  readonly operations: Operations = new Operations();
  startedAt: Millis;
  /** The wall clock's time at the start, in milliseconds since 1970. */
  startedAtWall: Millis;
  /** The documents that commands have written or returned since the start. */
  readonly documents: DocumentCounts = noDocuments();
  readonly expiry: ExpiryWatch;
  /** Runs JavaScript, once its engine is loaded. */
  readonly scripts: Scripts;
  /** Compiles the argument of `$where`. */
  readonly where: (argument: Value) => (doc: Doc) => boolean = argument =>
    parseWhere(argument, this.version, this.scripts);
  /** The end of a change that lasts while other commands run. Other writes wait for it. */
  writing: Promise<unknown> | undefined;
  /** Undefined: commits are not recorded in an oplog. */
  history: History | undefined;
  /** Undefined: the data is in memory only. */
  disk: DataDisk | undefined;
  /** Called after more data became durable. With a disk, that happens some time after the commit. */
  onSaved: (() => void) | undefined;
  #value: DatabaseValue = emptyDatabase;
  readonly #journal: Journal;
  #sweptAt: Millis;
  readonly #watchers = new Watchers();
  readonly #processId: Uint8Array;
  #nextId: number;

  /**
   * @throws RangeError if `oplogSizeMB` is not a finite number of at least 1, or if the version does not have one of
   * the `parameters` or does not allow its value
   */
  constructor(deps: EngineDeps, options: EngineOptions) {
    this.clock = deps.clock;
    this.random = deps.random;
    this.host = deps.host;
    this.version = options.version;
    this.scripts = new Scripts({
      now: () => deps.clock.wallTime(),
      random: () => deps.random.unit(),
      version: options.version.text,
    });
    const javaScript = loadedJavaScript();
    if (javaScript !== undefined) this.scripts.use(javaScript);
    this.parameters = new Parameters(options.version, options.parameters);
    if (!(options.oplogSizeMB >= 1 && options.oplogSizeMB < Number.POSITIVE_INFINITY))
      throw new RangeError(`"oplogSizeMB" must be a number of megabytes of at least 1, but is ${options.oplogSizeMB}.`);
    this.oplogBytes = options.oplogSizeMB * 0x10_0000;
    this.memory = new MemoryLimit(options.memoryLimitMB);
    this.cursors = new Cursors(deps, this.parameters);
    this.startedAt = deps.clock.now();
    this.startedAtWall = deps.clock.wallTime();
    this.#sweptAt = this.startedAt;
    this.#journal = new Journal(options.journalInterval, emptyDatabase);
    this.expiry = new ExpiryWatch(deps.clock, this.parameters, () => sweepExpired(this));
    this.#processId = deps.random.bytes(5);
    this.#nextId = Math.floor(deps.random.unit() * 0x1000000);
  }

  /** The newest committed data. */
  get value(): DatabaseValue {
    return this.#value;
  }

  /** Commits the changes of `work`. If `work` throws, nothing changes. */
  change<T>(what: string, work: (draft: Draft) => T, author?: Author): T {
    const draft = new Draft(this.#value, { for: what }, this.history !== undefined, this.transactions.guard);
    const result = work(draft);
    this.#finish(what, draft, author);
    return result;
  }

  #finish(what: string, draft: Draft, author: Author | undefined): void {
    addWritten(this.documents, draft);
    const value = draft.finish();
    if (value === this.#value) return;
    this.memory.check(what, this.#value, value, draft.growth);
    this.commit({ value, ops: draft.ops, author, transaction: false, at: undefined });
  }

  begin(what: string, author?: Author): OpenChange {
    const [value, { claims }] = [this.#value, this.transactions];
    const draft = new Draft(value, { for: what }, this.history !== undefined, this.transactions.guard);
    return {
      draft,
      isCurrent: () => this.#value === value && this.transactions.claims === claims,
      commit: () => this.#finish(what, draft, author),
    };
  }

  /** Commits a value. Changes without operations, as those of the profiler, are not recorded in the oplog. */
  commit(commit: Commit): void {
    // A commit at a decided time must not fail: its coordinator has checked before.
    if (commit.value !== this.#value && commit.at === undefined) this.disk?.check();
    this.scripts.sleep.requireElapsed();
    this.#journal.committed(this.#value, this.clock.now());
    const history = commit.ops.length === 0 ? undefined : this.history;
    this.#value = history === undefined ? commit.value : history.record(commit);
    this.disk?.committed();
    history?.recorded();
    this.#watchers.wake();
  }

  /** Replaces the data by that of another member, or by an earlier value, and makes it durable. */
  adopt(value: DatabaseValue): void {
    this.#value = value;
    void this.flush();
    this.#watchers.wake();
  }

  /** Adds a no-op entry to the oplog. */
  noop(message: string): void {
    this.note({ kind: 'noop', message });
  }

  /** Adds an oplog entry that does not change the data. */
  note(op: Op): void {
    this.commit({ value: this.#value, ops: [op], author: undefined, transaction: false, at: undefined });
  }

  /** The data that would remain after a crash at this moment. */
  get durable(): DatabaseValue {
    return this.disk?.saved ?? this.#journal.saved(this.#value, this.clock.now());
  }

  /** Resolves once all committed data survives a crash. @throws CommandError 14031, 39 */
  flush(): Soon<void> {
    this.#journal.flush(this.#value);
    return this.disk?.flush();
  }

  /** Starts with the data of a disk, and saves all later commits to it. */
  load(disk: DataDisk): void {
    this.disk = disk;
    disk.onSaved = () => this.onSaved?.();
    this.#value = disk.saved;
    this.#journal.flush(this.#value);
    if (hasExpiring(this.#value)) this.expiry.start();
  }

  /** Records a session's transaction number although the command wrote nothing. */
  noteWrites(session: SessionKey, writes: SessionWrites): void {
    this.#value = { ...this.#value, writes: this.#value.writes.set(session, writes, { for: 'a transaction number' }) };
  }

  /** @param lsid a session id checked by `sessionKeyOf` */
  useSession(session: SessionKey, lsid: Doc): void {
    const now = this.clock.now();
    if (now - this.#sweptAt >= sessionSweep) {
      this.#sweptAt = now;
      this.#expireSessions();
    }
    if (this.sessions.used(session, lsid, this.clock.wallTime())) return;
    for (const forgotten of this.sessions.overflow()) this.endSession(forgotten);
  }

  /**
   * Ends a session: closes its cursors and aborts its transaction. Its write history remains until the session would
   * have expired, because a delayed retry may still arrive.
   */
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

  /** Calls `wake` once, after the next commit. Returns a function that cancels the callback. */
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

  /** Simulates a crash: memory is lost, and so is data that is not in the journal. */
  crash(): void {
    this.#value = this.#journal.recovered(this.#value, this.clock.now());
    this.cursors.clear();
    this.sessions.clear();
    this.close();
    this.parameters.reset();
  }

  /** Starts a new process with the journaled data. */
  restart(): void {
    this.startedAt = this.clock.now();
    this.startedAtWall = this.clock.wallTime();
    Object.assign(this.documents, noDocuments());
    this.#sweptAt = this.startedAt;
    if (hasExpiring(this.#value)) this.expiry.start();
  }

  /** Stops background work. */
  close(): void {
    this.transactions.abortAll();
    this.operations.interrupt(() => true, fail('InterruptedAtShutdown', 'interrupted at shutdown'));
    this.cursors.close();
    this.expiry.stop();
    this.#watchers.wake();
  }
}
