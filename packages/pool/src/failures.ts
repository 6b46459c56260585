/** The errors of a pool, and the completion of errors of handshakes. Rule: CMAP, "Connection Pool Errors". */
import type { Address, Millis, ObjectId, Origin, Phase, PoolOptions } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { Generations } from './generations.js';
import type { PooledLease } from './lease.js';

/** The numbers of connections by their use, for messages of timeouts. */
export interface Holders {
  readonly cursors: number;
  readonly transactions: number;
  readonly others: number;
  readonly pending: number;
  readonly waiting: number;
}

/** Counts the connections by their use. */
export const holdersOf = (leases: Iterable<PooledLease>, waiting: number): Holders => {
  const all = [...leases];
  const inUse = all.filter(({ state }) => state === 'inUse');
  const by = (holder: PooledLease['heldBy']): number => inUse.filter(({ heldBy }) => heldBy === holder).length;
  return {
    cursors: by('cursor'),
    transactions: by('transaction'),
    others: by(undefined),
    pending: all.filter(({ state }) => state === 'pending').length,
    waiting,
  };
};

const describeHolders = (options: PoolOptions, { cursors, transactions, others, pending, waiting }: Holders): string =>
  `maxPoolSize: ${options.maxPoolSize}, connections in use by cursors: ${cursors}, connections in use by transactions: ` +
  `${transactions}, connections in use by other operations: ${others}, being opened: ${pending} ` +
  `(maxConnecting: ${options.maxConnecting}), other operations waiting: ${waiting}`;

/** How a checkout timed out. */
export interface TimedOut {
  readonly waited: Millis;
  /** True: by the operation's deadline. False: by waitQueueTimeoutMS. */
  readonly byDeadline: boolean;
  /** True: in the queue. False: while waiting for a handshake. */
  readonly inQueue: boolean;
}

/**
 * Returns whether a failed handshake may mean that the server is overloaded: network errors and timeouts while connecting, in the
 * TLS handshake and during hello. Excludes name resolution, certificates, proxies and authentication. Rule: CMAP, "Backpressure-enabled".
 */
const indicatesOverload = (error: MongoError, phase: Phase): boolean =>
  (error.kind === 'network' || error.kind === 'timeout') &&
  (phase === 'connect' || phase === 'tls' || phase === 'hello');

/** Returns the service that a failed handshake reached; undefined if hello got no reply. */
export const serviceIdOf = (thrown: unknown): ObjectId | undefined =>
  MongoError.is(thrown) ? thrown.origin?.serviceId : undefined;

/** Creates the errors of a pool. Each failed operation gets its own error object, because outer layers add labels to it. */
export class PoolFailures {
  readonly #address: Address;
  readonly #options: PoolOptions;
  readonly #generations: Generations;

  constructor(address: Address, options: PoolOptions, generations: Generations) {
    this.#address = address;
    this.#options = options;
    this.#generations = generations;
  }

  /** Returns the cause for a pool that was never ready. */
  notReadyYet(): MongoError {
    return new MongoError('pool', `No check of ${this.#address} has succeeded yet.`, {
      origin: { phase: 'select', sent: false, address: this.#address },
    });
  }

  closed(): MongoError {
    const what = 'Attempted to check out a connection from closed connection pool';
    const why = `the pool of ${this.#address} was closed with its client or because the server left the deployment.`;
    return new MongoError('pool', `${what}: ${why}`, { origin: this.#atCheckOut() });
  }

  /** Returns the error of a checkout that the closing of the client ended. */
  ended({ kind, message }: MongoError): MongoError {
    return new MongoError(kind, message, { origin: this.#atCheckOut() });
  }

  cleared(cause: MongoError): MongoError {
    return new MongoError(
      'pool',
      `Connection pool for ${this.#address} was cleared because another operation failed with: ${cause.message}`,
      { cause, origin: this.#atCheckOut() },
    );
  }

  interrupted(lease: PooledLease, cause: MongoError): MongoError {
    const isInUse = lease.state === 'inUse';
    return new MongoError('pool', `Connection to ${this.#address} interrupted due to server monitor timeout.`, {
      cause,
      origin: {
        phase: isInUse ? 'command' : 'checkOut',
        sent: isInUse,
        address: this.#address,
        generation: lease.generation,
        serviceId: lease.serviceId,
      },
    });
  }

  timedOut(holders: Holders, { waited, byDeadline, inQueue }: TimedOut): MongoError {
    const address = this.#address;
    const what = inQueue
      ? `no connection to ${address} became available`
      : `the handshake with ${address} did not finish`;
    const advice = inQueue
      ? 'Raise maxPoolSize or shorten the operations that hold connections.'
      : 'The server may be slow, or the time limit too short.';
    return new MongoError(
      byDeadline ? 'timeout' : 'pool',
      `Timed out while checking out a connection from connection pool: ${what} within ${Math.round(waited)} ms ` +
        `(${describeHolders(this.#options, holders)}). ${advice}`,
      { origin: { ...this.#atCheckOut(), waited } },
    );
  }

  aborted(waited: Millis, reason: unknown): MongoError {
    return new MongoError(
      'aborted',
      `The operation was aborted after it had waited ${Math.round(waited)} ms for a connection to ${this.#address}.`,
      { cause: reason, origin: this.#atCheckOut() },
    );
  }

  notListening(thrown: unknown): MongoError {
    return new MongoError(
      'usage',
      'The operation\'s "signal" threw an error when a listener was added. Pass the "signal" of an AbortController.',
      { cause: thrown, origin: this.#atCheckOut() },
    );
  }

  /** Completes the error of a handshake with its origin and labels. Returns the same object if it is a MongoError. */
  handshake(thrown: unknown, { generation, serviceId }: PooledLease): MongoError {
    const error = MongoError.is(thrown)
      ? thrown
      : new MongoError('network', `The handshake with ${this.#address} failed: ${String(thrown)}`, { cause: thrown });
    const { origin } = error;
    const phase = origin?.phase ?? 'connect';
    error.origin = { sent: false, ...origin, phase, address: this.#address, generation, serviceId };
    return indicatesOverload(error, phase) ? error.addLabel('SystemOverloadedError').addLabel('RetryableError') : error;
  }

  #atCheckOut(): Origin {
    return { phase: 'checkOut', sent: false, address: this.#address, generation: this.#generations.current };
  }
}
