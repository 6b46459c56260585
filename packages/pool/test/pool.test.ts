import type { ConnectionPool, DriverEvent, EventName, Lease } from '@tessera/contracts';
import { MongoError, noLimit } from '@tessera/contracts';
import type { PoolOptions } from '@tessera/pool';
import { createPools, defaults } from '@tessera/pool';
import type { ConnectScript, Recorder, World } from '@tessera/sim';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const address = 'db1:27017';

interface Bench {
  readonly world: World;
  readonly script: ConnectScript;
  readonly events: Recorder;
  readonly reported: MongoError[];
  readonly pool: ConnectionPool;
  checkOut(within?: number): Promise<Lease>;
}

const bench = (options: Partial<PoolOptions> = {}): Bench => {
  const world = createWorld({ turn });
  const { clock } = world.runtime;
  const script = scriptConnect({ clock });
  const events = createRecorder();
  const reported: MongoError[] = [];
  const openPool = createPools({ clock, events, connect: script.connect }, options);
  const pool = openPool(address, error => reported.push(error));
  const checkOut = async (within = Infinity): Promise<Lease> => pool.checkOut({ deadline: clock.now() + within });
  return { world, script, events, reported, pool, checkOut };
};

const messageOf = async (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'no failure',
    (error: unknown) => (error as Error).message,
  );

const names = (events: readonly DriverEvent[]): readonly string[] => events.map(({ name }) => name);

describe('the fast path', () => {
  test('returns an idle connection without a promise, the most recently used first', async () => {
    const { world, pool, checkOut } = bench();
    await world.run(async () => {
      pool.ready();
      const leases = [await checkOut(), await checkOut(), await checkOut()];
      for (const lease of leases) lease.release();
      const again = [1, 2, 3].map(() => pool.checkOut({ deadline: Infinity }));
      expect(again).toEqual([leases[2], leases[1], leases[0]]);
      expect(again.every((lease, index) => lease === leases[2 - index])).toBe(true);
    });
  });

  test('lends an idle connection to the head of the queue if operations wait', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      const order: string[] = [];
      const waiting = checkOut().then(lease => {
        order.push('waiting');
        lease.release();
      });
      first.release();
      const late = pool.checkOut({ deadline: Infinity });
      expect(late).toBeInstanceOf(Promise);
      await late;
      order.push('late');
      await waiting;
      expect(order).toEqual(['waiting', 'late']);
    });
  });

  test('serves a queue of any length in order, and skips operations that stopped waiting', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      const served: number[] = [];
      const waiting = Array.from({ length: 200 }, async (_, index) => {
        const lease = await checkOut(index % 3 === 0 ? 10 : Infinity).catch(() => undefined);
        if (lease === undefined) return;
        served.push(index);
        lease.release();
      });
      await world.runtime.clock.sleep(20);
      const late = Array.from({ length: 100 }, async (_, index) => {
        const lease = await checkOut();
        served.push(200 + index);
        lease.release();
      });
      first.release();
      await Promise.all([...waiting, ...late]);
      const stayed = Array.from({ length: 300 }, (_, index) => index).filter(index => index >= 200 || index % 3 !== 0);
      expect(served).toEqual(stayed);
    });
  });

  test('does not build an event that the sink does not want', async () => {
    const world = createWorld({ turn });
    const { clock } = world.runtime;
    const asked = new Set<EventName>();
    const events = {
      wants: (name: EventName) => {
        asked.add(name);
        return false;
      },
      emit: (event: DriverEvent) => {
        throw new Error(`nobody wanted ${event.name}`);
      },
    };
    const { connect } = scriptConnect({ clock });
    const pool = createPools({ clock, events, connect }, { maxPoolSize: 1 })(address, () => undefined);
    await world.run(async () => {
      pool.ready();
      const lease = await pool.checkOut({ deadline: Infinity });
      const waiting = Promise.resolve(pool.checkOut({ deadline: clock.now() + 5 }));
      await expect(waiting).rejects.toThrow('Timed out');
      pool.clear({ cause: new MongoError('network', 'gone') });
      lease.release();
      pool.close();
    });
    expect([...asked].sort()).toEqual([
      'connectionCheckOutFailed',
      'connectionCheckOutStarted',
      'connectionCheckedIn',
      'connectionCheckedOut',
      'connectionClosed',
      'connectionCreated',
      'connectionPoolCleared',
      'connectionPoolClosed',
      'connectionPoolCreated',
      'connectionPoolReady',
      'connectionReady',
    ]);
  });
});

