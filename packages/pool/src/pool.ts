import { MongoError } from '@tessera/contracts';
import type {
  Address,
  CheckOutOptions,
  Connection,
  ConnectionPool,
  Lease,
  Millis,
  ObjectId,
  PoolDeps,
  PoolOptions,
  Soon,
} from '@tessera/contracts';
import { Announcer } from './announcer.js';
import type { ClosedReason, FailedReason } from './announcer.js';
import { BoundLeases } from './bound-leases.js';
import { holdersOf, PoolFailures, serviceIdOf } from './failures.js';
import { Generations } from './generations.js';
import { PooledLease } from './lease.js';
import { createUpkeep } from './upkeep.js';
import type { Upkeep } from './upkeep.js';
import { WaitQueue, Waiter } from './wait-queue.js';

/** The state of a pool. A pool that was never ready is paused with a cause that states this. Rule: CMAP, "Connection Pool". */
type State =
  | { readonly is: 'paused'; readonly cause: MongoError }
  | { readonly is: 'ready' }
  | { readonly is: 'closed' };

/** The pool of one server. See {@link createPools}. */
export class Pool implements ConnectionPool {
  readonly #address: Address;
  readonly #deps: PoolDeps;
  readonly #options: PoolOptions;
  readonly #report: (error: MongoError) => void;
  readonly #announce: Announcer;
  readonly #failures: PoolFailures;
  readonly #upkeep: Upkeep;
  readonly #generations = new Generations();
  readonly #queue = new WaitQueue();
  /** All connections that are not closed. */
  readonly #leases = new Set<PooledLease>();
  /** The idle connections, longest idle first. The last is lent first, so that unneeded connections exceed maxIdleTimeMS. */
  readonly #idle: PooledLease[] = [];
  #state: State;
  #lastId = 0;
  #pending = 0;
  #inUse = 0;
  readonly #bound = new BoundLeases();

  constructor(address: Address, deps: PoolDeps, options: PoolOptions, report: (error: MongoError) => void) {
    this.#address = address;
    this.#deps = deps;
    this.#options = options;
    this.#report = report;
    this.#announce = new Announcer(deps.events, address);
    this.#failures = new PoolFailures(address, options, this.#generations);
    this.#state = { is: 'paused', cause: this.#failures.notReadyYet() };
    this.#upkeep = createUpkeep(
      { clock: deps.clock, closeIdle: () => this.#closeIdle(), populate: () => this.#populate() },
      options,
    );
    this.#announce.poolCreated(options);
  }

  get load(): number {
    return this.#inUse + this.#waiting;
  }

