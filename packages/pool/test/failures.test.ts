import { MongoError } from '@tessera/contracts';
import type { DriverEvent, EventName, Origin } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { Announcer } from '../src/announcer.js';
import { holdersOf, PoolFailures, serviceIdOf } from '../src/failures.js';
import { Generations } from '../src/generations.js';
import { PooledLease } from '../src/lease.js';
import type { LeaseState } from '../src/lease.js';
import { defaults, resolveOptions, nonDefaultOptions } from '../src/options.js';

type CheckOutOrigin = Partial<Origin>;

const address = 'db1:27017';
const serviceId = ObjectId.createFromTime(1);

const leaseOf = (state: LeaseState, more: Partial<PooledLease> = {}): PooledLease =>
  Object.assign(new PooledLease(4, 2, 0, () => undefined), { state, ...more });

const failuresAt = (generation: number): PoolFailures => {
  const generations = new Generations();
  generations.current = generation;
  return new PoolFailures(address, { ...defaults, maxPoolSize: 9, maxConnecting: 3 }, generations);
};
const fieldsOf = ({ kind, message, origin, cause, labels }: MongoError) => ({ kind, message, origin, cause, labels });
const atCheckOut: CheckOutOrigin = { phase: 'checkOut', sent: false, address, generation: 5 };

describe('CMAP "Connection Pool Errors": contain the failure, its origin, and that nothing was sent', () => {
  const failures = failuresAt(5);

  test('for a pool that was never ready, is closed, or was cleared, and for an abort', () => {
    const cause = new MongoError('network', 'reset');
    expect(
      [
        failures.notReadyYet(),
        failures.closed(),
        failures.ended(new MongoError('closed', 'client was closed')),
        failures.cleared(cause),
        failures.aborted(12.4, 'enough'),
      ].map(fieldsOf),
    ).toEqual([
      {
        kind: 'pool',
        message: 'No check of db1:27017 has succeeded yet.',
        origin: { phase: 'select', sent: false, address },
        cause: undefined,
        labels: [],
      },
      {
        kind: 'pool',
        message:
          'Attempted to check out a connection from closed connection pool: the pool of db1:27017 was closed with its ' +
          'client or because the server left the deployment.',
        origin: atCheckOut,
        cause: undefined,
        labels: [],
      },
      { kind: 'closed', message: 'client was closed', origin: atCheckOut, cause: undefined, labels: [] },
      {
        kind: 'pool',
        message: 'Connection pool for db1:27017 was cleared because another operation failed with: reset',
        origin: atCheckOut,
        cause,
        labels: [],
      },
      {
        kind: 'aborted',
        message: 'The operation was aborted after it had waited 12 ms for a connection to db1:27017.',
        origin: atCheckOut,
        cause: 'enough',
        labels: [],
      },
    ]);
  });

  test('"interruptInUseConnections": for a running command, the origin says that it was sent', () => {
    const cause = new MongoError('timeout', 'late');
    const message = 'Connection to db1:27017 interrupted due to server monitor timeout.';
    const common = { kind: 'pool', message, cause, labels: [] };
    expect(fieldsOf(failures.interrupted(leaseOf('inUse', { serviceId }), cause))).toEqual({
      ...common,
      origin: { phase: 'command', sent: true, address, generation: 2, serviceId },
    });
    expect(fieldsOf(failures.interrupted(leaseOf('pending'), cause))).toEqual({
      ...common,
      origin: { phase: 'checkOut', sent: false, address, generation: 2, serviceId: undefined },
    });
  });

  test('for a timeout in the queue or a handshake, with the kind timeout if the deadline caused it', () => {
    const holders = { cursors: 1, transactions: 2, others: 3, pending: 4, waiting: 5 };
    const details =
      '(maxPoolSize: 9, connections in use by cursors: 1, connections in use by transactions: 2, connections in use by ' +
      'other operations: 3, being opened: 4 (maxConnecting: 3), other operations waiting: 5)';
    const timedOut = (byDeadline: boolean, inQueue: boolean) =>
      fieldsOf(failures.timedOut(holders, { waited: 99.6, byDeadline, inQueue }));
    const common = { origin: { ...atCheckOut, waited: 99.6 }, cause: undefined, labels: [] };
    const what = 'Timed out while checking out a connection from connection pool:';
    expect(timedOut(false, true)).toEqual({
      ...common,
      kind: 'pool',
      message: `${what} no connection to db1:27017 became available within 100 ms ${details}. Raise maxPoolSize or shorten the operations that hold connections.`,
    });
    expect(timedOut(true, false)).toEqual({
      ...common,
      kind: 'timeout',
      message: `${what} the handshake with db1:27017 did not finish within 100 ms ${details}. The server may be slow, or the time limit too short.`,
    });
  });

  test('counts the holders only of connections in use', () => {
    const leases = [
      leaseOf('inUse', { heldBy: 'cursor' }),
      leaseOf('inUse', { heldBy: 'transaction' }),
      leaseOf('inUse', { heldBy: 'transaction' }),
      leaseOf('inUse'),
      leaseOf('inUse'),
      leaseOf('inUse'),
      leaseOf('pending'),
      leaseOf('failing'),
      leaseOf('idle', { heldBy: 'cursor' }),
    ];
    expect(holdersOf(leases, 7)).toEqual({ cursors: 1, transactions: 2, others: 3, pending: 1, waiting: 7 });
  });
});