describe('options', () => {
  const creatingWith = (options: Partial<PoolOptions>) => () => {
    const { clock } = createWorld({ turn }).runtime;
    createPools({ clock, events: createRecorder(), connect: scriptConnect({ clock }).connect }, options);
  };

  test('default to the values of the specification', () => {
    expect(defaults).toEqual({
      maxPoolSize: 100,
      minPoolSize: 0,
      maxIdleTimeMS: 0,
      maxConnecting: 2,
      waitQueueTimeoutMS: 0,
      connectTimeoutMS: 30_000,
      timeoutMS: 0,
    });
  });

  test('are rejected when the pools are created, with the invalid value in the message', () => {
    expect(creatingWith({ maxPoolSize: -1 })).toThrow(
      '"maxPoolSize" must be a whole number from 0 (no limit), not -1.',
    );
    expect(creatingWith({ maxPoolSize: 1.5 })).toThrow(
      '"maxPoolSize" must be a whole number from 0 (no limit), not 1.5.',
    );
    expect(creatingWith({ minPoolSize: NaN })).toThrow('"minPoolSize" must be a whole number from 0, not NaN.');
    expect(creatingWith({ minPoolSize: 101 })).toThrow(
      '"minPoolSize" (101) must not be greater than "maxPoolSize" (100).',
    );
    expect(creatingWith({ maxConnecting: 0 })).toThrow('"maxConnecting" must be a whole number from 1, not 0.');
    expect(creatingWith({ maxIdleTimeMS: -5 })).toThrow('"maxIdleTimeMS" must be 0 (no limit) or more, not -5.');
    expect(creatingWith({ waitQueueTimeoutMS: NaN })).toThrow(
      '"waitQueueTimeoutMS" must be 0 (no limit) or more, not NaN.',
    );
    expect(creatingWith({ maxPoolSize: 0, minPoolSize: 200 })).not.toThrow();
  });

  test('CMAP "Events", PoolCreatedEvent: contains only options that differ from the defaults', () => {
    const { events } = bench({ maxPoolSize: 50, minPoolSize: 0, maxIdleTimeMS: 100 });
    expect(events.events).toEqual([
      { name: 'connectionPoolCreated', address, options: { maxPoolSize: 50, maxIdleTimeMS: 100 } },
    ]);
  });
});

