import { MongoError } from '@tessera/contracts';
import type { Clock, DriverEvent, Millis } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createMonitor } from '../src/monitor.js';
import type { Monitor, MonitorOptions } from '../src/monitor.js';
import { connectTo, listen, server, world } from './scripted.js';
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
      heartbeatFrequencyMS: 10_000,
      minHeartbeatFrequencyMS: 500,
      connectTimeoutMS: 30_000,
      ...options,
    },
  );
  return { monitor, events: events.heard, outcomes };
};

const heartbeats = (events: readonly DriverEvent[]): readonly string[] =>
  events.map(event => {
    switch (event.name) {
      case 'serverHeartbeatStarted':
        return `started ${event.connectionId}`;
      case 'serverHeartbeatSucceeded':
        return `succeeded ${event.connectionId} in ${event.duration}`;
      case 'serverHeartbeatFailed':
        return `failed ${event.connectionId} in ${event.duration}`;
      default:
        return event.name;
    }
  });

const inWorld = (program: (clock: Clock, sleep: (duration: Millis) => Promise<void>) => Promise<void>) => async () => {
  const { runtime, run, leftovers } = world();
  await run(() => program(runtime.clock, duration => runtime.clock.sleep(duration)));
  expect(leftovers()).toEqual([]);
};

describe('Server Monitoring, polling', () => {
  test(
    'the handshake is the first check; the next begins heartbeatFrequencyMS after the end of the last, on the same connection',
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
    'a server that does not know hello is asked with legacy hello',
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
    'round trips: a moving average with a weight of 0.2, and the least of the last ten',
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
    'requestCheck wakes it, but not before minHeartbeatFrequencyMS has passed since the last check ended',
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
    'a request during a check is ignored',
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
    'a check that fails closes the connection; the next one opens another',
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
    'connectTimeoutMS limits the connection and every check; 0 limits nothing',
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
    'cancelCheck gives up the check and its connection, and rests; a request wakes it',
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
      expect(met.checks).toEqual(['0 connect monitor 1', '10002 admin.hello', '10600 connect monitor 2']);
      expect(outcomes).toEqual(['2 Standalone 2 0', '10602 Standalone 2 0']);
      expect(heartbeats(events).slice(2, 4)).toEqual(['started a:27017#1', 'failed a:27017#1 in 98']);
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
    'close during a check: the heartbeat fails, nothing is reported, and it waits for the connection to be given up',
    inWorld(async (clock, sleep) => {
      const met = server({});
      met.isSilent = true;
      const { monitor, events, outcomes } = watch(met, clock);
      monitor.start();
      await sleep(50);
      await monitor.close();
      await monitor.close();
      expect(heartbeats(events)).toEqual(['started a:27017#1', 'failed a:27017#1 in 50']);
      expect(outcomes).toEqual([]);
      expect(clock.now()).toBe(50);
    }),
  );

  test(
    'a connection that arrives after close is closed',
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
        { address: a, heartbeatFrequencyMS: 10_000, minHeartbeatFrequencyMS: 500, connectTimeoutMS: 0 },
      );
      monitor.start();
      await sleep(1);
      await monitor.close();
      expect(met.openConnections).toBe(0);
    }),
  );
});
