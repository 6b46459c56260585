import type { Millis } from '@tessera/contracts';
import type { DatabaseValue } from './database.js';

/**
 * Which value survives a crash. The journal is written at every multiple of the interval, and whenever somebody waits for
 * it. Nothing runs by itself: what a tick of the journal would have saved is known from the times of the commits.
 */
export class Journal {
  readonly #interval: Millis;
  #saved: DatabaseValue;
  /** The tick before which the last commit was made. */
  #tick = 0;

  constructor(interval: Millis, empty: DatabaseValue) {
    this.#interval = interval;
    this.#saved = empty;
  }

  #tickOf(now: Millis): number {
    return Math.floor(now / this.#interval);
  }

  /** @param before the value that held until this commit */
  committed(before: DatabaseValue, now: Millis): void {
    const tick = this.#tickOf(now);
    if (tick > this.#tick) this.#saved = before;
    this.#tick = tick;
  }

  /** All that is committed is written now. */
  flush(value: DatabaseValue): void {
    this.#saved = value;
  }

  /** What is left of the value if the process is gone now. */
  recovered(value: DatabaseValue, now: Millis): DatabaseValue {
    this.#saved = this.saved(value, now);
    return this.#saved;
  }

  /** What would be left. */
  saved(value: DatabaseValue, now: Millis): DatabaseValue {
    return this.#tickOf(now) > this.#tick ? value : this.#saved;
  }
}
