import { Cancellation } from '@tessera/contracts';
import type { Connection, HeldBy, Lease, Millis, ObjectId } from '@tessera/contracts';
import type { Waiter } from './wait-queue.js';

/**
 * Where a connection is in its life. `failing`: its handshake has failed and is being reported.
 * Rule: CMAP, "Connection", state.
 */
export type LeaseState = 'pending' | 'failing' | 'idle' | 'inUse' | 'closed';

/** One pooled connection, from its creation to its end; whoever checks it out holds this same object. */
export class PooledLease implements Lease {
  readonly id: number;
  readonly createdAt: Millis;
  /** Its generation when it was begun, and from the handshake on that of its service, if there is one. */
  generation: number;
  serviceId: ObjectId | undefined;
  state: LeaseState = 'pending';
  heldBy: HeldBy | undefined;
  idleSince: Millis = 0;
  /** Closed by a clear while it was in use. */
  interrupted = false;
  /** For whom it is being opened; nobody once that operation has given up, or if it is for minPoolSize. */
  waiter: Waiter | undefined;
  /** The operation that it was opened for got another connection. */
  passedOn = false;
  /** Ends a connect that nobody wants any more. */
  readonly interrupt: Cancellation = new Cancellation();
  /** From the end of the handshake on. */
  opened: Connection | undefined;
  readonly #release: (lease: PooledLease) => void;

  constructor(id: number, generation: number, createdAt: Millis, release: (lease: PooledLease) => void) {
    this.id = id;
    this.generation = generation;
    this.createdAt = createdAt;
    this.#release = release;
  }

  get connection(): Connection {
    // Nobody is handed a lease before its connection is there.
    return this.opened!;
  }

  hold(by: HeldBy): void {
    this.heldBy = by;
  }

  release(): void {
    this.#release(this);
  }
}
