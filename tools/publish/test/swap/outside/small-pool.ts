/**
 * A pool in one closure. Waiting operations form one queue. Every available connection, new or used, goes to the first
 * operation
 * in the queue. (Tessera's own pool reserves a new connection for the operation that opened it, which users cannot
 * observe.)
 */
import type {
  CheckOutOptions,
  Connection,
  ConnectionPool,
  CreatePools,
  DriverEvent,
  ErrorKind,
  EventMap,
  EventName,
  HeldBy,
  Lease,
  Millis,
  ObjectId,
  Timer,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

interface Held extends Lease {
  state: 'idle' | 'out' | 'gone';
  by: HeldBy | undefined;
  since: Millis;
}

interface Opening {
  readonly id: number;
  readonly born: number;
  giveUp(): void;
}

interface Waiting {
  readonly from: Millis;
  serve(lease: Lease): void;
  fail(error: MongoError): void;
}

type State =
  | { readonly is: 'paused'; readonly cause: MongoError }
  | { readonly is: 'ready' }
  | { readonly is: 'closed' };
type CloseReason = EventMap['connectionClosed']['reason'];

/** The delay after a failed attempt to reach minPoolSize. */
const retryDelay: Millis = 1000;

export const createSmallPools: CreatePools =
  ({ clock, events, connect }, options) =>
  (address, report) => {
    const {
      maxPoolSize = 100,
      minPoolSize = 0,
      maxIdleTimeMS = 0,
      maxConnecting = 2,
      waitQueueTimeoutMS = 0,
      connectTimeoutMS = 30_000,
    } = options;
    const most = maxPoolSize === 0 ? Infinity : maxPoolSize;
    const leases = new Set<Held>();
    const idle: Held[] = [];
    const openings = new Set<Opening>();
    const line = new Set<Waiting>();
    const services = new Map<string, number>();
    let clears = 0;
    let lastId = 0;
    let populateFrom = -Infinity;
    let upkeep: Timer | undefined;
    let state: State = {
      is: 'paused',
      cause: new MongoError('pool', `No connection to ${address} was established yet.`),
    };

    const emit = <N extends EventName>(name: N, event: Omit<EventMap[N], 'address'>): void => {
      if (events.wants(name)) events.emit({ name, address, ...event } as unknown as DriverEvent);
    };

    const generationOf = (service: ObjectId | undefined): number =>
      clears + (service === undefined ? 0 : (services.get(service.toHexString()) ?? 0));
    const isStale = ({ connection, generation }: Lease): boolean =>
      generation !== generationOf(connection.hello.serviceId);

    const fail = (kind: ErrorKind, message: string, cause?: unknown): MongoError =>
      new MongoError(kind, message, { cause, origin: { phase: 'checkOut', sent: false, address, generation: clears } });
    const closedError = (): MongoError => fail('pool', `The pool of ${address} is closed`);
    const clearedError = (cause: MongoError): MongoError =>
      fail('pool', `The pool of ${address} was cleared: ${cause.message}`, cause);
    const lateError = (from: Millis, byDeadline: boolean): MongoError => {
      const out = [...leases].filter(each => each.state === 'out');
      const by = (holder: HeldBy | undefined): number => out.filter(each => each.by === holder).length;
      return fail(
        byDeadline ? 'timeout' : 'pool',
        `No connection to ${address} came free within ${Math.round(clock.now() - from)} ms (maxPoolSize: ${maxPoolSize}, ` +
          `held by cursors: ${by('cursor')}, by transactions: ${by('transaction')}, by other operations: ${by(undefined)})`,
      );
    };

    const drop = (lease: Held, reason: CloseReason, cause?: MongoError): void => {
      lease.state = 'gone';
      leases.delete(lease);
      lease.connection.close(cause);
      emit('connectionClosed', { connectionId: lease.connection.id, reason, error: cause });
    };

    /** Returns the reason why a connection must not be used again; undefined if it may. */
    const fault = (lease: Held): CloseReason | undefined => {
      if (state.is === 'closed') return 'poolClosed';
      if (isStale(lease)) return 'stale';
      return lease.connection.closed ? 'error' : undefined;
    };

    const takeIdle = (): Held | undefined => {
      for (let lease = idle.pop(); lease !== undefined; lease = idle.pop()) {
        const reason = fault(lease);
        if (reason === undefined) return lease;
        drop(lease, reason);
      }
      return undefined;
    };

    const hand = (lease: Held, from: Millis): Held => {
      lease.state = 'out';
      lease.by = undefined;
      emit('connectionCheckedOut', { connectionId: lease.connection.id, durationMS: clock.now() - from });
      return lease;
    };

    const giveBack = (lease: Held): void => {
      if (lease.state !== 'out') return;
      lease.state = 'idle';
      lease.since = clock.now();
      emit('connectionCheckedIn', { connectionId: lease.connection.id });
      const reason = fault(lease);
      if (reason === undefined) idle.push(lease);
      else drop(lease, reason);
      serve();
    };

    const leaseOf = (connection: Connection): Held => {
      const lease: Held = {
        connection,
        generation: generationOf(connection.hello.serviceId),
        state: 'idle',
        by: undefined,
        since: clock.now(),
        hold: by => {
          lease.by = by;
        },
        release: () => giveBack(lease),
      };
      return lease;
    };

    /**
     * Opens a connection. If it fails and was opened for the queue, the first operation in the queue fails with the
     * error.
     */
    const open = async (forQueue: boolean): Promise<void> => {
      const aborting = createAbort();
      const id = (lastId += 1);
      const opening: Opening = { id, born: clears, giveUp: aborting.abort };
      const began = clock.now();
      openings.add(opening);
      emit('connectionCreated', { connectionId: id });
      try {
        const deadline = connectTimeoutMS === 0 ? Infinity : began + connectTimeoutMS;
        const connection = await connect(address, { use: 'operations', id, deadline, signal: aborting.signal });
        if (!openings.delete(opening)) return connection.close();
        if (opening.born !== clears) {
          connection.close();
          emit('connectionClosed', { connectionId: id, reason: 'stale' });
        } else {
          const lease = leaseOf(connection);
          leases.add(lease);
          idle.push(lease);
          emit('connectionReady', { connectionId: id, durationMS: clock.now() - began });
        }
      } catch (thrown) {
        if (openings.delete(opening)) refuse(located(thrown, opening), opening, forQueue);
      }
      serve();
    };

    const refuse = (error: MongoError, { id }: Opening, forQueue: boolean): void => {
      const [first] = forQueue ? line : [];
      if (first !== undefined) line.delete(first);
      report(error);
      emit('connectionClosed', { connectionId: id, reason: 'error', error });
      first?.fail(error);
      if (!forQueue) populateFrom = clock.now() + retryDelay;
    };

    const located = (thrown: unknown, { born }: Opening): MongoError => {
      const error = MongoError.is(thrown) ? thrown : new MongoError('network', String(thrown), { cause: thrown });
      const { phase = 'connect', sent = false, serviceId } = error.origin ?? {};
      const generation = serviceId === undefined ? born : generationOf(serviceId);
      error.origin = { ...error.origin, phase, sent, address, generation, serviceId };
      const isOverload = (error.kind === 'network' || error.kind === 'timeout') && /^(connect|hello)$/.test(phase);
      return isOverload ? error.addLabel('SystemOverloadedError').addLabel('RetryableError') : error;
    };

    /** Returns the number of connections being opened since the last clear. Older ones are never handed out. */
    const comingUp = (): number => [...openings].filter(({ born }) => born === clears).length;
    const mayOpen = (): boolean => openings.size < maxConnecting && leases.size + openings.size < most;

    /** Hands out idle connections and opens missing ones. */
    const serve = (): void => {
      if (state.is !== 'ready') return;
      for (const first of line) {
        const lease = takeIdle();
        if (lease === undefined) break;
        line.delete(first);
        first.serve(hand(lease, first.from));
      }
      while (comingUp() < line.size && mayOpen()) void open(true);
      while (clock.now() >= populateFrom && leases.size + openings.size < minPoolSize && mayOpen()) void open(false);
      planUpkeep();
    };

    /** Schedules the next removal of an idle connection, or the next attempt to reach minPoolSize. */
    const planUpkeep = (): void => {
      const [oldest] = idle;
      const expiry = maxIdleTimeMS > 0 && oldest !== undefined ? oldest.since + maxIdleTimeMS : Infinity;
      const lacks = leases.size + openings.size < minPoolSize;
      const at = Math.min(expiry, lacks && populateFrom > clock.now() ? populateFrom : Infinity);
      stopUpkeep();
      if (at !== Infinity) upkeep = clock.startTimer(Math.max(at - clock.now(), 1), keepUp, { background: true });
    };

    const keepUp = (): void => {
      const tooOld = ({ since }: Held): boolean => maxIdleTimeMS > 0 && since + maxIdleTimeMS <= clock.now();
      while (idle[0] !== undefined && tooOld(idle[0])) drop(idle.shift()!, 'idle');
      serve();
    };

    const stopUpkeep = (): void => {
      upkeep?.cancel();
      upkeep = undefined;
    };

    const enqueue = (from: Millis, { deadline, signal }: CheckOutOptions): Promise<Lease> =>
      new Promise((resolve, reject) => {
        const byDeadline = deadline !== Infinity;
        const limit = byDeadline ? deadline - from : waitQueueTimeoutMS;
        const settle = (): void => {
          line.delete(waiting);
          timer?.cancel();
          signal?.removeEventListener('abort', abort);
        };
        const waiting: Waiting = {
          from,
          serve: lease => {
            settle();
            resolve(lease);
          },
          fail: error => {
            settle();
            reject(refused(from, error));
          },
        };
        const abort = (): void => waiting.fail(abortedError(signal?.reason));
        const expire = (): void => waiting.fail(lateError(from, byDeadline));
        const timer = byDeadline || limit > 0 ? clock.startTimer(Math.max(limit, 0), expire) : undefined;
        signal?.addEventListener('abort', abort);
        line.add(waiting);
        serve();
      });

    const abortedError = (reason: unknown): MongoError =>
      fail('aborted', `Waiting for a connection to ${address} was aborted`, reason);

    const refused = (from: Millis, error: MongoError): MongoError => {
      const isOurs = error.origin?.phase === 'checkOut';
      const reason =
        !isOurs || error.cause !== undefined ? 'connectionError' : state.is === 'closed' ? 'poolClosed' : 'timeout';
      emit('connectionCheckOutFailed', { reason, error, durationMS: clock.now() - from });
      return error;
    };

    const letGoOfIdle = (reason: CloseReason, of: (lease: Lease) => boolean): void => {
      for (const lease of idle.splice(0)) {
        if (of(lease)) drop(lease, reason);
        else idle.push(lease);
      }
    };

    const giveUpOpenings = (reason: CloseReason): void => {
      for (const opening of openings) {
        openings.delete(opening);
        opening.giveUp();
        emit('connectionClosed', { connectionId: opening.id, reason });
      }
    };

    const interrupt = (cause: MongoError): void => {
      const words = `Connection to ${address} interrupted due to server monitor timeout`;
      for (const lease of leases)
        if (lease.state === 'out' && isStale(lease)) lease.connection.close(new MongoError('pool', words, { cause }));
    };

    const failAll = (errorOf: () => MongoError): void => {
      for (const waiting of [...line]) waiting.fail(errorOf());
    };

    const pool: ConnectionPool = {
      get load() {
        return line.size + [...leases].filter(({ state }) => state === 'out').length;
      },
      checkOut(how) {
        const from = clock.now();
        emit('connectionCheckOutStarted', {});
        if (how.signal?.aborted === true) return Promise.reject(refused(from, abortedError(how.signal.reason)));
        if (state.is === 'closed') return Promise.reject(refused(from, closedError()));
        if (state.is === 'paused') return Promise.reject(refused(from, clearedError(state.cause)));
        const free = line.size === 0 ? takeIdle() : undefined;
        if (free !== undefined) return hand(free, from);
        if (how.deadline <= from) return Promise.reject(refused(from, lateError(from, true)));
        return enqueue(from, how);
      },
      ready() {
        if (state.is !== 'paused') return;
        state = { is: 'ready' };
        emit('connectionPoolReady', {});
        serve();
      },
      clear({ cause, serviceId, interruptInUse = false }) {
        if (state.is === 'closed' || (cause.origin?.generation ?? Infinity) < generationOf(serviceId)) return;
        if (serviceId === undefined) clears += 1;
        else services.set(serviceId.toHexString(), (services.get(serviceId.toHexString()) ?? 0) + 1);
        const wasReady = state.is === 'ready';
        if (serviceId === undefined) state = { is: 'paused', cause };
        if (wasReady) emit('connectionPoolCleared', { serviceId, interruptInUseConnections: interruptInUse });
        letGoOfIdle('stale', isStale);
        if (interruptInUse) interrupt(cause);
        if (serviceId !== undefined) return serve();
        if (interruptInUse) giveUpOpenings('stale');
        stopUpkeep();
        failAll(() => clearedError(cause));
      },
      close() {
        if (state.is === 'closed') return;
        state = { is: 'closed' };
        stopUpkeep();
        letGoOfIdle('poolClosed', () => true);
        giveUpOpenings('poolClosed');
        failAll(closedError);
        emit('connectionPoolClosed', {});
      },
      interrupt({ kind, message }) {
        if (state.is === 'closed') return;
        failAll(() => fail(kind, message));
        for (const lease of leases) if (lease.state === 'out') lease.connection.close(new MongoError(kind, message));
      },
    };
    emit('connectionPoolCreated', { options: { ...options } });
    return pool;
  };

/** Creates a signal and the function that aborts it. */
const createAbort = (): { readonly signal: NonNullable<CheckOutOptions['signal']>; abort(): void } => {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: new Error('The pool gave up the connection attempt.'),
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
  };
  const abort = (): void => {
    signal.aborted = true;
    for (const listener of [...listeners]) listener();
  };
  return { signal, abort };
};