describe('the error of a handshake', () => {
  const failures = failuresAt(5);
  const lease = leaseOf('failing', { serviceId });
  const known = { serverType: 'RSPrimary', maxWireVersion: 21, hasSessions: true } as const;
  const unknown = { serverType: undefined, maxWireVersion: undefined, hasSessions: undefined };

  test('is the same object, with its origin in this pool', () => {
    const error = new MongoError('auth', 'no', { origin: { phase: 'auth', sent: true, generation: 9, ...known } });
    expect(failures.handshake(error, lease)).toBe(error);
    expect(error.origin).toEqual({ phase: 'auth', sent: true, address, generation: 2, serviceId, ...known });
    expect(error.labels).toEqual([]);
  });

  test('gets the phase connect if it is not a MongoError or has no origin', () => {
    const cause = new TypeError('odd');
    const origin = { phase: 'connect', sent: false, address, generation: 2, serviceId };
    const labels = ['SystemOverloadedError', 'RetryableError'];
    expect(fieldsOf(failures.handshake(cause, lease))).toEqual({
      ...{ kind: 'network', message: 'The handshake with db1:27017 failed: TypeError: odd', cause },
      ...{ origin: { ...origin, ...unknown }, labels },
    });
    expect(fieldsOf(failures.handshake(new MongoError('timeout', 'late'), lease))).toEqual({
      ...{ kind: 'timeout', message: 'late', cause: undefined },
      ...{ origin: { ...origin, ...unknown }, labels },
    });
  });

  test('has the service that the handshake reached', () => {
    const withOrigin = (origin: Partial<Origin>) =>
      new MongoError('auth', 'no', { origin: { phase: 'auth', sent: true, ...origin } });
    expect(serviceIdOf(withOrigin({ serviceId }))).toBe(serviceId);
    for (const thrown of [withOrigin({}), new MongoError('auth', 'no'), new TypeError('odd'), undefined])
      expect(serviceIdOf(thrown)).toBe(undefined);
  });
});

describe('CMAP "Events"', () => {
  const lease = leaseOf('inUse', { serviceId });
  const error = new MongoError('network', 'reset');
  const announceAll = (announcer: Announcer): void => {
    announcer.poolCreated({ ...defaults, maxPoolSize: 5, connectTimeoutMS: 1 });
    announcer.poolReady();
    announcer.poolCleared(serviceId, true);
    announcer.created(lease);
    announcer.ready(lease, 3);
    announcer.checkOutStarted();
    announcer.checkOutFailed('timeout', 4, error);
    announcer.checkedOut(lease, 5);
    announcer.checkedIn(lease);
    announcer.closed(lease, 'error', error);
    announcer.poolClosed();
  };
  const all: readonly DriverEvent[] = [
    { name: 'connectionPoolCreated', address, options: { maxPoolSize: 5 } },
    { name: 'connectionPoolReady', address },
    { name: 'connectionPoolCleared', address, serviceId, interruptInUseConnections: true },
    { name: 'connectionCreated', address, connectionId: 4 },
    { name: 'connectionReady', address, connectionId: 4, serviceId, durationMS: 3 },
    { name: 'connectionCheckOutStarted', address },
    { name: 'connectionCheckOutFailed', address, reason: 'timeout', error, durationMS: 4 },
    { name: 'connectionCheckedOut', address, connectionId: 4, serviceId, durationMS: 5 },
    { name: 'connectionCheckedIn', address, connectionId: 4, serviceId },
    { name: 'connectionClosed', address, connectionId: 4, serviceId, reason: 'error', error },
    { name: 'connectionPoolClosed', address },
  ];
  const heardBy = (wants: (name: EventName) => boolean): readonly DriverEvent[] => {
    const heard: DriverEvent[] = [];
    announceAll(new Announcer({ wants, emit: event => heard.push(event) }, address));
    return heard;
  };

  test('each has all fields of the specification', () => {
    expect(heardBy(() => true)).toEqual(all);
  });

  test('each is only emitted to sinks that want it', () => {
    for (const event of all) expect(heardBy(name => name === event.name)).toEqual([event]);
    expect(heardBy(() => false)).toEqual([]);
  });
});

