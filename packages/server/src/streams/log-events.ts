import { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import type { Entry as LogEntry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Op } from '../log/op.js';
import type { OpTime } from '../log/op-time.js';
import { isLater } from '../log/op-time.js';
import { stepsOf } from '../log/step.js';
import type { Event, Located, Teller } from './event.js';
import { eventOf } from './event.js';
import { fatal } from './resumable.js';
import type { Watch } from './watch.js';
import { concerns, invalidates } from './watch.js';

interface Place {
  readonly at: OpTime;
  readonly value: DatabaseValue;
}

/** What a stream reads: the past of a member of a set. */
export interface Past {
  readonly log: Log;
  /** How far a majority has it, as is known already. */
  readonly committed: Place;
  /** The same, having looked: nothing beyond is told. */
  majority(): Place;
  /** Its log has all that was written so far, and whoever writes there will hear what it hears. */
  readonly isPrimary: boolean;
  /** Nothing more is to be written at that time or before it. */
  hear(time: TimestampValue): void;
  /** Calls back once, when a majority may have more. Returns the way to take that back. */
  onceMoved(wake: () => void): () => void;
}

/** An event with what becomes of the stream. */
export interface Told {
  readonly event: Event;
  readonly entry: LogEntry;
  /** The stream ends with it. */
  readonly isLast: boolean;
}

/** Events in the order of their tokens. */
export interface EventSource {
  /** The next event that may be told of; undefined: there is none yet. @throws CommandError 286 */
  next(): Told | undefined;
  /** Up to there nothing more comes. */
  seen(): TimestampValue;
}

/** The time before. */
export const before = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0 ? Math.max(0, t - 1) : t, (i - 1) >>> 0);

export const after = ({ t, i }: TimestampValue): TimestampValue =>
  new TimestampValue(i === 0xffffffff ? t + 1 : t, (i + 1) >>> 0);

const historyLost = (): Error =>
  fatal(
    'ChangeStreamHistoryLost',
    'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
  );

/** The log of a set begins with its making: before that there was nothing. */
const isBeginning = ({ ops: [op] }: LogEntry): boolean => op?.kind === 'noop' && op.message === 'initiating set';

/** The operations of an entry after that time. */
const locatedIn = function* (entry: LogEntry, since: TimestampValue): Generator<readonly [Located, Op]> {
  for (const { ts, ops } of stepsOf(entry))
    if (isLater(ts, since)) for (const [index, op] of ops.entries()) yield [{ entry, ts, index }, op];
};

/** What one log has for a stream. */
export class LogEvents implements EventSource {
  readonly #past: Past;
  readonly #watch: Watch;
  readonly #teller: Teller;
  /** All entries up to that time have been looked at. */
  #seen: TimestampValue;
  #entry: LogEntry | undefined;
  /** What is left of the entry. */
  #left: Iterator<readonly [Located, Op]> = [].values();

  /** @param first when the first event may be */
  constructor(
    past: Past,
    first: TimestampValue,
    { watch, teller }: { readonly watch: Watch; readonly teller: Teller },
  ) {
    this.#past = past;
    this.#watch = watch;
    this.#teller = teller;
    this.#seen = before(first);
  }

  seen(): TimestampValue {
    return this.#seen;
  }

  next(): Told | undefined {
    for (;;) {
      const located = this.#advance();
      if (located === undefined) return undefined;
      const [place, op] = located;
      if (op.kind === 'noop' || !concerns(this.#watch, op) || !this.#teller.tellsOf(op)) continue;
      return { event: eventOf(place, op, this.#teller), entry: place.entry, isLast: invalidates(this.#watch, op) };
    }
  }

  /** Whether nothing more comes of that time or before it. */
  reaches(time: TimestampValue): boolean {
    if (!isLater(time, this.#seen)) return true;
    if (this.#entry !== undefined || !this.#past.isPrimary) return false;
    this.#past.hear(time);
    const next = this.#past.log.next(this.#seen);
    return next === undefined || isLater(next.first, time);
  }

  /** The next operation that a majority has. */
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

  /** What one member knew of a majority says nothing of the log of another, which may have taken its place. */
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
