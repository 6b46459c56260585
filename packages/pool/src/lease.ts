import { Cancellation } from '@tessera/contracts';
import type { Connection, HeldBy, Lease, Millis, ObjectId } from '@tessera/contracts';

/**
 * The state of a connection. `failing`: its handshake has failed, and the error is being reported.
 * Rule: CMAP, "Connection", state.
 */
export type LeaseState = 'pending' | 'failing' | 'idle' | 'inUse' | 'closed';

/** A pooled connection, from its creation to its end. Every checkout of it returns this object. */
export class PooledLease implements Lease {
  readonly id: number;
  readonly createdAt: Millis;
  /** The pool's generation at its creation. After the handshake that of its service, behind a load balancer. */
  generation: number;
  serviceId: ObjectId | undefined;
  state: LeaseState = 'pending';
  heldBy: HeldBy | undefined;
  idleSince: Millis = 0;
  /** Whether a clear closed it while it was in use. */
  interrupted = false;
  /** Whether the operation for which it was opened got another connection. */
  passedOn = false;
  /** Aborts the handshake. */
  readonly interrupt: Cancellation = new Cancellation();
  /** Undefined before the end of the handshake. */
  opened: Connection | undefined;
  readonly #release: (lease: PooledLease) => void;

  constructor(id: number, generation: number, createdAt: Millis, release: (lease: PooledLease) => void) {
    this.id = id;
    this.generation = generation;
    this.createdAt = createdAt;
    this.#release = release;
  }

  get connection(): Connection {
    // The pool returns a lease only after its handshake.
    return this.opened!;
  }

  hold(by: HeldBy): void {
    this.heldBy = by;
  }

  release(): void {
    this.#release(this);
  }
}
