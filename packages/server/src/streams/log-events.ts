import { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue, OpTime } from '@tessera/store';
import { isLater } from '@tessera/store';
import type { Entry as LogEntry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Op } from '../log/op.js';
import { stepsOf } from '../log/step.js';
import type { Event, Located, EventContext } from './event.js';
import { eventOf } from './event.js';
import { fatal } from './resumable.js';
import type { Watch } from './watch.js';
import { concerns, invalidates } from './watch.js';

interface Place {
  readonly at: OpTime;
  readonly value: DatabaseValue;
}

/** The oplog of a replica set member, as a stream reads it. */
export interface Past {
  readonly log: Log;
  /** The newest point that a majority has, as far as it was computed already. */
  readonly committed: Place;
  /** Computes the newest point that a majority has. Later entries are not returned. */
  majority(): Place;
  /** Whether the member is the primary, whose log contains all writes so far. */
  readonly isPrimary: boolean;
  /** Ensures that no more entries are written at or before a time. */
  advanceClusterTime(time: TimestampValue): void;
  /** Calls `wake` once, when a majority may have more entries. Returns a function that cancels the callback. */
  onceMoved(wake: () => void): () => void;
}

/** An event, and whether the stream ends with it. */
export interface StreamEvent {
  readonly event: Event;
  readonly entry: LogEntry;
  /** Whether the stream ends with it. */
  readonly isLast: boolean;
}

/** Events in the order of their tokens. */
export interface EventSource {
  /** Returns the next event that a majority has, or undefined. @throws CommandError 286 */
  next(): StreamEvent | undefined;
  /** Returns the time up to which there are no more events. */
  seen(): TimestampValue;
}

/** Returns the time before. */
export const before = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0 ? Math.max(0, t - 1) : t, (i - 1) >>> 0);

export const after = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0xffffffff ? t + 1 : t, (i + 1) >>> 0);

const historyLost = (): Error =>
  fatal(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
  );

/** Whether the entry is the first of a set's log. There are no entries before it. */
const isBeginning = ({ ops: [op] }: LogEntry): boolean => op?.kind === 'noop' && op.message === 'initiating set';

/** Returns the operations of an entry that are later than a time. */
const locatedIn = function* (entry: LogEntry, since: TimestampValue): Generator<readonly [Located, Op]> {
  for (const { ts, ops } of stepsOf(entry))
    if (isLater(ts, since)) for (const [index, op] of ops.entries()) yield [{ entry, ts, index }, op];
};

/** The events of one oplog that concern a stream. */
export class LogEvents implements EventSource {
  readonly #past: Past;
  readonly #watch: Watch;
  readonly #context: EventContext;
  /** The time up to which all entries have been read. */
  #seen: TimestampValue;
  #entry: LogEntry | undefined;
  /** The remaining operations of the current entry. */
  #left: Iterator<readonly [Located, Op]> = [].values();

  /** @param first the time at which events start */
  constructor(
    past: Past,
    first: TimestampValue,
    { watch, context }: { readonly watch: Watch; readonly context: EventContext },
  ) {
    this.#past = past;
    this.#watch = watch;
    this.#context = context;
    this.#seen = before(first);
  }

  seen(): TimestampValue {
    return this.#seen;
  }

  next(): StreamEvent | undefined {
    for (;;) {
      const located = this.#advance();
      if (located === undefined) return undefined;
      const [place, op] = located;
      if (op.kind === 'noop' || !concerns(this.#watch, op) || !this.#context.isReported(op)) continue;
      return { event: eventOf(place, op, this.#context), entry: place.entry, isLast: invalidates(this.#watch, op) };
    }
  }

  /** Whether there are no more events at or before a time. */
  reaches(time: TimestampValue): boolean {
    if (!isLater(time, this.#seen)) return true;
    if (this.#entry !== undefined || !this.#past.isPrimary) return false;
    this.#past.advanceClusterTime(time);
    const next = this.#past.log.next(this.#seen);
    return next === undefined || isLater(next.first, time);
  }

  /** Returns the next operation that a majority has. */
  #advance(): readonly [Located, Op] | undefined {
    for (;;) {
      const left = this.#left.next();
      if (left.done !== true) return left.value;
      if (this.#entry !== undefined) this.#seen = this.#entry.at.ts;
      this.#entry = undefined;
      this.#checkHistory();
      const next = this.#past.log.next(this.#seen);
      if (next === undefined || !this.#isCommitted(next)) return undefined;
      this.#entry = next;
      this.#left = locatedIn(next, this.#seen);
    }
  }

  /**
   * Whether a majority has the entry. The point is read from `#past` each time, because that may refer to another
   * member by now.
   */
  #isCommitted({ at }: LogEntry): boolean {
    return !isLater(at.ts, this.#past.committed.at.ts) || !isLater(at.ts, this.#past.majority().at.ts);
  }

  #checkHistory(): void {
    const { forgotten, oldest } = this.#past.log;
    if (forgotten !== undefined && isLater(forgotten, this.#seen)) throw historyLost();
    if (forgotten !== undefined || oldest === undefined || isBeginning(oldest)) return;
    if (isLater(oldest.first, after(this.#seen))) throw historyLost();
  }
}
