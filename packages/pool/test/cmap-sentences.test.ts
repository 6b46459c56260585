import type { Connect, ConnectionPool, DriverEvent, Lease } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import type { PoolOptions } from '@tessera/pool';
import type { ConnectScript, Recorder } from '@tessera/sim';
import { createRecorder, createWorld, scriptConnect } from '@tessera/sim';
import { expect, test } from 'vitest';

// Sentences of Connection Monitoring and Pooling that the contract suite does not ask of every pool.

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Bench {
  readonly pool: ConnectionPool;
  readonly script: ConnectScript;
  readonly events: Recorder;
  sleep(duration: number): Promise<void>;
  checkOut(): Promise<Lease>;
  /** Events so far, with what tells them apart. */
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

test('CMAP "Background Thread": what breaks while it lies idle is closed at once, for the reason error', async () => {
  await inBench({}, async ({ pool, script, checkOut, story }) => {
    pool.ready();
    const leases = [await checkOut(), await checkOut()];
    for (const lease of leases) lease.release();
    script.connections[0]?.breakOff();
    expect(story().at(-1)).toBe('Closed 1 error');
    expect((await checkOut()).connection.id).toBe(2);
  });
});

test('CMAP "Clearing": what is in use is closed by the clear that interrupts it, not when it is given back', async () => {
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

test('CMAP "minPoolSize": what breaks while it lies idle is replaced', async () => {
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

test('a server that closes every connection that lies idle is connected to ten times a second, not without a rest', async () => {
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

test('CMAP "minPoolSize": what breaks as soon as its handshake is done is not kept', async () => {
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

test('CMAP "Background Thread": what breaks in use is closed when it is given back, and once', async () => {
  await inBench({}, async ({ pool, script, checkOut, story }) => {
    pool.ready();
    const lease = await checkOut();
    script.connections[0]?.breakOff();
    expect(story().at(-1)).toBe('CheckedOut 1');
    lease.release();
    expect(story().slice(-2)).toEqual(['CheckedIn 1', 'Closed 1 error']);
  });
});

test('CMAP "Closing a Connection Pool": every available connection is told closed once, before the pool is', async () => {
  await inBench({}, async ({ pool, checkOut, story }) => {
    pool.ready();
    const leases = [await checkOut(), await checkOut()];
    for (const lease of leases) lease.release();
    pool.close();
    expect(story().slice(-3)).toEqual(['Closed 1 poolClosed', 'Closed 2 poolClosed', 'PoolClosed']);
  });
});

test('CMAP "Marking a Connection Pool as Ready": the event comes before any connection is created, and only once', async () => {
  await inBench({ minPoolSize: 1 }, async ({ pool, sleep, story }) => {
    await sleep(100);
    expect(story()).toEqual(['PoolCreated']);
    pool.ready();
    pool.ready();
    expect(story()).toEqual(['PoolCreated', 'PoolReady', 'Created 1']);
  });
});

test('CMAP "Clearing a Connection Pool": while it is paused a clear adds to the generation, so that older causes say nothing', async () => {
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

test('CMAP "Events": a duration is the time between the events it belongs to', async () => {
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

test('CMAP "WaitQueue": a connection that comes free goes to the operation whose connection is being opened, also if no other waits', async () => {
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
