import type { Clock, Millis, Random, Timer } from '@tessera/contracts';
import type { CommandError, Doc } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { Batches } from '@tessera/store';
import type { Parameters } from './parameters.js';
import type { SessionKey } from './sessions.js';

/** An open cursor. */
export interface Cursor {
  readonly id: bigint;
  readonly ns: string;
  /** The keys of the users who opened it; empty without authentication. */
  readonly users: readonly string[];
  readonly session: SessionKey | undefined;
  /** The number of the transaction in which it was opened. */
  readonly txnNumber?: bigint | undefined;
  readonly batches: Batches;
  /** Set if the cursor waits for more documents at its end. */
  readonly tail: Tail | undefined;
  readonly noTimeout: boolean;
  /** Whether it is a change stream, on this server or on a shard. */
  readonly isStream: boolean;
  /**
   * How much of the `maxTimeMS` of the cursor's first command is left for all later batches, in milliseconds; Infinity
   * without `maxTimeMS`.
   */
  timeLeft: Millis;
  lastUsed: Millis;
  /** Whether a batch is being taken. */
  isBusy: boolean;
  /** Set if the cursor can no longer be used, because its collection was dropped. */
  invalidated: CommandError | undefined;
  /** Wakes the getMore that waits for documents, when the cursor is killed; undefined if none waits. */
  interrupt: (() => void) | undefined;
}

export type Tail =
  /** The tail of a capped collection. The cursor never ends. */
  | { readonly kind: 'capped'; readonly awaitData: boolean }
  /** The tail of a change stream. The cursor ends when the stream is invalidated. */
  | {
      readonly kind: 'changes';
      readonly awaitData: true;
      /** Returns the resume token after the last event taken: `postBatchResumeToken`. */
      readonly token: () => Doc;
      /** Calls `wake` once, when there may be more events. Returns a function that cancels the callback. */
      readonly onceMore: (wake: () => void) => () => void;
    };

export interface CursorDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export type OpenCursor = Omit<Cursor, 'id' | 'lastUsed' | 'isBusy' | 'invalidated' | 'interrupt'>;

/** Whether the cursor may time out. A cursor that is in use does not, however long that takes. */
const mayEnd = ({ noTimeout, session, interrupt, isBusy }: Cursor): boolean =>
  !noTimeout && session === undefined && interrupt === undefined && !isBusy;

/**
 * The open cursors by id. A cursor that is unused for `cursorTimeoutMillis` is closed, but cursors of sessions are
 * closed with their session.
 */
export class Cursors {
  readonly #deps: CursorDeps;
  readonly #parameters: Parameters;
  readonly #open = new Map<bigint, Cursor>();
  /** The number of cursors that were closed because they were unused for too long. */
  timedOut = 0;
  #timer: Timer | undefined;

  constructor(deps: CursorDeps, parameters: Parameters) {
    this.#deps = deps;
    this.#parameters = parameters;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The number of open cursors that do not time out. */
  get endless(): number {
    return [...this.#open.values()].filter(({ noTimeout }) => noTimeout).length;
  }

  open(cursor: OpenCursor): Cursor {
    const opened: Cursor = {
      ...cursor,
      id: this.#newId(),
      lastUsed: this.#deps.clock.now(),
      isBusy: false,
      invalidated: undefined,
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

  /** Returns an open cursor. @throws CommandError 43 if there is none */
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

  /** Closes a cursor. Returns whether it was open. */
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

  /**
   * Makes the cursors of a dropped collection fail at their next use, except change streams, which report the drop as
   * an event.
   */
  invalidateOn(ns: string): void {
    for (const cursor of this.#open.values()) {
      if (cursor.ns === ns && !cursor.isStream)
        cursor.invalidated = fail('QueryPlanKilled', `collection dropped. UUID of ${ns}`);
    }
  }

  /**
   * Makes all cursors on data fail at their next use, after the data was replaced by that of another history. Change
   * streams continue, because they report only what cannot be rolled back.
   */
  invalidateAll(): void {
    for (const cursor of this.#open.values())
      if (!cursor.isStream) cursor.invalidated = fail('QueryPlanKilled', 'the catalog was closed and reopened');
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    const sweep = (): void => {
      this.#timer = undefined;
      const oldest = this.#deps.clock.now() - this.#parameters.number('cursorTimeoutMillis');
      const idle = [...this.#open.values()].filter(cursor => mayEnd(cursor) && cursor.lastUsed <= oldest);
      for (const { id } of idle) this.kill(id);
      this.timedOut += idle.length;
      if (this.#open.size > 0) this.#watch();
    };
    const pause = this.#parameters.number('clientCursorMonitorFrequencySecs') * 1000;
    this.#timer = this.#deps.clock.startTimer(pause, sweep, { background: true });
  }

  /** Stops the timer. Cursors stay open. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
