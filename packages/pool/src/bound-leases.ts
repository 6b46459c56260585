import type { PooledLease } from './lease.js';
import type { Waiter, WaitQueue } from './wait-queue.js';

/** The connections that are being opened for an operation, in the order of the operations' check-outs. */
export class BoundLeases {
  readonly #leases: PooledLease[] = [];

  get length(): number {
    return this.#leases.length;
  }

  get first(): PooledLease | undefined {
    return this.#leases[0];
  }

  bind(lease: PooledLease, waiter: Waiter): void {
    lease.waiter = waiter;
    waiter.lease = lease;
    this.#leases.push(lease);
  }

  unbind(lease: PooledLease): Waiter | undefined {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    lease.waiter = undefined;
    waiter.lease = undefined;
    this.#leases.splice(this.#leases.indexOf(lease), 1);
    return waiter;
  }

  /**
   * Removes and returns the first operation. Its connection, and those after it, are from now on opened for the operation
   * behind, so that no connection more is opened for that.
   */
  takeFirst(queue: WaitQueue): Waiter | undefined {
    const leases = this.#leases;
    const taken = leases[0]?.waiter;
    if (taken === undefined) return undefined;
    taken.lease = undefined;
    for (let at = 0; at < leases.length; at++) {
      const lease = leases[at]!;
      const next = leases[at + 1]?.waiter ?? queue.shift();
      lease.waiter = next;
      if (next === undefined) leases.pop();
      else next.lease = lease;
    }
    return taken;
  }
}
