import { MongoError } from '@tessera/contracts';
import type { Clock, DriverEvent, Millis } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createMonitor } from '../src/monitoring/monitor.js';
import type { Monitor, MonitorOptions } from '../src/monitoring/monitor.js';
import { change, connectTo, listen, server, streaming, world } from './scripted.js';
import type { ScriptedServer } from './scripted.js';

const a = 'a:27017';

interface Watch {
  readonly monitor: Monitor;
  readonly events: readonly DriverEvent[];
  readonly outcomes: string[];
}

const watch = (met: ScriptedServer, clock: Clock, options: Partial<MonitorOptions> = {}): Watch => {
  const events = listen();
  const outcomes: string[] = [];
  const monitor = createMonitor(
    {
      clock,
      events,
      connect: connectTo({ [a]: met }, clock),
      checked: ({ type, roundTripTime, minRoundTripTime }) =>
        outcomes.push(`${clock.now()} ${type} ${String(roundTripTime)} ${minRoundTripTime}`),
      failed: ({ kind }) => outcomes.push(`${clock.now()} ${kind}`),
    },
    {
      address: a,
      topologyId: 1,
      heartbeatFrequencyMS: 10_000,
      minHeartbeatFrequencyMS: 500,
      connectTimeoutMS: 30_000,
      mayStream: true,
      ...options,
    },
  );
  return { monitor, events: events.emitted, outcomes };
};

const heartbeats = (events: readonly DriverEvent[]): readonly string[] =>
  events.map(event => {
    switch (event.name) {
      case 'serverHeartbeatStarted':
        return `started ${event.connectionId}${event.awaited ? ' awaited' : ''}`;
      case 'serverHeartbeatSucceeded':
        return `succeeded ${event.connectionId} in ${event.duration}${event.awaited ? ' awaited' : ''}`;
      case 'serverHeartbeatFailed':
        return `failed ${event.connectionId} in ${event.duration}${event.awaited ? ' awaited' : ''}`;
      default:
        return event.name;
    }
  });

const inWorld = (program: (clock: Clock, sleep: (duration: Millis) => Promise<void>) => Promise<void>) => async () => {
  const { runtime, run, leftovers } = world();
  await run(() => program(runtime.clock, duration => runtime.clock.sleep(duration)));
  expect(leftovers()).toEqual([]);
};

test(
  'the pause between checks keeps the process alive after the server was reached, or while a check is requested',
  inWorld(async (clock, sleep) => {
    const pauses: string[] = [];
    const recording: Clock = {
      ...clock,
      startTimer(after, fire, options) {
        pauses.push(`${after}${options?.background === true ? ' in the background' : ''}`);
        return clock.startTimer(after, fire, options);
      },
    };
    const met = server({});
    met.failure = new MongoError('network', 'refused');
    const { monitor } = watch(met, recording, { mayStream: false, heartbeatFrequencyMS: 500 });
    monitor.start();
    await sleep(100);
    monitor.requestCheck();
    met.failure = undefined;
    await sleep(450);
    await monitor.close();
    expect(pauses).toEqual(['500 in the background', '402', '500']);
  }),
);

