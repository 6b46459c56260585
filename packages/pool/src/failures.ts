/** What the pool's errors say, and how those of handshakes are completed. Rule: CMAP, "Connection Pool Errors". */
import type { Address, Millis, ObjectId, Origin, Phase, PoolOptions } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { Generations } from './generations.js';
import type { PooledLease } from './lease.js';

/** Who has the pool's connections. */
export interface Holders {
  readonly cursors: number;
  readonly transactions: number;
  readonly others: number;
  readonly pending: number;
  readonly waiting: number;
}

/** Counted only for an error that tells. */
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
  `${transactions}, connections in use by other operations: ${others}, being opened: ${pending} of ` +
  `${options.maxConnecting} at once, other operations waiting: ${waiting}`;

export interface TimedOut {
  readonly waited: Millis;
  /** By the operation's deadline, not by waitQueueTimeoutMS. */
  readonly byDeadline: boolean;
  /** In the queue, or for a handshake. */
  readonly inQueue: boolean;
}

/**
 * Failures to connect, of input and output while TLS is agreed on, and of the hello; not of name resolution, certificates,
 * proxies or authentication. Rule: CMAP, "Backpressure-enabled".
 */
const indicatesOverload = (error: MongoError, phase: Phase): boolean =>
  (error.kind === 'network' || error.kind === 'timeout') &&
  (phase === 'connect' || phase === 'tls' || phase === 'hello');

/** Which service a failed handshake had reached, if the hello was answered. */
export const serviceIdOf = (thrown: unknown): ObjectId | undefined =>
  MongoError.is(thrown) ? thrown.origin?.serviceId : undefined;

/** The errors of one pool. Each is made anew for whoever is to fail with it: an error collects labels on its way up. */
export class PoolFailures {
  readonly #address: Address;
  readonly #options: PoolOptions;
  readonly #generations: Generations;

  constructor(address: Address, options: PoolOptions, generations: Generations) {
    this.#address = address;
    this.#options = options;
    this.#generations = generations;
  }

  /** The cause of a pool that has not been ready yet: whoever is told that it is paused is told why. */
  notReadyYet(): MongoError {
    return new MongoError('pool', `no check of ${this.#address} has succeeded yet`, {
      origin: { phase: 'select', sent: false, address: this.#address },
    });
  }

  closed(): MongoError {
    const what = 'Attempted to check out a connection from closed connection pool';
    const why = `that of ${this.#address} was closed with its client, or because the server left the deployment`;
    return new MongoError('pool', `${what}: ${why}`, { origin: this.#atCheckOut() });
  }

  /** With its client. */
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
    return new MongoError('pool', `Connection to ${this.#address} interrupted due to server monitor timeout`, {
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
    const what = inQueue ? `no connection to ${address} came free` : `the handshake with ${address} was not done`;
    const advice = inQueue ? 'raise maxPoolSize or shorten the work' : 'is the server slow, or the limit too short?';
    return new MongoError(
      byDeadline ? 'timeout' : 'pool',
      `Timed out while checking out a connection from connection pool: ${what} within ${Math.round(waited)} ms ` +
        `(${describeHolders(this.#options, holders)}); ${advice}`,
      { origin: { ...this.#atCheckOut(), waited } },
    );
  }

  aborted(waited: Millis, reason: unknown): MongoError {
    return new MongoError(
      'aborted',
      `The operation was aborted after it had waited ${Math.round(waited)} ms for a connection to ${this.#address}`,
      { cause: reason, origin: this.#atCheckOut() },
    );
  }

  notListening(thrown: unknown): MongoError {
    return new MongoError(
      'usage',
      "The operation's 'signal' could not be listened to; pass the 'signal' of an AbortController",
      { cause: thrown, origin: this.#atCheckOut() },
    );
  }

  /** What a handshake threw, with its place in this pool and its labels: the same object, one error everywhere. */
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
