import type { Connect, ConnectionPool, DriverEvent, Lease } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import type { PoolOptions } from '@tessera/pool';
import type { ConnectScript, Recorder } from '@tessera/sim';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { expect, test } from 'vitest';

// Rules of Connection Monitoring and Pooling that poolSuite does not require from every pool.

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Bench {
  readonly pool: ConnectionPool;
  readonly script: ConnectScript;
  readonly events: Recorder;
  sleep(duration: number): Promise<void>;
  checkOut(): Promise<Lease>;
  /** The events so far, as short strings. */
  story(): readonly string[];
}

const inBench = async (
  options: Partial<PoolOptions>,
  play: (bench: Bench) => Promise<void>,
  around: (connect: Connect) => Connect = connect => connect,
): Promise<void> => {
  const world = createWorld({ turn });
  const { clock } = world.runtime;
  const script = scriptConnect({ clock });
  const events = createRecorder();
  const connect = around(script.connect);
  const pool = createPools({ clock, events, connect }, options)('db1:27017', () => undefined);
  const say = (event: DriverEvent): string =>
    [
      event.name.replace(/^connection/, ''),
      ...('connectionId' in event ? [event.connectionId] : []),
      ...('reason' in event ? [event.reason] : []),
    ].join(' ');
  await world.run(async () => {
    await play({
      pool,
      script,
      events,
      sleep: duration => clock.sleep(duration),
      checkOut: async () => pool.checkOut({ deadline: Infinity }),
      story: () => events.events.map(say),
    });
    pool.close();
  });
  expect(world.leftovers()).toEqual([]);
};

test('CMAP "Background Thread": closes an idle connection that breaks immediately, with the reason error', async () => {
  await inBench({}, async ({ pool, script, checkOut, story }) => {
    pool.ready();
    const leases = [await checkOut(), await checkOut()];
    for (const lease of leases) lease.release();
    script.connections[0]?.breakOff();
    expect(story().at(-1)).toBe('Closed 1 error');
    expect((await checkOut()).connection.id).toBe(2);
  });
});

test('CMAP "Clearing": closes a connection in use when a clear interrupts it, not when it is returned', async () => {
  await inBench({}, async ({ pool, checkOut, story }) => {
    pool.ready();
    const leases = [await checkOut(), await checkOut()];
    pool.clear({ cause: new MongoError('timeout', 'slow'), interruptInUse: true });
    const told = ['PoolCleared', 'CheckedIn 1', 'Closed 1 stale', 'CheckedIn 2', 'Closed 2 stale'];
    expect(story().slice(-5)).toEqual(told);
    expect(pool.load).toBe(0);
    for (const lease of leases) lease.release();
    expect(story().slice(-5)).toEqual(told);
  });
});

test('CMAP "minPoolSize": replaces an idle connection that breaks', async () => {
  await inBench({ minPoolSize: 2 }, async ({ pool, script, sleep, story }) => {
    pool.ready();
    await sleep(10);
    for (const connection of script.connections) connection.breakOff();
    await sleep(110);
    expect(story().slice(-6)).toEqual([
      ...['Closed 1 error', 'Closed 2 error'],
      ...['Created 3', 'Ready 3', 'Created 4', 'Ready 4'],
    ]);
    expect(script.connections.filter(({ closed }) => !closed)).toHaveLength(2);
  });
});

test('connects at most ten times a second to a server that closes every idle connection', async () => {
  await inBench({ minPoolSize: 1 }, async ({ pool, script, events, sleep }) => {
    events.listen(({ name }) => {
      if (name !== 'connectionReady') return;
      void sleep(1).then(() => script.connections.at(-1)?.breakOff());
    });
    pool.ready();
    await sleep(10_000);
    expect(events.count('connectionCreated')).toBeGreaterThan(50);
    expect(events.count('connectionCreated')).toBeLessThanOrEqual(101);
  });
});

