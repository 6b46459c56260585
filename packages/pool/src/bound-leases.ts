import type { PooledLease } from './lease.js';
import type { Waiter, WaitQueue } from './wait-queue.js';

/**
 * The connections that are being opened for waiting operations. Each connection is bound to the operation with the same index.
 * Both lists are in the order of the checkouts, and as long as `maxConnecting` at most.
 */
export class BoundLeases {
  readonly #leases: PooledLease[] = [];
  readonly #waiters: Waiter[] = [];

  get length(): number {
    return this.#leases.length;
  }

  bind(lease: PooledLease, waiter: Waiter): void {
    this.#leases.push(lease);
    this.#waiters.push(waiter);
  }

  /** Removes a connection and its operation, which is returned. Returns undefined if the connection is not bound. */
  unbind(lease: PooledLease): Waiter | undefined {
    return this.#remove(this.#leases.indexOf(lease));
  }

  /** Removes an operation and its connection. Returns whether the operation was bound. */
  removeWaiter(waiter: Waiter): boolean {
    return this.#remove(this.#waiters.indexOf(waiter)) !== undefined;
  }

  /** Removes the first connection and its operation, which is returned. */
  shift(): Waiter | undefined {
    this.#leases.shift();
    return this.#waiters.shift();
  }

  /**
   * Removes an opened connection and returns the operation that gets it. That is the operation for which it was opened, or the first
   * operation if the connection was passed on. Each earlier connection is then bound to the next operation.
   */
  takeFor(lease: PooledLease): Waiter | undefined {
    if (!lease.passedOn) return this.unbind(lease);
    const at = this.#leases.indexOf(lease);
    if (at < 0) return undefined;
    this.#leases.splice(at, 1);
    return this.#waiters.shift();
  }

  /**
   * Removes and returns the first operation. Its connection and each following one are passed on to the next operation, so that no
   * additional connection is opened for the last.
   */
  takeFirst(queue: WaitQueue): Waiter | undefined {
    const taken = this.#waiters.shift();
    if (taken === undefined) return undefined;
    for (const lease of this.#leases) lease.passedOn = true;
    const next = queue.shift();
    if (next === undefined) this.#leases.pop();
    else this.#waiters.push(next);
    return taken;
  }

  #remove(at: number): Waiter | undefined {
    if (at < 0) return undefined;
    this.#leases.splice(at, 1);
    return this.#waiters.splice(at, 1)[0];
  }
}