describe('CMAP "Connection Pool Options"', () => {
  const usage = (options: Parameters<typeof resolveOptions>[0]): readonly unknown[] => {
    try {
      resolveOptions(options);
    } catch (error) {
      if (MongoError.is(error)) return [error.kind, error.message];
    }
    return [];
  };

  test('resolveOptions adds the defaults of missing options', () => {
    const given = { maxPoolSize: 0, minPoolSize: 3, maxIdleTimeMS: 1, maxConnecting: 1, waitQueueTimeoutMS: 2 };
    expect(resolveOptions(given)).toEqual({ ...given, connectTimeoutMS: 30_000, timeoutMS: 0 });
    expect(resolveOptions({ connectTimeoutMS: 0 })).toEqual({ ...defaults, connectTimeoutMS: 0 });
  });

  test('resolveOptions accepts the minimum and the maximum of each option', () => {
    for (const options of [
      ...[{ maxPoolSize: 0, minPoolSize: 999 }, { maxPoolSize: 3, minPoolSize: 3 }, { maxConnecting: 1 }],
      ...[{ maxIdleTimeMS: 0.5 }, { waitQueueTimeoutMS: 0 }, { connectTimeoutMS: 0 }],
    ])
      expect(usage(options)).toEqual([]);
  });

  test.each([
    [{ maxPoolSize: -1 }, '"maxPoolSize" must be a whole number from 0 (no limit), not -1.'],
    [{ maxPoolSize: 1.5 }, '"maxPoolSize" must be a whole number from 0 (no limit), not 1.5.'],
    [{ minPoolSize: -1 }, '"minPoolSize" must be a whole number from 0, not -1.'],
    [{ maxPoolSize: 3, minPoolSize: 4 }, '"minPoolSize" (4) must not be greater than "maxPoolSize" (3).'],
    [{ maxIdleTimeMS: -1 }, '"maxIdleTimeMS" must be 0 (no limit) or more, not -1.'],
    [{ maxConnecting: 0 }, '"maxConnecting" must be a whole number from 1, not 0.'],
    [{ maxConnecting: 1.5 }, '"maxConnecting" must be a whole number from 1, not 1.5.'],
    [{ waitQueueTimeoutMS: -1 }, '"waitQueueTimeoutMS" must be 0 (no limit) or more, not -1.'],
    [{ timeoutMS: -1 }, '"timeoutMS" must be 0 (no limit) or more, not -1.'],
    [{ connectTimeoutMS: -1 }, '"connectTimeoutMS" must be 0 (no limit) or more, not -1.'],
  ])('%o cannot be', (options, sentence) => {
    expect(usage(options)).toEqual(['usage', sentence]);
  });

  test('"Any non-default pool options" excludes connectTimeoutMS and timeoutMS, which are not options of the pool', () => {
    expect(nonDefaultOptions({ ...defaults, connectTimeoutMS: 1, timeoutMS: 1 })).toEqual({});
    const options = { maxPoolSize: 1, minPoolSize: 1, maxIdleTimeMS: 1, maxConnecting: 1, waitQueueTimeoutMS: 1 };
    expect(nonDefaultOptions({ ...options, connectTimeoutMS: 1, timeoutMS: 1 })).toEqual(options);
  });
});
