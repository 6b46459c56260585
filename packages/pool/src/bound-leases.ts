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
   * Removes a connection that has been opened, and returns the operation that it is for: the first of all whose connection was
   * passed on, else the one that it was opened for.
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
      lease.passedOn = true;
      if (next === undefined) leases.pop();
      else next.lease = lease;
    }
    return taken;
  }
}
