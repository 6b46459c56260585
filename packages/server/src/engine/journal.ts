import type { Millis } from '@tessera/contracts';
import type { DatabaseValue } from '@tessera/store';

/**
 * Determines which data survives a crash. The journal is written at every multiple of the interval, and when a client
 * awaits it. There is no timer: the commits' times determine what each write of the journal has saved.
 */
export class Journal {
  readonly #interval: Millis;
  #saved: DatabaseValue;
  /** The index of the interval that contains the last commit. */
  #tick = 0;

  constructor(interval: Millis, empty: DatabaseValue) {
    this.#interval = interval;
    this.#saved = empty;
  }

  #tickOf(now: Millis): number {
    return Math.floor(now / this.#interval);
  }

  /** Notes a commit. @param before the data before this commit */
  committed(before: DatabaseValue, now: Millis): void {
    const tick = this.#tickOf(now);
    if (tick > this.#tick) this.#saved = before;
    this.#tick = tick;
  }

  /** Writes all committed data to the journal. */
  flush(value: DatabaseValue): void {
    this.#saved = value;
  }

  /** Returns the data that remains after a crash now. */
  recovered(value: DatabaseValue, now: Millis): DatabaseValue {
    this.#saved = this.saved(value, now);
    return this.#saved;
  }

  /** Returns the data that would remain after a crash now. */
  saved(value: DatabaseValue, now: Millis): DatabaseValue {
    return this.#tickOf(now) > this.#tick ? value : this.#saved;
  }
}
