/** What the pool's errors say, and how those of handshakes are completed. Rule: CMAP, "Connection Pool Errors". */
import type { Address, Millis, ObjectId, Origin, Phase } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { PooledLease } from './lease.js';
import type { PoolOptions } from './options.js';

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

const atCheckOut = (address: Address, generation: number): { origin: Origin } => ({
  origin: { phase: 'checkOut', sent: false, address, generation },
});

export const poolClosedError = (address: Address, generation: number): MongoError =>
  new MongoError(
    'pool',
    `Attempted to check out a Connection from closed connection pool: that of ${address} was closed with its client, or ` +
      'because the server left the deployment.',
    atCheckOut(address, generation),
  );

/** The cause of a pool that has not been ready yet: whoever is told "paused" is told why. */
export const notReadyYet = (address: Address): MongoError =>
  new MongoError('pool', `no check of ${address} has succeeded yet`, {
    origin: { phase: 'select', sent: false, address },
  });

export const poolClearedError = (address: Address, generation: number, cause: MongoError): MongoError =>
  new MongoError(
    'pool',
    `Connection pool for ${address} was cleared because another operation failed with: ${cause.message}`,
    { cause, ...atCheckOut(address, generation) },
  );

export const interruptedError = (address: Address, lease: PooledLease, cause: MongoError): MongoError => {
  const isInUse = lease.state === 'inUse';
  return new MongoError('pool', `Connection to ${address} interrupted due to server monitor timeout`, {
    cause,
    origin: {
      phase: isInUse ? 'command' : 'checkOut',
      sent: isInUse,
      address,
      generation: lease.generation,
      serviceId: lease.serviceId,
    },
  });
};

const sayHolders = (options: PoolOptions, { cursors, transactions, others, pending, waiting }: Holders): string =>
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

export const timeoutError = (
  address: Address,
  generation: number,
  options: PoolOptions,
  holders: Holders,
  { waited, byDeadline, inQueue }: TimedOut,
): MongoError => {
  const what = inQueue ? `no connection to ${address} came free` : `the handshake with ${address} was not done`;
  const advice = inQueue ? 'raise maxPoolSize or shorten the work' : 'is the server slow, or the limit too short?';
  return new MongoError(
    byDeadline ? 'timeout' : 'pool',
    `Timed out while checking out a connection from connection pool: ${what} within ${Math.round(waited)} ms ` +
      `(${sayHolders(options, holders)}); ${advice}`,
    atCheckOut(address, generation),
  );
};

export const abortedError = (address: Address, generation: number, waited: Millis, reason: unknown): MongoError =>
  new MongoError(
    'aborted',
    `The operation was aborted after it had waited ${Math.round(waited)} ms for a connection to ${address}`,
    { cause: reason, ...atCheckOut(address, generation) },
  );

/** Rule: CMAP, "Backpressure-enabled": failures to connect and of the hello, not of name resolution or authentication. */
const tellsOverload = (error: MongoError, phase: Phase): boolean =>
  (error.kind === 'network' || error.kind === 'timeout') && (phase === 'connect' || phase === 'hello');

/** Which service a failed handshake had reached, if the hello was answered. */
export const serviceIdOf = (thrown: unknown): ObjectId | undefined =>
  MongoError.is(thrown) ? (thrown.origin?.serviceId ?? thrown.origin?.hello?.serviceId) : undefined;

/** A failed handshake with its place in this pool, and its labels; the same object, so that it is one error everywhere. */
export const completeHandshakeError = (thrown: unknown, address: Address, lease: PooledLease): MongoError => {
  const error = MongoError.is(thrown)
    ? thrown
    : new MongoError('network', `The handshake with ${address} failed: ${String(thrown)}`, { cause: thrown });
  const { origin } = error;
  const phase = origin?.phase ?? 'connect';
  error.origin = {
    phase,
    sent: origin?.sent ?? false,
    address,
    generation: lease.generation,
    serviceId: lease.serviceId,
    server: origin?.server,
    hello: origin?.hello,
  };
  return tellsOverload(error, phase) ? error.addLabel('SystemOverloadedError').addLabel('RetryableError') : error;
};
