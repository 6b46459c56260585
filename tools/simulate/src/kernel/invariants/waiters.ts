/**
 * Invariants of waiting check-outs. Specification: Connection Monitoring and Pooling, "WaitQueue", "Clearing a
 * Connection Pool".
 */
import type { Millis } from '@tessera/contracts';
import type { History } from '../record.js';
import { at, eventsOf, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

/**
 * A check-out from its call to its outcome. If an event reports the outcome, its time counts, because promises resolve
 * a little later.
 */
interface Wait {
  readonly pool: number;
  /** Positions in the history. */
  readonly from: number;
  until: number;
  readonly since: Millis;
  settled: Millis;
  connectionId: number | undefined;
}

const waitsOf = (history: History): readonly Wait[] => {
  const waits = new Map<number, Wait>();
  /** Positions of events, by pool and connection, or by error. */
  const positions = new Map<unknown, number>();
  for (const { at: time, index, fact } of factsOf(history, 'event', 'asked', 'given', 'denied')) {
    if (fact.is === 'event') {
      const { event, pool } = fact;
      if (event.name === 'connectionCheckedOut') positions.set(`${pool}#${event.connectionId}`, index);
      if (event.name === 'connectionCheckOutFailed') positions.set(event.error, index);
    } else if (fact.is === 'asked') {
      const never = { until: Infinity, settled: Infinity, connectionId: undefined };
      waits.set(fact.checkOut, { pool: fact.pool, from: index, since: time, ...never });
    } else {
      const wait = waits.get(fact.checkOut)!;
      const place = positions.get(fact.is === 'given' ? `${fact.pool}#${fact.connectionId}` : fact.error) ?? index;
      wait.until = place > wait.from ? place : index;
      wait.settled = time;
      if (fact.is === 'given') wait.connectionId = fact.connectionId;
    }
  }
  return [...waits.values()];
};

/**
 * A connection that is opened while check-outs wait is opened for the first of them, which then waits for that
 * connection. A connection that becomes free goes to the first of the others.
 */
export const inOrder: Invariant = {
  name: 'a pool serves waiting check-outs in the order in which they began',
  *breaches(history) {
    const waits = waitsOf(history);
    const steps = [
      ...waits.flatMap(wait => [
        { index: wait.from, wait, what: 'came' as const },
        { index: wait.until, wait, what: 'left' as const },
      ]),
      ...[...eventsOf(history, 'connectionCreated')].map(({ index, pool }) => ({
        index,
        what: 'created' as const,
        pool,
      })),
    ].sort((a, b) => a.index - b.index);
    const queues = new Map<number, Wait[]>();
    for (const step of steps) {
      const pool = step.what === 'created' ? step.pool : step.wait.pool;
      const queue = queues.get(pool) ?? [];
      queues.set(pool, queue);
      if (step.what === 'came') queue.push(step.wait);
      else if (step.what === 'created') queue.shift();
      else {
        const place = queue.indexOf(step.wait);
        if (place < 0) continue;
        if (step.wait.connectionId !== undefined && place > 0) {
          const first = queue[0]!;
          yield `at ${at(step.wait.settled)} pool ${pool} served the check-out from ${at(step.wait.since)} before the check-out from ${at(first.since)}`;
        }
        queue.splice(place, 1);
      }
    }
  },
};

export const noSurvivor: Invariant = {
  name: 'waiting check-outs fail as soon as the pool is cleared or closed',
  *breaches(history) {
    const waits = waitsOf(history);
    for (const { at: time, index, pool, event } of eventsOf(history, 'connectionPoolCleared', 'connectionPoolClosed')) {
      if (event.name === 'connectionPoolCleared' && event.serviceId !== undefined) continue;
      for (const wait of waits) {
        if (wait.pool !== pool || wait.from > index || wait.until < index) continue;
        if (wait.connectionId !== undefined || wait.settled > time)
          yield `${event.address} was cleared or closed at ${at(time)}, and the check-out from ${at(wait.since)} ${
            wait.connectionId === undefined ? 'continued to wait' : 'still received a connection'
          }`;
      }
    }
  },
};
