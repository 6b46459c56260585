import type { PooledLease } from './lease.js';
import type { Waiter, WaitQueue } from './wait-queue.js';

/** The connections that are being opened for waiting operations, in the order of the checkouts. */
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
   * Removes an opened connection and returns the operation that gets it: the one for which it was opened, or the first one in order
   * if the connection was passed on.
   */
  takeFor(lease: PooledLease): Waiter | undefined {
    const leases = this.#leases;
    let at = lease.waiter === undefined ? -1 : leases.indexOf(lease);
    let taken = this.unbind(lease);
    if (!lease.passedOn) return taken;
    for (at -= 1; at >= 0; at--) {
      const earlier = leases[at]!;
      const { waiter } = earlier;
      earlier.waiter = taken;
      if (taken !== undefined) taken.lease = earlier;
      taken = waiter;
    }
    if (taken !== undefined) taken.lease = undefined;
    return taken;
  }

  /**
   * Removes and returns the first operation. Its connection and each following one are passed on to the next operation, so that no
   * additional connection is opened for the last.
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
      lease.passedOn = true;
      if (next === undefined) leases.pop();
      else next.lease = lease;
    }
    return taken;
  }
}
