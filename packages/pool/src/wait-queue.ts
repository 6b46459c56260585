import { limitWait } from '@tessera/contracts';
import type { Lease, Millis, MongoError, WaitEnd, WaitLimits } from '@tessera/contracts';

/** An operation that waits for a connection, either in the queue or for the connection that is being opened for it. */
export class Waiter {
  readonly since: Millis;
  readonly deadline: Millis;
  readonly #resolve: (lease: Lease) => void;
  readonly #reject: (error: MongoError) => void;
  #leave: (() => void) | undefined;
  #settled = false;

  constructor(since: Millis, deadline: Millis, resolve: (lease: Lease) => void, reject: (error: MongoError) => void) {
    this.since = since;
    this.deadline = deadline;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /**
   * Starts to watch the limits of the wait.
   * @throws the error of the user's signal, if it throws
   */
  watch(limits: WaitLimits, ended: (why: WaitEnd) => void): void {
    this.#leave = limitWait(limits, ended);
  }

  fulfil(lease: Lease): void {
    this.#settle();
    this.#resolve(lease);
  }

  fail(error: MongoError): void {
    this.#settle();
    this.#reject(error);
  }

  #settle(): void {
    this.#settled = true;
    this.unwatch();
  }

  /** Stops watching the limits. Only the pool can end the wait afterwards. */
  unwatch(): void {
    this.#leave?.();
  }
}

/**
 * The operations that wait for a connection, first in, first out. A ring buffer with constant cost at both ends. A waiter that
 * leaves from the middle is skipped later. Rule: CMAP, "WaitQueue".
 */
export class WaitQueue {
  #ring: (Waiter | undefined)[] = new Array<Waiter | undefined>(16).fill(undefined);
  #head = 0;
  /** The number of used places, including those of waiters that have left. */
  #places = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(waiter: Waiter): void {
    if (this.#places === this.#ring.length) this.#compact();
    this.#ring[(this.#head + this.#places) & (this.#ring.length - 1)] = waiter;
    this.#places += 1;
    this.#length += 1;
  }

  shift(): Waiter | undefined {
    while (this.#places > 0) {
      const waiter = this.#ring[this.#head];
      this.#ring[this.#head] = undefined;
      this.#head = (this.#head + 1) & (this.#ring.length - 1);
      this.#places -= 1;
      if (waiter === undefined || waiter.settled) continue;
      this.#length -= 1;
      return waiter;
    }
    return undefined;
  }

  /** Call it once for a queued waiter that was settled without `shift`. */
  left(): void {
    this.#length -= 1;
  }

  /** Removes the places of waiters that have left. Doubles the ring if more than half of it is still in use. */
  #compact(): void {
    const size = this.#length * 2 > this.#ring.length ? this.#ring.length * 2 : this.#ring.length;
    const ring = new Array<Waiter | undefined>(size).fill(undefined);
    let places = 0;
    for (let index = 0; index < this.#places; index += 1) {
      const waiter = this.#ring[(this.#head + index) & (this.#ring.length - 1)];
      if (waiter !== undefined && !waiter.settled) ring[places++] = waiter;
    }
    this.#ring = ring;
    this.#head = 0;
    this.#places = places;
  }
}
