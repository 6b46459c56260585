import { MongoError } from '@tessera/contracts';
import type { CheckOutOptions, Lease } from '@tessera/contracts';
import { around } from '../../kernel/around.js';
import { mapLease, poolsAround, poolsTelling, poolsWith } from '../../kernel/doors.js';
import { abortsAtOnce, endsInTime, recovers } from '../../kernel/invariants/calls.js';
import {
  balanced,
  neverStale,
  neverTooMany,
  neverTooManyPending,
  toldAndGiven,
} from '../../kernel/invariants/connections.js';
import { nothingThrown, nothingUnhandled } from '../../kernel/invariants/end.js';
import { inOrder, noSurvivor } from '../../kernel/invariants/waiters.js';
import type { Mutant } from '../../kernel/kind.js';
import { closesAtOnce, failsAsMongoError } from '../invariants.js';

const isCleared = (error: unknown): boolean =>
  MongoError.is(error) && error.kind === 'pool' && MongoError.is(error.cause);

/** Pools whose leases are given back in another way. */
const releasing = (
  release: (lease: Lease, options: CheckOutOptions, now: number) => void,
): ReturnType<Mutant['parts']> =>
  poolsAround((pool, clock) => ({
    checkOut: options =>
      mapLease(pool.checkOut(options), lease => around(lease, { release: () => release(lease, options, clock.now()) })),
  }));

export const poolMutants: readonly Mutant[] = [
  /** Keeps what is given back for itself, and hands it out again whatever happened to the pool. */
  {
    name: 'pool-forgets-generation',
    sentence: 'a pool hands out connections of a generation that was cleared',
    breaks: neverStale,
    parts: () =>
      poolsAround(pool => {
        const kept: Lease[] = [];
        const keep = (lease: Lease): Lease =>
          around(lease, {
            release: () => {
              if (lease.connection.closed) lease.release();
              else kept.push(lease);
            },
          });
        return {
          checkOut: options => {
            const lease = kept.pop();
            if (lease !== undefined && !lease.connection.closed) return keep(lease);
            lease?.release();
            return mapLease(pool.checkOut(options), keep);
          },
          close: cause => {
            for (const lease of kept.splice(0)) lease.release();
            pool.close(cause);
          },
        };
      }),
  },
  {
    name: 'pool-serves-last-first',
    sentence: 'a pool serves whoever came last',
    breaks: inOrder,
    parts: () =>
      poolsAround((pool, _, { maxPoolSize: limit = 100 }) => {
        const waiting: (() => void)[] = [];
        let out = 0;
        const take = async (given: CheckOutOptions): Promise<Lease> => {
          out += 1;
          const back = (): void => {
            out -= 1;
            waiting.pop()?.();
          };
          try {
            const lease = await pool.checkOut(given);
            const release = (): void => {
              lease.release();
              back();
            };
            return around(lease, { release });
          } catch (error) {
            back();
            throw error;
          }
        };
        return {
          checkOut: given =>
            out < limit
              ? take(given)
              : new Promise((resolve, reject) => {
                  waiting.push(() => void take(given).then(resolve, reject));
                }),
        };
      }),
  },
  {
    name: 'pool-leaks-on-late-reply',
    sentence: 'a connection whose operation gave up is never taken back',
    breaks: balanced,
    parts: () =>
      releasing((lease, { signal, deadline }, now) => {
        if (signal?.aborted !== true && now < deadline) lease.release();
      }),
  },
  {
    name: 'pool-opens-one-too-many',
    sentence: 'a pool opens maxPoolSize connections and one more',
    breaks: neverTooMany,
    parts: () => poolsWith(options => ({ ...options, maxPoolSize: (options.maxPoolSize ?? 100) + 1 })),
  },
  {
    name: 'pool-opens-all-at-once',
    sentence: 'a pool does not keep to maxConnecting',
    breaks: neverTooManyPending,
    parts: () => poolsWith(options => ({ ...options, maxConnecting: 1000 })),
  },
  {
    name: 'pool-keeps-waiters-at-clear',
    sentence: 'who waits goes on waiting when the pool is cleared',
    breaks: noSurvivor,
    parts: () =>
      poolsAround((pool, clock) => ({
        checkOut: async options => {
          for (;;) {
            try {
              return await pool.checkOut(options);
            } catch (error) {
              if (!isCleared(error) || clock.now() >= options.deadline) throw error;
              await clock.sleep(10);
            }
          }
        },
      })),
  },
  {
    name: 'pool-ignores-deadlines',
    sentence: 'who waits for a connection is not told that the time is up',
    breaks: endsInTime,
    parts: () => poolsAround(pool => ({ checkOut: ({ signal }) => pool.checkOut({ deadline: Infinity, signal }) })),
  },
  {
    name: 'pool-ignores-signals',
    sentence: 'who waits for a connection cannot give up',
    breaks: abortsAtOnce,
    parts: () => poolsAround(pool => ({ checkOut: ({ deadline }) => pool.checkOut({ deadline }) })),
  },
  {
    name: 'pool-does-not-tell-returns',
    sentence: 'of ten connections that are given back one is not told of',
    breaks: balanced,
    parts: () => {
      let returns = 0;
      return poolsTelling('connectionCheckedIn', event => (++returns % 10 === 0 ? [] : [event]));
    },
  },
  {
    name: 'pool-stays-paused',
    sentence: 'a pool that was cleared does not become ready again',
    breaks: recovers,
    parts: () =>
      poolsAround(pool => {
        let wasCleared = false;
        return {
          ready: () => {
            if (!wasCleared) pool.ready();
          },
          clear: options => {
            wasCleared = options.serviceId === undefined;
            pool.clear(options);
          },
        };
      }),
  },
  {
    name: 'pool-loses-rejections',
    sentence: 'a failed check-out rejects a promise that nobody has',
    breaks: nothingUnhandled,
    parts: () =>
      poolsAround(pool => ({
        checkOut: options => {
          const lease = pool.checkOut(options);
          if (lease instanceof Promise) void lease.then(() => undefined);
          return lease;
        },
      })),
  },
  /** Two callers on one connection: each may read the other's answer. */
  {
    name: 'pool-gives-twice',
    sentence: 'a connection is given to a second caller while the first still has it',
    breaks: toldAndGiven,
    parts: () =>
      poolsAround(pool => {
        let last: Lease | undefined;
        return {
          checkOut: options => {
            if (last !== undefined && !last.connection.closed) {
              const shared = last;
              last = undefined;
              return around(shared, { release: () => undefined });
            }
            return mapLease(pool.checkOut(options), lease => {
              last = lease;
              const release = (): void => {
                if (last === lease) last = undefined;
                lease.release();
              };
              return around(lease, { release });
            });
          },
        };
      }),
  },
  {
    name: 'pool-goes-on-after-close',
    sentence: 'what is under way when the client is closed goes on',
    breaks: closesAtOnce,
    parts: () => poolsAround(pool => ({ close: () => pool.close() })),
  },
  {
    name: 'pool-throws-at-clear',
    sentence: 'clearing a pool throws',
    breaks: failsAsMongoError,
    parts: () =>
      poolsAround(() => ({
        clear: () => {
          throw new RangeError('this pool cannot be cleared');
        },
      })),
  },
  {
    name: 'pool-throws-at-release',
    sentence: 'giving a lost connection back throws',
    breaks: nothingThrown,
    parts: () =>
      releasing(lease => {
        lease.release();
        if (lease.connection.closed) throw new RangeError('this connection cannot be given back');
      }),
  },
];
