import { MongoError } from '@tessera/contracts';
import { expectEqual, expectRejection, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { address, failed, serviceIdOf, story } from './bench.js';
import type { PoolCase } from './bench.js';

/** Rule: CMAP, "Clearing a Connection Pool", "Closing a Connection Pool". */
export const clearing = (one: PoolCase): readonly ContractCase[] => [
  one(
    'CMAP "Clearing a Connection Pool": waiting check-outs fail at once with the cause; the pool is paused until it is ready again',
    { maxPoolSize: 1 },
    async bench => {
      const { checkOut, pool, clock, script } = bench;
      pool.ready();
      const held = await checkOut();
      const waiting = [checkOut(), checkOut()];
      const cause = failed();
      const from = clock.now();
      pool.clear({ cause });
      for (const each of [...waiting, checkOut()]) {
        const error = await expectRejection(each, { kind: 'pool', phase: 'checkOut' }, 'check-out of a cleared pool');
        expectTrue(error.cause === cause, 'the cause is the error that cleared the pool');
        expectTrue(error.message.includes(cause.message), 'the message contains it too');
        expectEqual(error.origin?.sent, false, 'whether something was sent');
      }
      expectEqual(clock.now(), from, 'the time that passed');
      expectTrue(!held.connection.closed, 'what is in use stays open');
      held.release();
      expectTrue(held.connection.closed, 'what is given back is closed');
      pool.ready();
      const fresh = await checkOut();
      expectEqual(
        [fresh.connection.id, fresh.generation, script.calls.length],
        [2, held.generation + 1, 2],
        'the next',
      );
      expectEqual(
        story(bench).filter(what => /Pool|In|Closed/.test(what)),
        ['PoolCreated', 'PoolReady', 'PoolCleared', 'CheckedIn 1', 'Closed 1 stale', 'PoolReady'],
        'events',
      );
    },
  ),
  one(
    'CMAP "Clearing a Connection Pool": closes idle connections; clearing a paused pool emits no event',
    {},
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      const leases = [await checkOut(), await checkOut()];
      for (const lease of leases) lease.release();
      pool.clear({ cause: failed() });
      pool.clear({ cause: failed() });
      await clock.sleep(1);
      expectEqual(
        script.connections.map(({ closed }) => closed),
        [true, true],
        'closed',
      );
      const told = story(bench);
      expectEqual(told.filter(what => what === 'PoolCleared').length, 1, 'PoolCleared events');
      expectEqual(told.filter(what => what.endsWith('stale')).length, 2, 'closed as stale');
    },
  ),
  one(
    'CMAP "Clearing a Connection Pool": a connection whose handshake ends after a clear is closed as stale and never checked out',
    {},
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      script.next({ after: 100 });
      const waiting = checkOut();
      await clock.sleep(10);
      pool.clear({ cause: failed() });
      pool.ready();
      await expectRejection(
        waiting,
        { kind: 'pool', phase: 'checkOut' },
        'the check-out that waited for the handshake',
      );
      const next = await checkOut();
      expectEqual(next.connection.id, 2, 'the connection of the next');
      await clock.sleep(100);
      expectEqual(
        [script.connections.map(({ id, closed }) => [id, closed])],
        [
          [
            [2, false],
            [1, true],
          ],
        ],
        'connections',
      );
      expectTrue(story(bench).includes('Closed 1 stale'), 'it is closed as stale');
      expectTrue(!story(bench).includes('Ready 1'), 'it was never ready');
    },
  ),
  one(
    'CMAP "Clearing", interruptInUseConnections: closes connections in use with a retryable error, and aborts handshakes',
    {},
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      const held = await checkOut();
      script.next({ after: Infinity });
      const waiting = checkOut();
      await clock.sleep(5);
      const cause = failed();
      pool.clear({ cause, interruptInUse: true });
      const error = await expectRejection(waiting, { kind: 'pool' }, 'the check-out that waited for the handshake');
      expectTrue(error.cause === cause, 'the cause of its failure');
      await clock.sleep(5);
      expectEqual([held.connection.closed, script.pending], [true, 0], 'in use closed; handshakes under way');
      const closing = script.connections[0]?.closing?.cause;
      expectTrue(closing?.kind === 'pool' && closing.cause === cause, 'the interrupted command fails with the cause');
      expectTrue(closing.message.includes(`Connection to ${address} interrupted`), 'the words of the specification');
      held.release();
      const told = story(bench);
      const after = told.slice(told.indexOf('PoolCleared'));
      const [first, second] = [
        ['CheckedIn 1', 'Closed 1 stale'],
        ['Closed 2 stale', 'CheckOutFailed connectionError'],
      ];
      expectEqual(
        after.filter(event => first.includes(event)),
        first,
        'events of what was in use',
      );
      expectEqual(
        after.filter(event => second.includes(event)),
        second,
        'events of what was being opened',
      );
      expectEqual(after.length, 5, 'events from the clear on');
    },
  ),
  one(
    'CMAP "Clearing": a clear with interruptInUseConnections also interrupts connections that an earlier clear without it left open',
    {},
    async ({ checkOut, pool }) => {
      pool.ready();
      const held = await checkOut();
      pool.clear({ cause: failed() });
      expectTrue(!held.connection.closed, 'it stays open at first');
      pool.clear({ cause: failed(), interruptInUse: true });
      expectTrue(held.connection.closed, 'it is interrupted');
      held.release();
    },
  ),
  one(
    'CMAP "Clearing a load balanced pool": clears only connections to that service; waiting check-outs continue, and the pool stays ready',
    { maxPoolSize: 3, maxConnecting: 3 },
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      const [one, two] = [serviceIdOf(1), serviceIdOf(2)];
      script.next({ serviceId: one }, { serviceId: two }, { serviceId: one });
      pool.ready();
      const [a, b, c] = await Promise.all([checkOut(), checkOut(), checkOut()]);
      a.release();
      b.release();
      pool.clear({ cause: failed(), serviceId: one });
      expectEqual(
        [a, b, c].map(({ connection }) => connection.closed),
        [true, false, false],
        'closed',
      );
      expectTrue((await checkOut()).connection === b.connection, 'that of the other service is used again');
      c.release();
      expectTrue(c.connection.closed, 'that of the cleared service is closed when it is given back');
      script.next({ serviceId: one });
      expectTrue((await checkOut()).generation > c.generation, 'a new one to that service has a later generation');
      script.next({ serviceId: two, after: 20 });
      const waiting = checkOut();
      pool.clear({ cause: failed(), serviceId: two });
      await waiting;
      expectEqual(story(bench).filter(what => what === 'PoolCleared').length, 2, 'PoolCleared events');
      await clock.sleep(1);
    },
  ),
  one(
    'SDAM "Application errors": ignores a clear whose cause has an older generation',
    {},
    async ({ checkOut, pool }) => {
      pool.ready();
      const lease = await checkOut();
      const origin = { phase: 'command', sent: true, generation: lease.generation } as const;
      const cause = (): MongoError => new MongoError('network', 'reset', { origin });
      pool.clear({ cause: cause() });
      pool.ready();
      const fresh = await checkOut();
      pool.clear({ cause: cause() });
      fresh.release();
      expectTrue((await checkOut()).connection === fresh.connection, 'the newer connection is used again');
    },
  ),
  one(
    'ConnectionPool.interrupt: fails connections in use and waiting check-outs with the cause, each with its own error, and stays ready',
    { maxPoolSize: 1 },
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      const held = await checkOut();
      const failing = expectRejection(checkOut(), { kind: 'closed', phase: 'checkOut' }, 'the waiting check-out');
      const cause = new MongoError('closed', 'The client was closed.');
      const from = clock.now();
      pool.interrupt(cause);
      const error = await failing;
      const closing = script.connections[0]?.closing?.cause;
      expectEqual(
        [error.message, closing?.kind, closing?.message, clock.now()],
        [cause.message, 'closed', cause.message, from],
        'what the errors of the waiter and of the connection say, and when',
      );
      expectTrue(new Set([cause, error, closing]).size === 3, 'each is an error of its own');
      held.release();
      const next = await checkOut();
      expectEqual(next.connection.id, 2, 'the connection of the next');
      next.release();
      expectTrue(!story(bench).includes('PoolCleared'), 'it is not cleared');
      pool.close();
      pool.interrupt(cause);
    },
  ),
  one(
    'CMAP "Closing a Connection Pool": closes idle connections at once and others when they are checked in; a closed pool stays closed',
    {},
    async bench => {
      const { checkOut, pool, script, clock } = bench;
      pool.ready();
      const [idle, held] = [await checkOut(), await checkOut()];
      idle.release();
      pool.close();
      pool.close();
      pool.ready();
      pool.clear({ cause: failed() });
      expectEqual([idle.connection.closed, held.connection.closed], [true, false], 'closed at once');
      await expectRejection(checkOut(), { kind: 'pool', phase: 'checkOut' }, 'check-out of a closed pool');
      held.release();
      expectTrue(held.connection.closed, 'closed as it is given back');
      await clock.sleep(5);
      expectEqual(script.calls.length, 2, 'connections opened');
      expectEqual(
        story(bench).slice(-7),
        [
          ...['CheckedIn 1', 'Closed 1 poolClosed', 'PoolClosed'],
          ...['CheckOutStarted', 'CheckOutFailed poolClosed', 'CheckedIn 2', 'Closed 2 poolClosed'],
        ],
        'events',
      );
    },
  ),
  one(
    'CMAP "Closing a Connection Pool": waiting check-outs fail at once, without a cause',
    { maxPoolSize: 1 },
    async ({ checkOut, pool, clock }) => {
      pool.ready();
      const held = await checkOut();
      const waiting = checkOut();
      const from = clock.now();
      pool.close();
      const error = await expectRejection(waiting, { kind: 'pool', phase: 'checkOut' }, 'who waits');
      expectEqual([error.cause, clock.now()], [undefined, from], 'cause (it means: cleared, try again), and time');
      held.release();
    },
  ),
  one(
    'CMAP "Closing a Connection Pool": aborts a connection that is being opened',
    {},
    async ({ checkOut, pool, script, clock }) => {
      pool.ready();
      script.next({ after: 100 });
      const waiting = checkOut();
      await clock.sleep(5);
      pool.close();
      await expectRejection(waiting, { kind: 'pool', phase: 'checkOut' }, 'the check-out that waited for it');
      await clock.sleep(200);
      expectTrue(script.pending === 0 && script.connections.every(({ closed }) => closed), 'nothing is left open');
    },
  ),
];
