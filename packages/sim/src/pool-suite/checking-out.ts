import { createAbort, expectEqual, expectRejection, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { address, story } from './bench.js';
import type { PoolCase } from './bench.js';

/** Rule: CMAP, "Checking Out a Connection", "Checking In a Connection", "WaitQueue". */
export const checkingOut = (one: PoolCase): readonly ContractCase[] => [
  one(
    'CMAP "Creating a Connection Pool": a new pool is paused; a check-out fails as retryable and opens nothing',
    {},
    async bench => {
      const { checkOut, script, reported, clock } = bench;
      const error = await expectRejection(
        checkOut(),
        { kind: 'pool', phase: 'checkOut' },
        'check-out of a paused pool',
      );
      expectTrue(error.cause !== undefined, 'a cause says that the pool was not ready');
      expectEqual([script.calls.length, reported.length, clock.now()], [0, 0, 0], 'connects, reports, time');
      expectEqual(story(bench), ['PoolCreated', 'CheckOutStarted', 'CheckOutFailed connectionError'], 'events');
    },
  ),
  one(
    'CMAP "Checking Out", "Checking In": opens a connection, checks it in, and uses it again; ids begin at 1',
    {},
    async bench => {
      const { checkOut, pool, script } = bench;
      pool.ready();
      const first = await checkOut();
      expectEqual([first.connection.id, first.connection.address], [1, address], 'the first connection');
      first.release();
      const again = await checkOut();
      expectTrue(again.connection === first.connection, 'the same connection is used again');
      const second = await checkOut();
      expectEqual(second.connection.id, 2, 'the id of the second connection');
      expectEqual(
        script.calls.map(({ use }) => use),
        ['operations', 'operations'],
        'what the connections are for',
      );
      expectEqual(
        story(bench),
        [
          'PoolCreated',
          'PoolReady',
          ...['CheckOutStarted', 'Created 1', 'Ready 1', 'CheckedOut 1', 'CheckedIn 1'],
          ...['CheckOutStarted', 'CheckedOut 1'],
          ...['CheckOutStarted', 'Created 2', 'Ready 2', 'CheckedOut 2'],
        ],
        'events',
      );
    },
  ),
  one(
    'CMAP "Connection Pool", capped: opens at most maxPoolSize connections; waiting check-outs are served in order',
    { maxPoolSize: 2 },
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      const held = [await checkOut(), await checkOut()];
      const served: number[] = [];
      const waiting = [0, 1, 2, 3].map(async index => {
        const lease = await checkOut();
        served.push(index);
        await clock.sleep(10);
        lease.release();
      });
      await clock.sleep(100);
      expectEqual([served, script.calls.length, pool.load], [[], 2, 6], 'served, opened, load');
      for (const lease of held) lease.release();
      await Promise.all(waiting);
      expectEqual([served, script.calls.length, pool.load], [[0, 1, 2, 3], 2, 0], 'served, opened, load');
    },
  ),
  one(
    'CMAP "Connection Pool Options": maxPoolSize 0 means no limit',
    { maxPoolSize: 0, maxConnecting: 200 },
    async ({ checkOut, pool }) => {
      pool.ready();
      const leases = await Promise.all(Array.from({ length: 150 }, () => checkOut()));
      expectEqual(new Set(leases.map(({ connection }) => connection.id)).size, 150, 'connections');
    },
  ),
  one(
    'CMAP "Connection Pool", rate-limited: opens at most maxConnecting at once; a waiting check-out may get a connection that is checked in',
    { maxPoolSize: 10, maxConnecting: 2 },
    async ({ checkOut, pool, script, clock }) => {
      pool.ready();
      const first = await checkOut();
      script.usually({ after: 750 });
      const ids: number[] = [];
      const others = [1, 2, 3, 4].map(async () => ids.push((await checkOut()).connection.id));
      await clock.sleep(10);
      expectEqual(script.pending, 2, 'handshakes under way');
      first.release();
      await clock.sleep(1);
      expectEqual(ids, [1], 'who was served');
      await Promise.all(others);
      expectEqual([ids, clock.now()], [[1, 2, 3, 4], 1501], 'who was served, and when');
    },
  ),
  one(
    'CMAP "WaitQueue", time out aggressively: after waitQueueTimeoutMS a check-out fails with a summary of the connections in use, and others keep waiting',
    { maxPoolSize: 3, waitQueueTimeoutMS: 50 },
    async ({ checkOut, pool, clock, recorder }) => {
      pool.ready();
      const leases = [await checkOut(), await checkOut(), await checkOut()];
      leases[0]?.hold('cursor');
      leases[1]?.hold('transaction');
      const from = clock.now();
      const early = checkOut();
      await clock.sleep(30);
      const late = checkOut();
      const error = await expectRejection(
        early,
        { kind: 'pool', phase: 'checkOut' },
        'the check-out that waited too long',
      );
      expectEqual(clock.now() - from, 50, 'how long it waited');
      expectEqual(error.cause, undefined, 'the cause of a timeout (a cause means: cleared, try again)');
      for (const words of [
        address,
        'maxPoolSize: 3',
        'by cursors: 1',
        'by transactions: 1',
        'by other operations: 1',
      ]) {
        expectTrue(error.message.includes(words), `"${words}" in: ${error.message}`);
      }
      leases[2]?.release();
      await late;
      const durations = recorder.events.map(event => event.name === 'connectionCheckOutFailed' && event.durationMS);
      expectTrue(durations.includes(50), 'the event has the time that it waited');
    },
  ),
  one(
    'CMAP "WaitQueue": waitQueueTimeoutMS limits a check-out whose connection is being opened, and the next check-out gets that connection',
    { waitQueueTimeoutMS: 50 },
    async bench => {
      const { checkOut, pool, clock, script, reported } = bench;
      pool.ready();
      script.usually({ after: 500 });
      const opening = checkOut();
      await expectRejection(
        opening,
        { kind: 'pool', phase: 'checkOut' },
        'the check-out whose connection is being opened',
      );
      expectEqual([clock.now(), pool.load, script.pending], [50, 0, 1], 'time, load, handshakes under way');
      expectTrue(story(bench).at(-1) === 'CheckOutFailed timeout', 'the reason is a timeout');
      await clock.sleep(500);
      expectEqual((await checkOut()).connection.id, 1, 'the connection of the next');
      expectEqual([script.calls.length, reported.length], [1, 0], 'connections opened, reports');
    },
  ),
  one(
    'CMAP "WaitQueue": a free connection goes to the check-out that has waited longest, even if one is being opened for it',
    { maxPoolSize: 3, maxConnecting: 2 },
    async ({ checkOut, pool, clock, script }) => {
      pool.ready();
      const first = await checkOut();
      script.usually({ after: 500 });
      const from = clock.now();
      const served: (readonly [number, number, number])[] = [];
      const waiting = [0, 1, 2].map(async index => {
        const lease = await checkOut();
        served.push([index, lease.connection.id, clock.now() - from]);
      });
      await clock.sleep(10);
      first.release();
      await Promise.all(waiting);
      expectEqual(
        served,
        [
          [0, 1, 10],
          [1, 2, 500],
          [2, 3, 500],
        ],
        'check-outs in the order in which they succeeded: index, connection, time',
      );
      expectEqual([script.calls.length, pool.load], [3, 3], 'connections opened, load');
    },
  ),
  one(
    'CSOT "Server Selection": a deadline ends the wait, in the queue or for a handshake, and replaces waitQueueTimeoutMS',
    { maxPoolSize: 2, waitQueueTimeoutMS: 10 },
    async ({ checkOut, pool, clock, script, reported }) => {
      pool.ready();
      const held = await checkOut();
      script.usually({ after: 500 });
      const inHandshake = checkOut({ deadline: clock.now() + 40 });
      const inQueue = checkOut({ deadline: clock.now() + 60 });
      const from = clock.now();
      await expectRejection(inHandshake, { kind: 'timeout', phase: 'checkOut' }, 'waiting for a handshake');
      expectEqual(clock.now() - from, 40, 'how long it waited');
      await expectRejection(inQueue, { kind: 'timeout', phase: 'checkOut' }, 'waiting in the queue');
      expectEqual(clock.now() - from, 60, 'how long it waited');
      const late = checkOut({ deadline: clock.now() });
      await expectRejection(late, { kind: 'timeout', phase: 'checkOut' }, 'a deadline that has passed');
      expectEqual([pool.load, reported.length], [1, 0], 'load, reports');
      held.release();
      expectEqual((await checkOut()).connection.id, 1, 'the connection that came free');
      await clock.sleep(500);
      expectEqual((await checkOut()).connection.id, 2, 'the connection whose operation had given up');
      expectEqual(script.calls.length, 2, 'connections opened');
    },
  ),
  one(
    'An aborted signal ends the wait, before, in the queue or for a handshake; no listener is left on the signal',
    { maxPoolSize: 2 },
    async bench => {
      const { checkOut, pool, script } = bench;
      pool.ready();
      const unused = createAbort();
      const held = await checkOut({ signal: unused.signal });
      script.usually({ after: 500 });
      const hand = createAbort();
      const waiting = [checkOut({ signal: hand.signal }), checkOut({ signal: hand.signal })];
      const reason = new Error('enough');
      hand.abort(reason);
      held.release();
      for (const each of [...waiting, checkOut({ signal: hand.signal })]) {
        const error = await expectRejection(each, { kind: 'aborted', phase: 'checkOut' }, 'an aborted check-out');
        expectTrue(error.cause === reason, 'the cause is the reason of the signal');
      }
      expectEqual([hand.listeners, unused.listeners, pool.load], [0, 0, 0], 'listeners, load');
    },
  ),
  one(
    'load counts the operations that hold or wait for a connection',
    { maxPoolSize: 2, maxConnecting: 1, minPoolSize: 1 },
    async bench => {
      const { checkOut, pool, clock } = bench;
      pool.ready();
      await clock.sleep(5);
      expectEqual(pool.load, 0, 'load of an idle pool');
      const first = await checkOut();
      const opening = checkOut();
      const queued = checkOut();
      expectEqual(pool.load, 3, 'one in use, one being opened, one in the queue');
      first.release();
      (await queued).release();
      expectEqual(pool.load, 1, 'one being opened');
      (await opening).release();
      expectEqual(pool.load, 0, 'all given back');
    },
  ),
  one(
    'Releasing a lease twice checks the connection in once',
    { maxPoolSize: 1 },
    async ({ checkOut, pool, recorder }) => {
      pool.ready();
      const lease = await checkOut();
      lease.release();
      lease.release();
      expectEqual([recorder.count('connectionCheckedIn'), pool.load], [1, 0], 'CheckedIn events, load');
      const [first, second] = [checkOut(), checkOut()];
      await first;
      expectEqual(pool.load, 2, 'one in use, one in the queue');
      lease.release();
      await second;
    },
  ),
  one('A ready pool with nothing to do in the background schedules nothing', {}, async ({ world, checkOut, pool }) => {
    pool.ready();
    (await checkOut({ deadline: 1000 })).release();
    expectEqual(world.leftovers(), [], 'timers');
  }),
];