test('CMAP "minPoolSize": does not keep a connection that breaks right after its handshake', async () => {
  let count = 0;
  await inBench(
    { minPoolSize: 1 },
    async ({ pool, sleep, story, checkOut }) => {
      pool.ready();
      await sleep(50);
      expect(story().slice(-3)).toEqual(['Created 1', 'Ready 1', 'Closed 1 error']);
      await sleep(100);
      expect((await checkOut()).connection.id).toBe(2);
    },
    connect => async (to, options) => {
      const connection = await connect(to, options);
      count += 1;
      if (count === 1) connection.close();
      return connection;
    },
  );
});

test('CMAP "Background Thread": closes a connection that breaks in use once, when it is returned', async () => {
  await inBench({}, async ({ pool, script, checkOut, story }) => {
    pool.ready();
    const lease = await checkOut();
    script.connections[0]?.breakOff();
    expect(story().at(-1)).toBe('CheckedOut 1');
    lease.release();
    expect(story().slice(-2)).toEqual(['CheckedIn 1', 'Closed 1 error']);
  });
});

test('CMAP "Closing a Connection Pool": emits connectionClosed once for each available connection, before connectionPoolClosed', async () => {
  await inBench({}, async ({ pool, checkOut, story }) => {
    pool.ready();
    const leases = [await checkOut(), await checkOut()];
    for (const lease of leases) lease.release();
    pool.close();
    expect(story().slice(-3)).toEqual(['Closed 1 poolClosed', 'Closed 2 poolClosed', 'PoolClosed']);
  });
});

test('CMAP "Marking a Connection Pool as Ready": emits the event once, before it creates any connection', async () => {
  await inBench({ minPoolSize: 1 }, async ({ pool, sleep, story }) => {
    await sleep(100);
    expect(story()).toEqual(['PoolCreated']);
    pool.ready();
    pool.ready();
    expect(story()).toEqual(['PoolCreated', 'PoolReady', 'Created 1']);
  });
});

test('CMAP "Clearing a Connection Pool": a clear of a paused pool increments the generation, so that older errors are ignored', async () => {
  await inBench({}, async ({ pool, checkOut, story }) => {
    const cause = (generation: number): MongoError =>
      new MongoError('network', 'gone', { origin: { phase: 'command', sent: true, generation } });
    pool.ready();
    (await checkOut()).release();
    pool.clear({ cause: cause(0) });
    pool.clear({ cause: cause(1) });
    pool.ready();
    const told = story().length;
    pool.clear({ cause: cause(1) });
    expect(story().slice(told)).toEqual([]);
    expect((await checkOut()).generation).toBe(2);
  });
});

test('CMAP "Events": a duration is the time since the corresponding first event', async () => {
  await inBench({ maxPoolSize: 1 }, async ({ pool, script, checkOut, sleep, events }) => {
    script.next({ after: 30 });
    pool.ready();
    const lease = await checkOut();
    const waiting = checkOut();
    await sleep(70);
    lease.release();
    await waiting;
    const durations = events.events.flatMap(event => ('durationMS' in event ? [[event.name, event.durationMS]] : []));
    expect(durations).toEqual([
      ['connectionReady', 30],
      ['connectionCheckedOut', 30],
      ['connectionCheckedOut', 70],
    ]);
  });
});

test('CMAP "WaitQueue": lends a returned connection to an operation whose connection is still being opened', async () => {
  await inBench({}, async ({ pool, script, sleep, checkOut, story }) => {
    pool.ready();
    const first = await checkOut();
    script.next({ after: 500 });
    const second = checkOut();
    await sleep(10);
    first.release();
    expect([(await second).connection.id, pool.load]).toEqual([1, 1]);
    expect(story().slice(-4)).toEqual(['CheckOutStarted', 'Created 2', 'CheckedIn 1', 'CheckedOut 1']);
    await sleep(500);
    expect([(await checkOut()).connection.id, pool.load]).toEqual([2, 2]);
  });
});
