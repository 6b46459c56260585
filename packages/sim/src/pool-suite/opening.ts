import { MongoError } from '@tessera/contracts';
import { expectEqual, expectRejection, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { createRecorder } from '../recorder.js';
import { scriptConnect } from '../scripted-connect.js';
import { address, failIn, failed, serviceIdOf, story } from './bench.js';
import type { PoolCase } from './bench.js';

/** Rule: CMAP, "Establishing a Connection", "Populating the Pool", "Connection": perishable. */
export const opening = (one: PoolCase): readonly ContractCase[] => [
  one(
    'CMAP "Establishing a Connection": a failed handshake fails its check-out and is reported once, with its origin',
    {},
    async bench => {
      const { checkOut, pool, script, reported } = bench;
      pool.ready();
      pool.clear({ cause: failed() });
      pool.ready();
      script.next({ fail: failIn('auth', 'server') });
      const error = await expectRejection(checkOut(), { kind: 'server', phase: 'auth' }, 'its check-out');
      expectTrue(reported.length === 1 && reported[0] === error, 'the same error is reported once');
      expectEqual(
        [error.origin?.address, error.origin?.generation, error.origin?.sent],
        [address, 1, false],
        'its origin',
      );
      expectEqual(pool.load, 0, 'load');
      expectEqual(
        story(bench).slice(-4),
        ['CheckOutStarted', 'Created 1', 'Closed 1 error', 'CheckOutFailed connectionError'],
        'events',
      );
      expectEqual((await checkOut()).connection.id, 2, 'the next connection');
    },
  ),
  one(
    'CMAP, SDAM: the report precedes the event of the closed connection and of the failed check-out',
    {},
    async ({ clock, createPools }) => {
      const script = scriptConnect({ clock });
      const recorder = createRecorder();
      const openPool = createPools({ clock, events: recorder, connect: script.connect }, {});
      const pool = openPool(address, cause => {
        pool.clear({ cause });
      });
      script.usually({ fail: failIn('auth', 'network') });
      pool.ready();
      const waiting = pool.checkOut({ deadline: Infinity });
      await expectRejection(Promise.resolve(waiting), { kind: 'network', phase: 'auth' }, 'its check-out');
      expectEqual(
        story({ recorder }).slice(3),
        ['Created 1', 'PoolCleared', 'Closed 1 error', 'CheckOutFailed connectionError'],
        'events',
      );
      pool.close();
    },
  ),
  one(
    'CMAP "Backpressure-enabled": only network errors and timeouts of the connect and of hello are labelled as overload',
    {},
    async bench => {
      const { checkOut, pool, script } = bench;
      pool.ready();
      const labelsOf = async (...[phase, kind]: Parameters<typeof failIn>): Promise<readonly string[]> => {
        script.next({ fail: failIn(phase, kind) });
        return (await expectRejection(checkOut(), { kind, phase }, 'its check-out')).labels;
      };
      const overload = ['SystemOverloadedError', 'RetryableError'];
      for (const phase of ['connect', 'hello'] as const) {
        expectEqual(await labelsOf(phase, 'network'), overload, `network, ${phase}`);
        expectEqual(await labelsOf(phase, 'timeout'), overload, `timeout, ${phase}`);
        expectEqual(await labelsOf(phase, 'server'), [], `server, ${phase}`);
      }
      for (const phase of ['resolve', 'auth'] as const) {
        expectEqual(await labelsOf(phase, 'network'), [], `network, ${phase}`);
        expectEqual(await labelsOf(phase, 'timeout'), [], `timeout, ${phase}`);
      }
    },
  ),
  one(
    'Load Balancers "Initial Handshake Errors": after hello the origin contains the service id and its generation',
    {},
    async bench => {
      const { checkOut, pool, script, reported, recorder } = bench;
      const serviceId = serviceIdOf(7);
      script.next({ serviceId });
      pool.ready();
      const first = await checkOut();
      pool.clear({ cause: failed(), serviceId });
      const fail = (): MongoError =>
        new MongoError('network', 'reset', { origin: { phase: 'auth', sent: false, serviceId } });
      script.next({ fail });
      await expectRejection(checkOut(), { kind: 'network', phase: 'auth' }, 'its check-out');
      expectTrue(
        (reported[0]?.origin?.generation ?? -1) > first.generation,
        'the generation is that of the service now',
      );
      expectTrue(reported[0]?.origin?.serviceId === serviceId, 'the service is named');
      expectEqual(recorder.count('connectionPoolCleared'), 1, 'PoolCleared events');
      first.release();
    },
  ),
  one(
    'CMAP "Populating the Pool": opens minPoolSize connections once the pool is ready, at most maxConnecting at a time',
    { minPoolSize: 3 },
    async bench => {
      const { clock, pool, script } = bench;
      await clock.sleep(200);
      expectEqual(script.calls.length, 0, 'opened while paused');
      script.usually({ after: 10 });
      pool.ready();
      await clock.sleep(5);
      expectTrue([1, 2].includes(script.calls.length), `opened at once: one or two, not ${script.calls.length}`);
      await clock.sleep(30);
      expectEqual([script.calls.length, script.connections.length], [3, 3], 'opened');
      const told = story(bench);
      expectTrue(told.indexOf('PoolReady') < told.indexOf('Created 1'), 'PoolReady comes first');
      pool.clear({ cause: failed() });
      await clock.sleep(1000);
      expectEqual(script.calls.length, 3, 'opened while paused again');
      pool.ready();
      await clock.sleep(50);
      expectEqual(script.calls.length, 6, 'opened when ready again');
    },
  ),
  one(
    'CMAP "Populating the Pool": a failure is reported once and retried later while the pool is ready',
    { minPoolSize: 1 },
    async bench => {
      const { clock, pool, script, reported } = bench;
      script.next({ fail: failIn('hello', 'network') });
      pool.ready();
      await clock.sleep(2);
      expectEqual([reported.length, reported[0]?.origin?.phase], [1, 'hello'], 'reports');
      expectEqual(script.calls.length, 1, 'not at once');
      await clock.sleep(20_000);
      expectEqual([reported.length, script.connections.length], [1, 1], 'reports, connections');
    },
  ),
  one(
    'CMAP "Connection", perishable: closes connections that were idle for maxIdleTimeMS, and keeps minPoolSize',
    { maxIdleTimeMS: 100, minPoolSize: 1 },
    async bench => {
      const { clock, pool, script, checkOut } = bench;
      pool.ready();
      const leases = [await checkOut(), await checkOut()];
      await clock.sleep(500);
      expectTrue(
        leases.every(({ connection }) => !connection.closed),
        'what is in use does not grow old',
      );
      leases[0]?.release();
      await clock.sleep(50);
      leases[1]?.release();
      await clock.sleep(60);
      expectEqual(
        leases.map(({ connection }) => connection.closed),
        [true, false],
        'closed after 110 and 60 ms',
      );
      await clock.sleep(300);
      const open = script.connections.filter(({ closed }) => !closed).length;
      expectTrue(open === 1 && script.connections.length > 2, 'one that is fresh is kept');
      expectTrue(/Closed \d idle/.test(story(bench).join()), 'the reason is in the event');
    },
  ),
  one(
    'CMAP "Connection", perishable: closes a failed connection when it is checked in or when it is idle',
    {},
    async bench => {
      const { checkOut, pool, script } = bench;
      pool.ready();
      const first = await checkOut();
      first.connection.close(failed());
      first.release();
      const second = await checkOut();
      second.release();
      script.connections[1]?.breakOff();
      expectEqual((await checkOut()).connection.id, 3, 'the connection that is used');
      expectEqual(
        story(bench).filter(what => what.startsWith('Closed')),
        ['Closed 1 error', 'Closed 2 error'],
        'events',
      );
    },
  ),
  one(
    'A connection that cannot be reused makes room for waiting check-outs',
    { maxPoolSize: 1 },
    async ({ checkOut, pool }) => {
      pool.ready();
      const first = await checkOut();
      const waiting = checkOut();
      first.connection.close(failed());
      first.release();
      expectEqual((await waiting).connection.id, 2, 'the connection of the waiting check-out');
    },
  ),
];
