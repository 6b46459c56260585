import { MongoError } from '@tessera/contracts';
import type { CheckOutOptions, Lease } from '@tessera/contracts';
import { around } from '../../kernel/around.js';
import { mapLease, poolsAround, poolsEmitting, poolsWith } from '../../kernel/doors.js';
import { abortsAtOnce, endsInTime, recovers } from '../../kernel/invariants/calls.js';
import {
  balanced,
  neverStale,
  neverTooMany,
  neverTooManyPending,
  announcedAndGiven,
} from '../../kernel/invariants/connections.js';
import { nothingThrown, nothingUnhandled } from '../../kernel/invariants/end.js';
import { inOrder, noSurvivor } from '../../kernel/invariants/waiters.js';
import type { Mutant } from '../../kernel/kind.js';
import { closesAtOnce, failsAsMongoError } from '../invariants.js';

const isCleared = (error: unknown): boolean =>
  MongoError.is(error) && error.kind === 'pool' && MongoError.is(error.cause);

/** Wraps pools so that they release leases in another way. */
const releasing = (
  release: (lease: Lease, options: CheckOutOptions, now: number) => void,
): ReturnType<Mutant['parts']> =>
  poolsAround((pool, clock) => ({
    checkOut: options =>
      mapLease(pool.checkOut(options), lease => around(lease, { release: () => release(lease, options, clock.now()) })),
  }));

export const poolMutants: readonly Mutant[] = [
  /** Keeps released connections, and hands them out again even if the pool was cleared. */
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
    sentence: 'a pool serves the last check-out first',
    breaks: inOrder,
    parts: () =>
      poolsAround((pool, _, { maxPoolSize: limit = 100 }) => {
        const waiting: (() => void)[] = [];
        let out = 0;
        const take = async (given: CheckOutOptions): Promise<Lease> => {
          out += 1;
          const free = (): void => {
            out -= 1;
            waiting.pop()?.();
          };
          try {
            const lease = await pool.checkOut(given);
            const release = (): void => {
              lease.release();
              free();
            };
            return around(lease, { release });
          } catch (error) {
            free();
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
    sentence: 'a connection whose operation was aborted or timed out is never checked in',
    breaks: balanced,
    parts: () =>
      releasing((lease, { signal, deadline }, now) => {
        if (signal?.aborted !== true && now < deadline) lease.release();
      }),
  },
  {
    name: 'pool-opens-one-too-many',
    sentence: 'a pool opens one connection more than maxPoolSize',
    breaks: neverTooMany,
    parts: () => poolsWith(options => ({ ...options, maxPoolSize: (options.maxPoolSize ?? 100) + 1 })),
  },
  {
    name: 'pool-opens-all-at-once',
    sentence: 'a pool ignores maxConnecting',
    breaks: neverTooManyPending,
    parts: () => poolsWith(options => ({ ...options, maxConnecting: 1000 })),
  },
  {
    name: 'pool-keeps-waiters-at-clear',
    sentence: 'waiting check-outs continue to wait when the pool is cleared',
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
    sentence: 'a waiting check-out ignores its deadline',
    breaks: endsInTime,
    parts: () => poolsAround(pool => ({ checkOut: ({ signal }) => pool.checkOut({ deadline: Infinity, signal }) })),
  },
  {
    name: 'pool-ignores-signals',
    sentence: 'a waiting check-out ignores its signal',
    breaks: abortsAtOnce,
    parts: () => poolsAround(pool => ({ checkOut: ({ deadline }) => pool.checkOut({ deadline }) })),
  },
  {
    name: 'pool-omits-some-check-ins',
    sentence: 'every tenth connectionCheckedIn is omitted',
    breaks: balanced,
    parts: () => {
      let returns = 0;
      return poolsEmitting('connectionCheckedIn', event => (++returns % 10 === 0 ? [] : [event]));
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
    sentence: 'a failed check-out rejects a promise that has no handler',
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
  /** Hands one connection out to two callers, so that each may read the reply to the other. */
  {
    name: 'pool-gives-twice',
    sentence: 'a connection is handed out again while its first holder still uses it',
    breaks: announcedAndGiven,
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
    name: 'pool-continues-after-close',
    sentence: 'operations in progress continue after the client is closed',
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
          throw new RangeError('This pool cannot be cleared.');
        },
      })),
  },
  {
    name: 'pool-throws-at-release',
    sentence: 'releasing a broken connection throws',
    breaks: nothingThrown,
    parts: () =>
      releasing(lease => {
        lease.release();
        if (lease.connection.closed) throw new RangeError('This connection cannot be released.');
      }),
  },
];
