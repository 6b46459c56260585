import { limitWait } from '@tessera/contracts';
import type { Lease, Millis, MongoError, WaitEnd, WaitLimits } from '@tessera/contracts';
import type { PooledLease } from './lease.js';

/** An operation that waits for a connection: in the queue, or until the connection opened for it is ready or another comes free. */
export class Waiter {
  readonly since: Millis;
  readonly deadline: Millis;
  /** The connection that is being opened for it; before that it stands in the queue. */
  lease: PooledLease | undefined;
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

  /** What ends the waiting besides the pool. @throws what the signal throws */
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

  /** Only the pool can end the waiting any more. */
  unwatch(): void {
    this.#leave?.();
  }
}

/**
 * First come, first served. A ring, so that neither end costs more the longer it is; who leaves from the middle is passed
 * over later. Rule: CMAP, "WaitQueue".
 */
export class WaitQueue {
  #ring: (Waiter | undefined)[] = new Array<Waiter | undefined>(16).fill(undefined);
  #head = 0;
  /** Places taken, those of waiters that left included. */
  #places = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(waiter: Waiter): void {
    if (this.#places === this.#ring.length) this.#tidy();
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

  /** To be told once for a waiter that stood here and was settled by others. */
  left(): void {
    this.#length -= 1;
  }

  /** Those who are still here move up, into a ring twice as long if they fill more than half of it. */
  #tidy(): void {
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