describe('messages of errors contain the failure, the server, the time and advice', () => {
  test('for a timeout in the queue, and for a timeout of a handshake', async () => {
    const { world, pool, script, checkOut } = bench({ maxPoolSize: 4, waitQueueTimeoutMS: 2000 });
    await world.run(async () => {
      pool.ready();
      const [one, two] = [await checkOut(), await checkOut(), await checkOut()];
      one.hold('cursor');
      two.hold('transaction');
      script.usually({ after: 5000 });
      const opening = messageOf(checkOut(1000.4));
      const queued = messageOf(checkOut());
      expect(await opening).toBe(
        'Timed out while checking out a connection from connection pool: the handshake with db1:27017 did not finish ' +
          'within 1000 ms (maxPoolSize: 4, connections in use by cursors: 1, connections in use by transactions: 1, ' +
          'connections in use by other operations: 1, being opened: 1 (maxConnecting: 2), other operations waiting: 1). ' +
          'The server may be slow, or the time limit too short.',
      );
      expect(await queued).toBe(
        'Timed out while checking out a connection from connection pool: no connection to db1:27017 became available ' +
          'within 2000 ms (maxPoolSize: 4, connections in use by cursors: 1, connections in use by transactions: 1, ' +
          'connections in use by other operations: 1, being opened: 1 (maxConnecting: 2), other operations waiting: 0). ' +
          'Raise maxPoolSize or shorten the operations that hold connections.',
      );
      pool.close();
    });
  });

  test('waitQueueTimeoutMS limits the wait for a handshake, and the error names the handshake', async () => {
    const { world, pool, script, checkOut } = bench({ waitQueueTimeoutMS: 50 });
    await world.run(async () => {
      pool.ready();
      script.next({ after: 500 });
      expect(await messageOf(checkOut())).toMatch(/: the handshake with db1:27017 did not finish within 50 ms \(/);
      expect(world.runtime.clock.now()).toBe(50);
      await world.runtime.clock.sleep(500);
    });
  });

  test('maxConnecting limits the connections opened at once, and the load counts the operations that wait', async () => {
    const { world, pool, script, checkOut } = bench({ maxConnecting: 2 });
    await world.run(async () => {
      pool.ready();
      script.usually({ after: 100 });
      const waiting = Promise.all([1, 2, 3, 4, 5].map(() => checkOut()));
      expect([script.pending, pool.load]).toEqual([2, 5]);
      const leases = await waiting;
      expect([script.pending, pool.load]).toEqual([0, 5]);
      for (const lease of leases) lease.release();
      expect(pool.load).toBe(0);
      pool.close();
    });
  });

  test('a deadline of timeoutMS: 0 waits without limit, even when waitQueueTimeoutMS is set', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1, waitQueueTimeoutMS: 50 });
    const { clock } = world.runtime;
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      const waiting = Promise.resolve(pool.checkOut({ deadline: noLimit }));
      await clock.sleep(1_000_000);
      first.release();
      expect(await waiting).toBe(first);
      first.release();
      pool.close();
    });
  });

  test('for a pool that is closed, was never ready or was cleared, and for an abort', async () => {
    const { world, pool, checkOut } = bench();
    await world.run(async () => {
      expect(await messageOf(checkOut())).toBe(
        'Connection pool for db1:27017 was cleared because another operation failed with: ' +
          'No check of db1:27017 has succeeded yet.',
      );
      pool.clear({ cause: new MongoError('network', 'connection reset by db1:27017') });
      expect(await messageOf(checkOut())).toBe(
        'Connection pool for db1:27017 was cleared because another operation failed with: connection reset by db1:27017',
      );
      pool.ready();
      const aborted = Promise.resolve(pool.checkOut({ deadline: Infinity, signal: AbortSignal.abort('enough') }));
      expect(await messageOf(aborted)).toBe(
        'The operation was aborted after it had waited 0 ms for a connection to db1:27017.',
      );
      pool.close();
      expect(await messageOf(checkOut())).toBe(
        'Attempted to check out a connection from closed connection pool: the pool of db1:27017 was closed with its ' +
          'client or because the server left the deployment.',
      );
    });
  });

  test('each waiting operation fails with its own error object, with its own labels', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      await checkOut();
      const waiting = Promise.allSettled([checkOut(), checkOut()]);
      pool.clear({ cause: new MongoError('network', 'gone') });
      const [one, two] = (await waiting).map(outcome => (outcome as PromiseRejectedResult).reason as MongoError);
      one?.addLabel('RetryableWriteError');
      expect(two?.labels).toEqual([]);
    });
  });

  test('a hold ends when the connection is returned', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      const lease = await checkOut();
      lease.hold('cursor');
      lease.release();
      await checkOut();
      expect(await messageOf(checkOut(1))).toContain('by cursors: 0, connections in use by transactions: 0');
    });
  });

  test('a thrown value of a handshake that is not a MongoError becomes the cause of one', async () => {
    const { world, pool, script, checkOut, reported } = bench();
    await world.run(async () => {
      pool.ready();
      const cause = new TypeError('no such thing');
      script.next({ fail: () => cause });
      const error = await checkOut().catch((thrown: unknown) => thrown);
      expect(MongoError.is(error) && [error.kind, error.cause === cause, error.message]).toEqual([
        'network',
        true,
        'The handshake with db1:27017 failed: TypeError: no such thing',
      ]);
      expect(reported).toEqual([error]);
    });
  });
});