describe('Server Monitoring, polling', () => {
  test(
    'counts the handshake as the first check, and starts each next check heartbeatFrequencyMS after the end of the last, on the same connection',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor, events, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(25_000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.hello', '20004 admin.hello']);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10004 Standalone 2 2', '20006 Standalone 2 2']);
      expect(heartbeats(events)).toEqual([
        'started a:27017#1',
        'succeeded a:27017#1 in 2',
        'started a:27017#1',
        'succeeded a:27017#1 in 2',
        'started a:27017#1',
        'succeeded a:27017#1 in 2',
      ]);
      expect(met.openConnections).toBe(0);
    }),
  );

  test(
    'checks a server without hello support with legacy hello',
    inWorld(async (clock, sleep) => {
      const met = server({ helloOk: undefined, ismaster: true });
      const { monitor } = watch(met, clock);
      monitor.start();
      await sleep(11_000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.isMaster']);
    }),
  );

  test(
    'reports a moving average of the round-trip times with a weight of 0.2, and the minimum of the last ten',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(3);
      met.delay = 12;
      await sleep(10_020);
      await monitor.close();
      expect(outcomes).toEqual(['2 Standalone 2 0', '10014 Standalone 4 2']);
    }),
  );

  test(
    'requestCheck starts a check once minHeartbeatFrequencyMS has passed since the last check ended',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor } = watch(met, clock);
      monitor.start();
      monitor.requestCheck();
      await sleep(102);
      monitor.requestCheck();
      monitor.requestCheck();
      await sleep(2898);
      monitor.requestCheck();
      await sleep(500);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '502 admin.hello', '3000 admin.hello']);
    }),
  );

  test(
    'ignores a request during a check',
    inWorld(async (clock, sleep) => {
      const met = server({});
      met.delay = 1000;
      const { monitor } = watch(met, clock);
      monitor.start();
      await sleep(500);
      monitor.requestCheck();
      await sleep(5000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1']);
    }),
  );

  test(
    'closes the connection after a failed check, and opens another for the next',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor, outcomes, events } = watch(met, clock);
      monitor.start();
      await sleep(10);
      met.failure = new MongoError('network', 'reset');
      await sleep(10_000);
      expect(met.openConnections).toBe(0);
      met.failure = undefined;
      await sleep(10_000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.hello', '20004 connect monitor 2']);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10004 network', '20006 Standalone 2 0']);
      expect(heartbeats(events).slice(2, 4)).toEqual(['started a:27017#1', 'failed a:27017#1 in 2']);
    }),
  );

  test(
    'connectTimeoutMS limits the connection and every check; 0 means no limit',
    inWorld(async (clock, sleep) => {
      const met = server({});
      met.isSilent = true;
      const limited = watch(met, clock, { connectTimeoutMS: 100 });
      const unlimited = watch(met, clock, { connectTimeoutMS: 0 });
      limited.monitor.start();
      unlimited.monitor.start();
      await sleep(200);
      await limited.monitor.close();
      await unlimited.monitor.close();
      expect(limited.outcomes).toEqual(['100 timeout']);
      expect(unlimited.outcomes).toEqual([]);
    }),
  );

  test(
    'cancelCheck cancels the check, closes its connection and pauses; a request then starts the next check at once',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor, events, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(2);
      met.isSilent = true;
      await sleep(10_098);
      monitor.cancelCheck();
      expect(met.openConnections).toBe(0);
      met.isSilent = false;
      await sleep(100);
      monitor.requestCheck();
      await sleep(500);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.hello', '10200 connect monitor 2']);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10202 Standalone 2 0']);
      expect(heartbeats(events).slice(2, 4)).toEqual(['started a:27017#1', 'failed a:27017#1 in 98']);
    }),
  );

  test(
    'after a cancelled check, delays a requested check until minHeartbeatFrequencyMS has passed since the last failed check',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(10_000);
      met.failure = new MongoError('network', 'reset');
      await sleep(5);
      met.failure = undefined;
      met.isSilent = true;
      monitor.checkNow();
      await sleep(95);
      monitor.cancelCheck();
      met.isSilent = false;
      monitor.requestCheck();
      await sleep(1000);
      await monitor.close();
      expect(met.checks).toEqual([
        '0 connect monitor 1',
        '10002 admin.hello',
        '10005 connect monitor 2',
        '10504 connect monitor 3',
      ]);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10004 network', '10506 Standalone 2 0']);
    }),
  );

  test(
    'cancelCheck between checks closes the connection',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const { monitor } = watch(met, clock);
      monitor.start();
      await sleep(5000);
      monitor.cancelCheck();
      expect(met.openConnections).toBe(0);
      await sleep(6000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 connect monitor 2']);
    }),
  );

  test(
    'close during a check fails the heartbeat, reports nothing, and resolves when the connection is closed',
    inWorld(async (clock, sleep) => {
      const met = server({});
      met.isSilent = true;
      const { monitor, events, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(50);
      await monitor.close();
      await monitor.close();
      expect(heartbeats(events)).toEqual(['started a:27017#1', 'failed a:27017#1 in 50']);
      const failed = events.find(event => event.name === 'serverHeartbeatFailed');
      expect(failed?.failure).toMatchObject({
        ...{ kind: 'aborted', origin: { phase: 'hello', sent: false, address: 'a:27017' } },
      });
      expect(outcomes).toEqual([]);
      expect(clock.now()).toBe(50);
    }),
  );

  test(
    'closes a connection that opens after close was called',
    inWorld(async (clock, sleep) => {
      const met = server({});
      const monitor = createMonitor(
        {
          clock,
          events: listen(),
          connect: (to, options) => connectTo({ [a]: met }, clock)(to, { ...options, signal: undefined }),
          checked: () => expect.unreachable(),
          failed: () => expect.unreachable(),
        },
        {
          address: a,
          topologyId: 1,
          heartbeatFrequencyMS: 10_000,
          minHeartbeatFrequencyMS: 500,
          connectTimeoutMS: 0,
          mayStream: true,
        },
      );
      monitor.start();
      await sleep(1);
      await monitor.close();
      expect(met.openConnections).toBe(0);
    }),
  );
});

