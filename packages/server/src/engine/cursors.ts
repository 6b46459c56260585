import type { Clock, Millis, Random, Timer } from '@tessera/contracts';
import type { CommandError, Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { Batches } from './batch.js';
import type { Parameters } from './parameters.js';
import type { SessionKey } from './sessions.js';

/** A cursor that a client may come back to. */
export interface Cursor {
  readonly id: bigint;
  readonly ns: string;
  /** The keys of the users who opened it; none where nobody is logged in. */
  readonly users: readonly string[];
  readonly session: SessionKey | undefined;
  /** Of the transaction in which it was opened. */
  readonly txnNumber?: bigint | undefined;
  readonly batches: Batches;
  /** Waits for more at its end instead of being done. */
  readonly tail: Tail | undefined;
  readonly noTimeout: boolean;
  /** It is a change stream, here or on a shard. */
  readonly isStream: boolean;
  /** Of the `maxTimeMS` that it was opened with, for all its batches; Infinity without. */
  timeLeft: Millis;
  lastUsed: Millis;
  /** A batch is being filled. */
  isBusy: boolean;
  /** Why it can give no more: its collection was dropped. */
  doomed: CommandError | undefined;
  /** Tells who waits for more of it that it is killed; undefined: nobody waits. */
  interrupt: (() => void) | undefined;
}

export type Tail =
  /** Of a capped collection. It is never done. */
  | { readonly kind: 'capped'; readonly awaitData: boolean }
  /** Of a change stream. It is done when the stream has been invalidated. */
  | {
      readonly kind: 'changes';
      readonly awaitData: true;
      /** Where the client may go on after what was taken: `postBatchResumeToken`. */
      readonly token: () => Doc;
      /** Calls back once, when there may be more. Returns the way to take that back. */
      readonly onceMore: (wake: () => void) => () => void;
    };

export interface CursorDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export type OpenCursor = Omit<Cursor, 'id' | 'lastUsed' | 'isBusy' | 'doomed' | 'interrupt'>;

/** One that somebody waits for is in use, however long that takes. */
const mayEnd = ({ noTimeout, session, interrupt, isBusy }: Cursor): boolean =>
  !noTimeout && session === undefined && interrupt === undefined && !isBusy;

/** Cursors by id. One that is not used for `cursorTimeoutMillis` is forgotten; those of sessions go with them. */
export class Cursors {
  readonly #deps: CursorDeps;
  readonly #parameters: Parameters;
  readonly #open = new Map<bigint, Cursor>();
  #timer: Timer | undefined;

  constructor(deps: CursorDeps, parameters: Parameters) {
    this.#deps = deps;
    this.#parameters = parameters;
  }

  get size(): number {
    return this.#open.size;
  }

  open(cursor: OpenCursor): Cursor {
    const opened: Cursor = {
      ...cursor,
      id: this.#newId(),
      lastUsed: this.#deps.clock.now(),
      isBusy: false,
      doomed: undefined,
      interrupt: undefined,
    };
    this.#open.set(opened.id, opened);
    this.#watch();
    return opened;
  }

  #newId(): bigint {
    for (;;) {
      const bytes = this.#deps.random.bytes(8);
      const id = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0) & 0x7fffffffffffffffn;
      if (id !== 0n && !this.#open.has(id)) return id;
    }
  }

  /** @throws CommandError 43 if there is none. */
  get(id: bigint): Cursor {
    const cursor = this.#open.get(id);
    if (cursor === undefined) throw fail('CursorNotFound', `cursor id ${id} not found`);
    return cursor;
  }

  has(id: bigint): boolean {
    return this.#open.has(id);
  }

  used(cursor: Cursor): void {
    cursor.lastUsed = this.#deps.clock.now();
  }

  /** Whether there was one. */
  kill(id: bigint): boolean {
    const cursor = this.#open.get(id);
    this.#open.delete(id);
    if (this.#open.size === 0) this.close();
    cursor?.interrupt?.();
    return cursor !== undefined;
  }

  killOf(session: SessionKey): void {
    for (const cursor of [...this.#open.values()]) if (cursor.session === session) this.kill(cursor.id);
  }

  killOfTransaction(session: SessionKey, txnNumber: bigint): void {
    for (const cursor of [...this.#open.values()])
      if (cursor.session === session && cursor.txnNumber === txnNumber) this.kill(cursor.id);
  }

  killAllOfSessions(): void {
    for (const cursor of [...this.#open.values()]) if (cursor.session !== undefined) this.kill(cursor.id);
  }

  clear(): void {
    for (const id of [...this.#open.keys()]) this.kill(id);
  }

  /** Those of a collection that is dropped fail when they are used again. A change stream tells of it instead. */
  doomOn(ns: string): void {
    for (const cursor of this.#open.values()) {
      if (cursor.ns === ns && !cursor.isStream)
        cursor.doomed = fail('QueryPlanKilled', `collection dropped. UUID of ${ns}`);
    }
  }

  /** All that read data do so when the data is that of another history. Change streams tell nothing of what may be taken back. */
  doomAll(): void {
    for (const cursor of this.#open.values())
      if (!cursor.isStream) cursor.doomed = fail('QueryPlanKilled', 'the catalog was closed and reopened');
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const sweep = (): void => {
      this.#timer = undefined;
      const oldest = this.#deps.clock.now() - this.#parameters.number('cursorTimeoutMillis');
      const idle = [...this.#open.values()].filter(cursor => mayEnd(cursor) && cursor.lastUsed <= oldest);
      for (const { id } of idle) this.kill(id);
      if (this.#open.size > 0) this.#watch();
    };
    const pause = this.#parameters.number('clientCursorMonitorFrequencySecs') * 1000;
    this.#timer = this.#deps.clock.startTimer(pause, sweep, { background: true });
  }

  /** Stops watching; cursors stay. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
