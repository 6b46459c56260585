/** Of those who wait for a connection. Rule: Connection Monitoring and Pooling, "WaitQueue", "Clearing a Connection Pool". */
import type { Millis } from '@tessera/contracts';
import type { History } from '../record.js';
import { at, eventsOf, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

/** From the call to its outcome. Where it is told by an event, that is the moment: promises are heard of a little later. */
interface Wait {
  readonly pool: number;
  /** Places in the history. */
  readonly from: number;
  until: number;
  readonly since: Millis;
  settled: Millis;
  connectionId: number | undefined;
}

const waitsOf = (history: History): readonly Wait[] => {
  const waits = new Map<number, Wait>();
  /** Places of events, by pool and connection, or by error. */
  const told = new Map<unknown, number>();
  for (const { at: time, index, fact } of factsOf(history, 'event', 'asked', 'given', 'denied')) {
    if (fact.is === 'event') {
      const { event, pool } = fact;
      if (event.name === 'connectionCheckedOut') told.set(`${pool}#${event.connectionId}`, index);
      if (event.name === 'connectionCheckOutFailed') told.set(event.error, index);
    } else if (fact.is === 'asked') {
      const never = { until: Infinity, settled: Infinity, connectionId: undefined };
      waits.set(fact.asker, { pool: fact.pool, from: index, since: time, ...never });
    } else {
      const wait = waits.get(fact.asker)!;
      const place = told.get(fact.is === 'given' ? `${fact.pool}#${fact.connectionId}` : fact.error) ?? index;
      wait.until = place > wait.from ? place : index;
      wait.settled = time;
      if (fact.is === 'given') wait.connectionId = fact.connectionId;
    }
  }
  return [...waits.values()];
};

/**
 * A connection that is opened while somebody waits is opened for the first of them, who then waits for that one; what comes
 * free goes to the first of the others.
 */
export const inOrder: Invariant = {
  name: 'whoever waits for a connection is served in the order of coming',
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
          yield `at ${at(step.wait.settled)} pool ${pool} served who came at ${at(step.wait.since)} before who came at ${at(first.since)}`;
        }
        queue.splice(place, 1);
      }
    }
  },
};

export const noSurvivor: Invariant = {
  name: 'whoever waits for a connection fails as soon as the pool is cleared or closed',
  *breaches(history) {
    const waits = waitsOf(history);
    for (const { at: time, index, pool, event } of eventsOf(history, 'connectionPoolCleared', 'connectionPoolClosed')) {
      if (event.name === 'connectionPoolCleared' && event.serviceId !== undefined) continue;
      for (const wait of waits) {
        if (wait.pool !== pool || wait.from > index || wait.until < index) continue;
        if (wait.connectionId !== undefined || wait.settled > time)
          yield `${event.address} was cleared or closed at ${at(time)}, and who came at ${at(wait.since)} ${
            wait.connectionId === undefined ? 'went on waiting' : 'was still served'
          }`;
      }
    }
  },
};