describe('Server Monitoring, "Streaming Protocol"', () => {
  test(
    'does not await the handshake; afterwards receives a reply on each change, or after heartbeatFrequencyMS',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, events, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(1002);
      change(met, { tags: { dc: 'ny' } });
      await sleep(10_500);
      await monitor.close();
      expect(outcomes.map(line => line.split(' ')[0])).toEqual(['2', '1002', '11002']);
      expect(heartbeats(events)).toEqual([
        'started a:27017#1',
        'succeeded a:27017#1 in 2',
        'started a:27017#1 awaited',
        'succeeded a:27017#1 in 1000 awaited',
        'started a:27017#1 awaited',
        'succeeded a:27017#1 in 10000 awaited',
        'started a:27017#1 awaited',
        'failed a:27017#1 in 500 awaited',
      ]);
      expect([met.openConnections, clock.now()]).toEqual([0, 11_502]);
    }),
  );

  test(
    'follows a reply without moreToCome with a new awaitable hello that has the topologyVersion of that reply',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      met.pushes = 1;
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(5);
      for (let changes = 0; changes < 3; changes++) {
        await sleep(100);
        change(met, { setVersion: changes });
      }
      await sleep(1);
      await monitor.close();
      expect(outcomes.map(line => line.split(' ')[0])).toEqual(['2', '105', '205', '305']);
      expect(met.checks.filter(line => line.includes('awaited'))).toEqual(
        [2, 105, 205, 305].map(at => `${at} admin.hello awaited`),
      );
    }),
  );

  test(
    '"Measuring RTT": measures on a separate connection every heartbeatFrequencyMS, without events; counts the handshake, but no awaitable hello',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, outcomes, events } = watch(met, clock);
      monitor.start();
      await sleep(5);
      met.delay = 12;
      await sleep(20_100);
      await monitor.close();
      expect(met.checks.filter(line => !line.includes('awaited'))).toEqual([
        '0 connect monitor 1',
        '2 connect monitor 2',
        '10004 admin.hello',
        '20016 admin.hello',
      ]);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10002 Standalone 2 2', '20002 Standalone 4 2']);
      expect(heartbeats(events).filter(line => line.includes('#2'))).toEqual([]);
    }),
  );

  test(
    '"Measuring RTT": a failure of a measurement affects nothing else',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(5);
      met.delay = Infinity;
      await sleep(60_000);
      await monitor.close();
      expect(outcomes.every(line => line.includes('Standalone 2'))).toBe(true);
      expect(met.checks.filter(line => !line.includes('awaited'))).toEqual([
        '0 connect monitor 1',
        '2 connect monitor 2',
        '10004 admin.hello',
        '50004 connect monitor 3',
      ]);
    }),
  );

  test(
    '"Streaming disabled": polls, without a second connection',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor } = watch(met, clock, { mayStream: false });
      monitor.start();
      await sleep(11_000);
      await monitor.close();
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.hello']);
    }),
  );

  test(
    '"Socket timeout": limits an awaited reply to connectTimeoutMS plus heartbeatFrequencyMS, or not at all if connectTimeoutMS is 0',
    inWorld(async (clock, sleep) => {
      const [met, other] = [server(streaming), server(streaming)];
      const limited = watch(met, clock, { connectTimeoutMS: 100 });
      const unlimited = watch(other, clock, { connectTimeoutMS: 0 });
      limited.monitor.start();
      unlimited.monitor.start();
      await sleep(10);
      met.isSilent = other.isSilent = true;
      await sleep(15_000);
      await limited.monitor.close();
      await unlimited.monitor.close();
      expect(limited.outcomes).toEqual(['2 Standalone 2 0', '10102 timeout']);
      expect(unlimited.outcomes).toEqual(['2 Standalone 2 0']);
    }),
  );

  test(
    '"hello Cancellation": cancelCheck cancels the stream and the round-trip monitor; close ends both at once',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, events } = watch(met, clock);
      monitor.start();
      await sleep(100);
      monitor.cancelCheck();
      expect(heartbeats(events).slice(2)).toEqual(['started a:27017#1 awaited', 'failed a:27017#1 in 98 awaited']);
      expect(met.openConnections).toBe(0);
      monitor.requestCheck();
      await sleep(1000);
      expect(met.checks.slice(-3)).toEqual([
        '100 connect monitor 3',
        '102 connect monitor 4',
        '102 admin.hello awaited',
      ]);
      await monitor.close();
      expect([met.openConnections, clock.now()]).toEqual([0, 1100]);
    }),
  );

  test(
    '"Requesting an immediate check": ignored while a reply is awaited',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor } = watch(met, clock);
      monitor.start();
      await sleep(1000);
      const before = [...met.checks];
      monitor.requestCheck();
      monitor.checkNow();
      await sleep(1000);
      expect(met.checks).toEqual(before);
      await monitor.close();
    }),
  );

  test(
    'recheck cancels a check that awaits a change and starts another at once, but keeps a handshake under way',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(100);
      monitor.recheck();
      await sleep(1);
      monitor.recheck();
      await sleep(1000);
      await monitor.close();
      expect(met.checks.filter(line => !line.startsWith('0 '))).toEqual([
        '2 connect monitor 2',
        '2 admin.hello awaited',
        '100 connect monitor 3',
        '102 connect monitor 4',
        '102 admin.hello awaited',
      ]);
      expect(outcomes).toEqual(['2 Standalone 2 0', '102 Standalone 2 0']);
    }),
  );

  test(
    'recheck starts no more than ten checks without a pause',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor, outcomes } = watch(met, clock);
      monitor.start();
      for (let times = 0; times < 100; times++) {
        await sleep(4);
        monitor.recheck();
      }
      expect(outcomes.length).toBeLessThanOrEqual(10);
      await sleep(1000);
      monitor.recheck();
      const before = outcomes.length;
      await sleep(10);
      expect(outcomes).toHaveLength(before + 1);
      await monitor.close();
    }),
  );

  test(
    'returns to polling a server that no longer sends a topologyVersion',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const { monitor } = watch(met, clock);
      monitor.start();
      await sleep(100);
      met.hello = { ...met.hello, topologyVersion: undefined };
      change(met, {});
      await sleep(15_000);
      await monitor.close();
      expect(met.checks).toEqual([
        '0 connect monitor 1',
        '2 connect monitor 2',
        '2 admin.hello awaited',
        '10100 connect monitor 3',
      ]);
    }),
  );

  for (const pushes of [1, Infinity])
    test(
      `pauses after ten replies of a server that answers awaitable hellos without waiting (${pushes} replies per hello)`,
      inWorld(async (clock, sleep) => {
        const met = server(streaming);
        met.isHasty = true;
        met.pushes = pushes;
        const { monitor, outcomes } = watch(met, clock);
        monitor.start();
        await sleep(9000);
        expect(outcomes).toHaveLength(11);
        expect(met.openConnections).toBe(0);
        await sleep(2000);
        expect(outcomes).toHaveLength(22);
        await monitor.close();
      }),
    );

  test(
    'checks a server that drops its connection after hello again at once, but only a limited number of times',
    inWorld(async (clock, sleep) => {
      const met = server(streaming);
      const reset = new MongoError('network', 'reset');
      const events = listen();
      const greetings: Millis[] = [];
      const monitor = createMonitor(
        {
          clock,
          events,
          connect: async (to, options) => {
            greetings.push(clock.now());
            const connection = await connectTo({ [a]: met }, clock)(to, options);
            return Object.create(connection, { command: { value: () => Promise.reject(reset) } }) as typeof connection;
          },
          checked: () => undefined,
          failed: () => {
            monitor.checkNow();
          },
        },
        {
          address: a,
          topologyId: 1,
          heartbeatFrequencyMS: 10_000,
          minHeartbeatFrequencyMS: 500,
          connectTimeoutMS: 0,
          mayStream: true,
        },
      );
      monitor.start();
      await sleep(10_000);
      await monitor.close();
      expect(greetings.length).toBeLessThan(20);
      expect(greetings.length).toBeGreaterThan(5);
    }),
  );
});