test('CMAP "Backpressure-enabled": only failures of connect, of the TLS handshake and of hello get the overload labels', async () => {
  const { world, pool, script, checkOut } = bench();
  await world.run(async () => {
    pool.ready();
    const labelled: string[] = [];
    for (const phase of ['resolve', 'proxy', 'connect', 'tls', 'hello', 'auth'] as const)
      for (const kind of ['network', 'timeout', 'protocol'] as const) {
        script.next({ fail: () => new MongoError(kind, 'no', { origin: { phase, sent: false } }) });
        const error = await checkOut().catch((thrown: unknown) => thrown);
        if (MongoError.is(error) && error.labels.includes('SystemOverloadedError')) labelled.push(`${phase} ${kind}`);
      }
    expect(labelled).toEqual([
      ...['connect network', 'connect timeout', 'tls network', 'tls timeout', 'hello network', 'hello timeout'],
    ]);
  });
});

describe('background work', () => {
  test('retries minPoolSize after 100 ms, doubles the wait up to 10 s, and resets it after a success', async () => {
    const { world, pool, script, events } = bench({ minPoolSize: 1 });
    const { clock } = world.runtime;
    const fail = (): MongoError => new MongoError('network', 'no', { origin: { phase: 'connect', sent: false } });
    const begun: number[] = [];
    events.listen(({ name }) => {
      if (name === 'connectionCreated') begun.push(clock.now());
    });
    await world.run(async () => {
      script.usually({ after: 0, fail });
      pool.ready();
      await clock.sleep(45_000);
      const waits = begun.slice(1).map((time, index) => time - (begun[index] ?? 0));
      expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
      script.usually({ after: 0 });
      await clock.sleep(10_000);
      script.connections[0]?.breakOff();
      begun.length = 0;
      script.next({ after: 0, fail }, { after: 0, fail });
      const from = clock.now();
      await expect(Promise.resolve(pool.checkOut({ deadline: Infinity }))).rejects.toThrow('no');
      await clock.sleep(200);
      expect(begun.map(time => time - from)).toEqual([0, 100]);
      pool.close();
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('does not delay minPoolSize after a failure of an older generation', async () => {
    const { world, pool, script } = bench({ minPoolSize: 1 });
    const { clock } = world.runtime;
    await world.run(async () => {
      script.next({ after: 10, fail: () => new MongoError('network', 'no') });
      pool.ready();
      await clock.sleep(5);
      pool.clear({ cause: new MongoError('network', 'gone') });
      await clock.sleep(10);
      expect(world.leftovers()).toEqual([]);
      pool.ready();
      await clock.sleep(1);
      expect(script.connections).toHaveLength(1);
    });
  });

  test('serves waiting operations before it fills minPoolSize', async () => {
    const { world, pool, script, checkOut, events } = bench({ minPoolSize: 3, maxConnecting: 1, maxPoolSize: 3 });
    await world.run(async () => {
      script.usually({ after: 10 });
      pool.ready();
      const served = [1, 2, 3].map(async () => (await checkOut()).connection.id);
      expect(await Promise.all(served)).toEqual([1, 2, 3]);
      expect(events.count('connectionCreated')).toBe(3);
    });
  });

  test('leaves one of maxConnecting to checkouts while it fills minPoolSize', async () => {
    const { world, pool, script, checkOut, events } = bench({ minPoolSize: 4, maxConnecting: 3 });
    const { clock } = world.runtime;
    await world.run(async () => {
      script.usually({ after: 10 });
      pool.ready();
      expect(events.count('connectionCreated')).toBe(2);
      await clock.sleep(5);
      const first = checkOut();
      expect(events.count('connectionCreated')).toBe(3);
      const second = checkOut();
      // The checkouts get the first ready connections, in their order.
      expect([(await first).connection.id, (await second).connection.id]).toEqual([1, 2]);
      expect(clock.now()).toBe(10);
    });
  });

  test('lends a connection that is being opened to a checkout that waits for maxConnecting', async () => {
    const { world, pool, script, checkOut, events } = bench({ minPoolSize: 2, maxPoolSize: 3 });
    const { clock } = world.runtime;
    await world.run(async () => {
      script.usually({ after: 10 });
      pool.ready();
      await clock.sleep(5);
      const [first, second] = [checkOut(), checkOut()];
      expect((await first).connection.id).toBe(1);
      expect(clock.now()).toBe(10);
      expect((await second).connection.id).toBe(2);
      expect(clock.now()).toBe(15);
      expect(events.count('connectionCreated')).toBe(2);
    });
  });

  test('lends passed-on connections to the checkouts in their order, regardless of which is ready first', async () => {
    const { world, pool, script, checkOut } = bench({ minPoolSize: 1, maxConnecting: 3 });
    await world.run(async () => {
      script.next({ after: 10 });
      script.next({ after: 100 });
      script.next({ after: 50 });
      pool.ready();
      const order: number[] = [];
      const all = [1, 2, 3].map(async index => {
        await checkOut();
        order.push(index);
      });
      await Promise.all(all);
      expect(order).toEqual([1, 2, 3]);
    });
  });

  test('immediately replaces a connection that broke in use, to keep minPoolSize', async () => {
    const { world, pool, script } = bench({ minPoolSize: 1 });
    const { clock } = world.runtime;
    await world.run(async () => {
      pool.ready();
      await clock.sleep(5);
      const lease = await pool.checkOut({ deadline: Infinity });
      script.connections[0]?.breakOff();
      lease.release();
      await clock.sleep(5);
      expect(script.connections.map(({ id, closed }) => [id, closed])).toEqual([
        [1, true],
        [2, false],
      ]);
    });
  });

  test('cancels all timers when the pool is cleared', async () => {
    const fail = (): MongoError => new MongoError('network', 'no', { origin: { phase: 'hello', sent: false } });
    const { world, pool, script, checkOut } = bench({ minPoolSize: 2, maxIdleTimeMS: 1000, maxConnecting: 1 });
    await world.run(async () => {
      script.next({}, { fail });
      pool.ready();
      await world.runtime.clock.sleep(5);
      (await checkOut()).release();
      expect(world.leftovers()).toEqual(['timer is due at 102 ms', 'timer is due at 1001 ms']);
      pool.clear({ cause: new MongoError('network', 'gone') });
      expect(world.leftovers()).toEqual([]);
    });
  });

  test('uses one timer for many idle connections, and none without idle connections', async () => {
    const { world, pool, checkOut } = bench({ maxIdleTimeMS: 100, maxConnecting: 10 });
    const { clock } = world.runtime;
    await world.run(async () => {
      pool.ready();
      const leases = await Promise.all(Array.from({ length: 10 }, () => checkOut()));
      for (const lease of leases) {
        await clock.sleep(1);
        lease.release();
      }
      expect(world.leftovers()).toHaveLength(1);
      await clock.sleep(200);
      expect(leases.filter(({ connection }) => !connection.closed)).toEqual([]);
      expect(world.leftovers()).toEqual([]);
    });
  });
});

describe('behind a load balancer', () => {
  test('CMAP "Load Balancer Mode": deletes a service with its last connection, and never reuses a generation', async () => {
    const { world, pool, script, checkOut, events } = bench();
    const serviceId = new ObjectId();
    script.usually({ serviceId });
    await world.run(async () => {
      pool.ready();
      const seen: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const lease = await checkOut();
        seen.push(lease.generation);
        pool.clear({ cause: new MongoError('network', 'gone'), serviceId: new ObjectId(serviceId.toHexString()) });
        lease.release();
      }
      expect(seen).toEqual([0, 1, 2]);
      expect(events.events.at(-1)).toEqual({
        name: 'connectionClosed',
        address,
        connectionId: 3,
        serviceId,
        reason: 'stale',
        error: undefined,
      });
    });
  });

  test('does not clear a service again for an error of an older generation', async () => {
    const { world, pool, script, checkOut, events } = bench();
    const serviceId = new ObjectId();
    script.usually({ serviceId });
    await world.run(async () => {
      pool.ready();
      const old = await checkOut();
      const cause = new MongoError('network', 'gone', {
        origin: { phase: 'command', sent: true, address, generation: old.generation, serviceId },
      });
      pool.clear({ cause, serviceId });
      const fresh = await checkOut();
      pool.clear({ cause, serviceId });
      fresh.release();
      expect(await checkOut()).toBe(fresh);
      expect(names(events.events).filter(name => name === 'connectionPoolCleared')).toHaveLength(1);
    });
  });

  test('gives a service that reappears the newest generation', async () => {
    const { world, pool, script, checkOut } = bench();
    const [one, two] = [new ObjectId(), new ObjectId()];
    await world.run(async () => {
      pool.ready();
      script.next({ serviceId: one }, { serviceId: two }, { serviceId: one });
      const [a, b] = [await checkOut(), await checkOut()];
      a.connection.close();
      a.release();
      pool.clear({ cause: new MongoError('network', 'gone'), serviceId: two });
      b.release();
      expect([a.generation, b.generation, (await checkOut()).generation]).toEqual([0, 0, 1]);
    });
  });

  test('opens no connection for minPoolSize while the pool is paused, even if a connection is returned', async () => {
    const { world, pool, script, checkOut } = bench({ minPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      await world.runtime.clock.sleep(5);
      const lease = await checkOut();
      pool.clear({ cause: new MongoError('network', 'gone') });
      lease.release();
      await world.runtime.clock.sleep(60_000);
      expect(script.connections.map(({ closed }) => closed)).toEqual([true]);
      pool.close();
    });
  });

  test('restores minPoolSize after a service is cleared', async () => {
    const { world, pool, script } = bench({ minPoolSize: 1 });
    const serviceId = new ObjectId();
    script.usually({ serviceId });
    await world.run(async () => {
      pool.ready();
      await world.runtime.clock.sleep(5);
      pool.clear({ cause: new MongoError('network', 'gone'), serviceId });
      await world.runtime.clock.sleep(5);
      expect(script.connections.map(({ closed }) => closed)).toEqual([true, false]);
    });
  });

  test('interruptInUse closes only connections of the cleared service', async () => {
    const { world, pool, script, checkOut } = bench();
    const [one, two] = [new ObjectId(), new ObjectId()];
    script.next({ serviceId: one }, { serviceId: two });
    await world.run(async () => {
      pool.ready();
      const [a, b] = [await checkOut(), await checkOut()];
      pool.clear({ cause: new MongoError('timeout', 'slow'), serviceId: one, interruptInUse: true });
      expect([a.connection.closed, b.connection.closed]).toEqual([true, false]);
      const closing = script.connections[0]?.closing?.cause;
      expect(closing?.origin).toEqual({ phase: 'command', sent: true, address, generation: 0, serviceId: one });
    });
  });

  test('opens a connection for a waiting operation when another connection closes', async () => {
    const { world, pool, script, checkOut } = bench({ maxPoolSize: 2 });
    const [one, two] = [new ObjectId(), new ObjectId()];
    script.next({ serviceId: one }, { serviceId: two }, { serviceId: two });
    await world.run(async () => {
      pool.ready();
      const [a, b] = [await checkOut(), await checkOut()];
      const waiting = checkOut();
      pool.clear({ cause: new MongoError('network', 'gone'), serviceId: one });
      a.release();
      expect((await waiting).connection.id).toBe(3);
      b.release();
    });
  });
});

describe('an event listener may call the pool synchronously', () => {
  const on = (name: EventName, act: (bench: Bench) => void, options: Partial<PoolOptions> = {}): Bench => {
    const made = bench(options);
    let done = false;
    made.events.listen(event => {
      if (event.name !== name || done) return;
      done = true;
      act(made);
    });
    return made;
  };

  for (const name of ['connectionCreated', 'connectionReady', 'connectionCheckedOut', 'connectionPoolReady'] as const) {
    test(`closing the pool in ${name} leaves nothing open`, async () => {
      const { world, pool, script, checkOut, events } = on(name, made => made.pool.close());
      const { clock } = world.runtime;
      await world.run(async () => {
        pool.ready();
        const lease = await checkOut().catch(() => undefined);
        lease?.release();
        await clock.sleep(10);
      });
      expect(script.connections.filter(({ closed }) => !closed)).toEqual([]);
      expect([pool.load, script.pending]).toEqual([0, 0]);
      expect(events.count('connectionCreated')).toBe(events.count('connectionClosed'));
      expect(world.leftovers()).toEqual([]);
    });
  }

  test('clearing the pool in connectionReady makes the connection stale, and it is not lent', async () => {
    const clearing = (made: Bench): void => made.pool.clear({ cause: new MongoError('network', 'gone') });
    const { world, pool, checkOut, events } = on('connectionReady', clearing);
    await world.run(async () => {
      pool.ready();
      await expect(checkOut()).rejects.toThrow('was cleared');
    });
    expect(names(events.events).slice(-4)).toEqual([
      'connectionReady',
      'connectionPoolCleared',
      'connectionCheckOutFailed',
      'connectionClosed',
    ]);
  });

  for (const name of ['connectionCheckedOut', 'connectionClosed', 'connectionCheckOutFailed'] as const) {
    test(`aborting in ${name} has no effect on an operation that has just been settled`, async () => {
      const hand = new AbortController();
      const { world, pool, script, events } = on(name, () => hand.abort('enough'), { maxPoolSize: 1 });
      await world.run(async () => {
        pool.ready();
        const fail = (): MongoError => new MongoError('network', 'no');
        if (name !== 'connectionCheckedOut') script.next({ fail });
        const lease = await Promise.resolve(pool.checkOut({ deadline: Infinity, signal: hand.signal })).catch(
          () => undefined,
        );
        expect(pool.load).toBe(lease === undefined ? 0 : 1);
        lease?.release();
        expect(pool.load).toBe(0);
        expect(hand.signal.aborted).toBe(true);
        expect(events.count('connectionCheckedOut') + events.count('connectionCheckOutFailed')).toBe(1);
      });
    });
  }

  test('checking out in connectionCheckedIn gets the returned connection', async () => {
    let second: unknown;
    const again = (made: Bench): void => void made.checkOut().then(lease => (second = lease));
    const { world, pool, checkOut } = on('connectionCheckedIn', again, { maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      first.release();
      await world.runtime.clock.sleep(0);
      expect(second).toBe(first);
    });
  });
});

describe('if the signal throws', () => {
  const fail = (): never => {
    throw new RangeError('thrown by the signal');
  };
  const working = { aborted: false, reason: undefined, addEventListener: () => {}, removeEventListener: () => {} };

  test('in addEventListener, the checkout fails and leaves no waiter', async () => {
    const { world, pool, events, checkOut } = bench({ maxPoolSize: 1, waitQueueTimeoutMS: 50 });
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      const wrong = pool.checkOut({ deadline: Infinity, signal: { ...working, addEventListener: fail } });
      expect(await messageOf(Promise.resolve(wrong))).toBe(
        'The operation\'s "signal" threw an error when a listener was added. Pass the "signal" of an AbortController.',
      );
      expect([pool.load, world.leftovers()]).toEqual([1, []]);
      const next = checkOut();
      first.release();
      expect(await next).toBe(first);
      const { count } = events;
      expect(count('connectionCheckOutStarted')).toBe(
        count('connectionCheckedOut') + count('connectionCheckOutFailed'),
      );
    });
  });

  test('in removeEventListener, the operation still gets its connection', async () => {
    const { world, pool, checkOut } = bench({ maxPoolSize: 1 });
    await world.run(async () => {
      pool.ready();
      const first = await checkOut();
      const waiting = pool.checkOut({ deadline: Infinity, signal: { ...working, removeEventListener: fail } });
      first.release();
      (await waiting).release();
      expect(pool.load).toBe(0);
      expect(await checkOut()).toBe(first);
    });
  });

  test('in the getter aborted, checkOut throws and emits no event', async () => {
    const { world, pool, events } = bench();
    await world.run(async () => {
      pool.ready();
      const signal = Object.defineProperty({ ...working }, 'aborted', { get: fail });
      expect(() => pool.checkOut({ deadline: Infinity, signal })).toThrow(RangeError);
      expect([pool.load, events.count('connectionCheckOutStarted')]).toEqual([0, 0]);
      await Promise.resolve();
    });
  });
});