  get #waiting(): number {
    return this.#bound.length + this.#queue.length;
  }

  checkOut(options: CheckOutOptions): Soon<Lease> {
    // Read first: if the signal throws, no event was emitted.
    const isAborted = options.signal?.aborted === true;
    this.#announce.checkOutStarted();
    if (this.#state.is === 'ready' && this.#queue.length === 0 && !isAborted) {
      const lease = this.#takeIdle();
      if (lease !== undefined) {
        this.#lend(lease, 0);
        return lease;
      }
    }
    return this.#wait(options);
  }

  ready(): void {
    if (this.#state.is !== 'paused') return;
    this.#state = { is: 'ready' };
    this.#announce.poolReady();
    this.#populate();
  }

  clear({ cause, serviceId, interruptInUse = false }: Parameters<ConnectionPool['clear']>[0]): void {
    if (this.#state.is === 'closed' || this.#isOutdated(cause, serviceId)) return;
    const wasPaused = this.#state.is === 'paused';
    this.#generations.advance(serviceId);
    if (serviceId !== undefined) {
      this.#announce.poolCleared(serviceId, interruptInUse);
      this.#closeStale(cause, interruptInUse);
      this.#serve();
      return;
    }
    this.#state = { is: 'paused', cause };
    this.#upkeep.stop();
    if (!wasPaused) this.#announce.poolCleared(undefined, interruptInUse);
    this.#closeStale(cause, interruptInUse);
    this.#failWaiting('connectionError', () => this.#failures.cleared(cause));
  }

  close(cause?: MongoError): void {
    if (this.#state.is === 'closed') return;
    this.#state = { is: 'closed' };
    this.#upkeep.stop();
    this.#failWaiting('poolClosed', () =>
      cause === undefined ? this.#failures.closed() : this.#failures.ended(cause),
    );
    this.#idle.length = 0;
    for (const lease of [...this.#leases]) {
      if (lease.state === 'idle' || lease.state === 'pending') this.#discard(lease, 'poolClosed');
      // The error has no origin. The attempt adds it.
      else if (cause !== undefined) lease.opened?.close(new MongoError(cause.kind, cause.message));
    }
    this.#announce.poolClosed();
  }

  interrupt(cause: MongoError): void {
    if (this.#state.is === 'closed') return;
    this.#failWaiting('poolClosed', () => this.#failures.ended(cause));
    for (const lease of [...this.#leases])
      if (lease.state === 'inUse') lease.connection.close(new MongoError(cause.kind, cause.message));
  }

  // Checkout

  #wait(options: CheckOutOptions): Promise<Lease> {
    const { clock } = this.#deps;
    const since = clock.now();
    const refusal = this.#rejectionOf(options, since);
    if (refusal !== undefined) {
      this.#announce.checkOutFailed(refusal.reason, 0, refusal.error);
      return Promise.reject(refusal.error);
    }
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(since, options.deadline, resolve, reject);
      const { signal } = options;
      const deadline = this.#deadlineOf(options.deadline, since);
      try {
        waiter.watch({ clock, deadline, signal }, why => {
          if (why === 'aborted') this.#abort(waiter, signal?.reason);
          else this.#expire(waiter);
        });
      } catch (thrown) {
        return this.#reject(waiter, 'connectionError', this.#failures.notListening(thrown));
      }
      this.#queue.push(waiter);
      this.#serve();
    });
  }

  /** Returns why the checkout fails without entering the queue, or undefined. */
  #rejectionOf(
    { deadline, signal }: CheckOutOptions,
    now: Millis,
  ): { readonly reason: FailedReason; readonly error: MongoError } | undefined {
    const state = this.#state;
    if (state.is === 'closed') return { reason: 'poolClosed', error: this.#failures.closed() };
    if (state.is === 'paused') return { reason: 'connectionError', error: this.#failures.cleared(state.cause) };
    if (signal?.aborted === true) return { reason: 'timeout', error: this.#failures.aborted(0, signal.reason) };
    if (deadline <= now) return { reason: 'timeout', error: this.#timedOut(0, true, true) };
    return undefined;
  }

  /**
   * Returns the deadline of a checkout. It covers the queue and the handshake of a connection that is being opened.
   * Rule: CSOT, "drivers MUST ignore any deprecated timeout options".
   */
  #deadlineOf(deadline: Millis, now: Millis): Millis {
    if (deadline !== Infinity) return deadline;
    return this.#options.waitQueueTimeoutMS === 0 ? Infinity : now + this.#options.waitQueueTimeoutMS;
  }

  /** Lends idle connections to the waiting operations, then opens connections for the others, within the limits. */
  #serve(): void {
    while (this.#state.is === 'ready' && this.#waiting > 0) {
      const lease = this.#takeIdle();
      if (lease !== undefined) {
        // An event listener may have ended the wait.
        const waiter = this.#bound.takeFirst(this.#queue) ?? this.#queue.shift();
        if (waiter === undefined) this.#makeIdle(lease);
        else this.#fulfil(waiter, lease, this.#deps.clock.now());
      } else {
        const waiter = this.#canOpen() ? this.#queue.shift() : undefined;
        if (waiter === undefined) break;
        this.#open(waiter);
      }
    }
    this.#populate();
  }

  /**
   * Removes and returns the operation that has waited longest. The operations for which a connection is being opened came
   * before those in the queue. Rule: CMAP, "WaitQueue".
   */
  #firstWaiter(): Waiter | undefined {
    return this.#bound.shift() ?? this.#queue.shift();
  }

  /**
   * Opens connections to reach minPoolSize, if the pool is ready. Leaves one of maxConnecting to checkouts.
   * Rule: CMAP, "Populating the Pool".
   */
  #populate(): void {
    const { minPoolSize, maxConnecting } = this.#options;
    const atOnce = Math.max(1, maxConnecting - 1);
    while (
      this.#state.is === 'ready' &&
      this.#leases.size < minPoolSize &&
      this.#pending < atOnce &&
      !this.#upkeep.pausing
    ) {
      this.#open(undefined);
    }
  }

  #populateFailed(lease: PooledLease): void {
    const isWanted = this.#state.is === 'ready' && this.#leases.size <= this.#options.minPoolSize;
    if (isWanted && !this.#isStale(lease)) this.#upkeep.populateFailed();
  }

  #canOpen(): boolean {
    const { maxPoolSize, maxConnecting } = this.#options;
    return this.#pending < maxConnecting && (maxPoolSize === 0 || this.#leases.size < maxPoolSize);
  }

  /** Takes the connection that became idle last, and closes perished ones. Rule: CMAP, "Checking Out a Connection". */
  #takeIdle(): PooledLease | undefined {
    for (let lease = this.#idle.pop(); lease !== undefined; lease = this.#idle.pop()) {
      const reason = this.#perishedReason(lease);
      if (reason === undefined) return lease;
      this.#discard(lease, reason);
    }
    return undefined;
  }

  /** Settles the waiter before the event is emitted, because an event listener may abort the operation. */
  #fulfil(waiter: Waiter, lease: PooledLease, now: Millis): void {
    waiter.fulfil(lease);
    this.#lend(lease, now - waiter.since);
  }

  #lend(lease: PooledLease, waited: Millis): void {
    lease.state = 'inUse';
    this.#inUse += 1;
    this.#announce.checkedOut(lease, waited);
  }

  #checkIn(lease: PooledLease): void {
    if (lease.state !== 'inUse') return;
    this.#announce.checkedIn(lease);
    lease.heldBy = undefined;
    const reason = this.#perishedReason(lease);
    if (reason === undefined) {
      this.#inUse -= 1;
      this.#makeIdle(lease);
    } else {
      this.#discard(lease, reason);
    }
    if (this.#waiting > 0 || reason !== undefined) this.#serve();
  }

  #makeIdle(lease: PooledLease): void {
    lease.state = 'idle';
    this.#idle.push(lease);
    if (this.#options.maxIdleTimeMS === 0) return;
    lease.idleSince = this.#deps.clock.now();
    this.#upkeep.idle(lease.idleSince);
  }

  // Connections

  #open(waiter: Waiter | undefined): void {
    const { clock, connect } = this.#deps;
    const { connectTimeoutMS, timeoutMS } = this.#options;
    const lease = new PooledLease(++this.#lastId, this.#generations.current, clock.now(), back => this.#checkIn(back));
    this.#leases.add(lease);
    this.#pending += 1;
    if (waiter !== undefined) this.#bound.bind(lease, waiter);
    this.#announce.created(lease);
    if (lease.state !== 'pending') return;
    // The operation's deadline does not limit the handshake: another operation can use the connection later.
    connect(this.#address, {
      use: 'operations',
      id: lease.id,
      deadline: connectTimeoutMS === 0 ? Infinity : lease.createdAt + connectTimeoutMS,
      commandLimit: waiter !== undefined || timeoutMS === 0 ? undefined : timeoutMS,
      signal: lease.interrupt,
      ended: () => this.#ended(lease),
    }).then(
      connection => this.#opened(lease, connection),
      (thrown: unknown) => this.#failed(lease, thrown),
    );
  }

  #opened(lease: PooledLease, connection: Connection): void {
    if (lease.state !== 'pending') return connection.close();
    const now = this.#deps.clock.now();
    lease.opened = connection;
    if (!this.#isStale(lease)) {
      this.#join(lease, connection.hello.serviceId);
      this.#announce.ready(lease, now - lease.createdAt);
    }
    // An event listener may have cleared or closed the pool.
    if (this.#isStale(lease)) this.#discard(lease, 'stale');
    else this.#lendOpened(lease, now);
    this.#serve();
  }

  #lendOpened(lease: PooledLease, now: Millis): void {
    if (lease.state !== 'pending') return;
    this.#pending -= 1;
    this.#upkeep.populateSucceeded();
    const waiter = this.#bound.takeFor(lease);
    if (waiter !== undefined) return this.#fulfil(waiter, lease, now);
    this.#makeIdle(lease);
    // The connection may have closed right after its handshake.
    if (lease.connection.closed) this.#ended(lease);
  }

  #join(lease: PooledLease, serviceId: ObjectId | undefined): void {
    if (serviceId === undefined) return;
    lease.serviceId = serviceId;
    lease.generation = this.#generations.join(serviceId);
  }

  /** Reports the error first, so that the server is marked Unknown and the pool cleared before the connection's last events. */
  #failed(lease: PooledLease, thrown: unknown): void {
    if (lease.state !== 'pending') return;
    lease.state = 'failing';
    const waiter = this.#bound.unbind(lease);
    waiter?.unwatch();
    if (waiter === undefined) this.#populateFailed(lease);
    // Rule: Load Balancers, "Initial Handshake Errors": after hello, the generation of the service applies.
    this.#join(lease, serviceIdOf(thrown));
    const error = this.#failures.handshake(thrown, lease);
    this.#report(error);
    this.#discard(lease, 'error', error);
    if (waiter !== undefined) this.#reject(waiter, 'connectionError', error);
    this.#serve();
  }

  /** Closes an idle connection that broke, and restores minPoolSize. Rule: CMAP, "Background Thread". */
  #ended(lease: PooledLease): void {
    if (lease.state !== 'idle') return;
    this.#idle.splice(this.#idle.indexOf(lease), 1);
    this.#discard(lease, 'error');
    // Wait before the next connection: the server may close each idle connection immediately.
    if (this.#state.is === 'ready' && this.#leases.size < this.#options.minPoolSize) this.#upkeep.populateFailed();
  }

  /** Removes a connection from the counts, then closes it. Rule: CMAP, "Closing a Connection". */
  #discard(lease: PooledLease, reason: ClosedReason, error?: MongoError): void {
    const was = lease.state;
    if (was === 'closed') return;
    lease.state = 'closed';
    this.#leases.delete(lease);
    if (was === 'inUse') this.#inUse -= 1;
    if (was === 'pending' || was === 'failing') this.#pending -= 1;
    if (lease.serviceId !== undefined) this.#generations.leave(lease.serviceId);
    this.#announce.closed(lease, reason, error);
    if (was === 'pending') lease.interrupt.abort(error);
    lease.opened?.close();
  }

  #perishedReason(lease: PooledLease): ClosedReason | undefined {
    if (this.#state.is === 'closed') return 'poolClosed';
    if (lease.interrupted) return 'stale';
    if (lease.connection.closed) return 'error';
    if (lease.generation !== this.#generations.of(lease.serviceId)) return 'stale';
    return lease.state === 'idle' && this.#isTooOld(lease) ? 'idle' : undefined;
  }

  #isTooOld(lease: PooledLease): boolean {
    const { maxIdleTimeMS } = this.#options;
    return maxIdleTimeMS > 0 && lease.idleSince + maxIdleTimeMS <= this.#deps.clock.now();
  }

  #closeIdle(): Millis | undefined {
    let young = 0;
    while (young < this.#idle.length && this.#isTooOld(this.#idle[young]!)) young += 1;
    for (const lease of this.#idle.splice(0, young)) this.#discard(lease, 'idle');
    if (young > 0) this.#serve();
    return this.#idle[0]?.idleSince;
  }

  // Clearing

  /** Returns whether an error comes from an older generation, so that the pool was already cleared. Rule: SDAM, "Application errors". */
  #isOutdated(cause: MongoError, serviceId: ObjectId | undefined): boolean {
    const generation = cause.origin?.generation;
    return generation !== undefined && generation < this.#generations.of(serviceId);
  }

  #isStale(lease: PooledLease): boolean {
    return lease.generation !== this.#generations.of(lease.serviceId);
  }

  /**
   * Closes stale idle connections, and with `interruptInUse` also those in use or being opened.
   * Rule: CMAP, "Clearing a Connection Pool", interruptInUseConnections.
   */
  #closeStale(cause: MongoError, interruptInUse: boolean): void {
    const stale = [...this.#leases].filter(lease => this.#isStale(lease));
    for (const lease of stale) {
      if (lease.state === 'idle') this.#closeStaleIdle(lease);
      else if (interruptInUse) this.#interrupt(lease, this.#failures.interrupted(lease, cause));
    }
  }

  #closeStaleIdle(lease: PooledLease): void {
    this.#idle.splice(this.#idle.indexOf(lease), 1);
    this.#discard(lease, 'stale');
  }

  #interrupt(lease: PooledLease, error: MongoError): void {
    if (lease.state === 'inUse') {
      lease.interrupted = true;
      lease.connection.close(error);
      // Do not wait for the operation to release it.
      this.#checkIn(lease);
    } else if (lease.state === 'pending') {
      const waiter = this.#bound.unbind(lease);
      this.#discard(lease, 'stale', error);
      if (waiter !== undefined) this.#reject(waiter, 'connectionError', error);
    }
  }

  /** Fails all waiting operations, each with its own error object. */
  #failWaiting(reason: FailedReason, error: () => MongoError): void {
    for (let waiter = this.#firstWaiter(); waiter !== undefined; waiter = this.#firstWaiter()) {
      this.#reject(waiter, reason, error());
    }
  }

  #reject(waiter: Waiter, reason: FailedReason, error: MongoError): void {
    waiter.fail(error);
    this.#announce.checkOutFailed(reason, this.#deps.clock.now() - waiter.since, error);
  }

  #expire(waiter: Waiter): void {
    const inQueue = this.#removeWaiter(waiter);
    const waited = this.#deps.clock.now() - waiter.since;
    this.#reject(waiter, 'timeout', this.#timedOut(waited, waiter.deadline !== Infinity, inQueue));
  }

  #abort(waiter: Waiter, reason: unknown): void {
    this.#removeWaiter(waiter);
    this.#reject(waiter, 'timeout', this.#failures.aborted(this.#deps.clock.now() - waiter.since, reason));
  }

  /** Removes a waiter that stops waiting. Returns whether it was in the queue. */
  #removeWaiter(waiter: Waiter): boolean {
    const inQueue = !this.#bound.removeWaiter(waiter);
    if (inQueue) this.#queue.left();
    return inQueue;
  }

  #timedOut(waited: Millis, byDeadline: boolean, inQueue: boolean): MongoError {
    const holders = holdersOf(this.#leases, this.#waiting);
    return this.#failures.timedOut(holders, { waited, byDeadline, inQueue });
  }
}
