/** Invariants of pools and their connections. Specification: Connection Monitoring and Pooling. */
import type { EventName } from '@tessera/contracts';
import type { PlannedSettings } from '../plan.js';
import { at, eventsOf, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

const key = (pool: number | undefined, connectionId: number): string => `pool ${pool}, connection ${connectionId}`;

/** Limits the connections of a pool between their creation and an event with one of these names. */
const within = (
  name: string,
  limitOf: (settings: PlannedSettings) => number,
  ends: readonly EventName[],
): Invariant => ({
  name,
  *breaches(history) {
    const limit = limitOf(history.plan.settings);
    const counted = new Map<number, Set<number>>();
    const events = eventsOf(history, 'connectionCreated', 'connectionReady', 'connectionClosed');
    for (const { at: time, pool, event } of events) {
      const mine = counted.get(pool) ?? new Set();
      counted.set(pool, mine);
      if (event.name === 'connectionCreated') mine.add(event.connectionId);
      else if (ends.includes(event.name)) mine.delete(event.connectionId);
      if (mine.size > limit) yield `pool ${pool} (${event.address}) had ${mine.size}, limit ${limit}, at ${at(time)}`;
    }
  },
});

export const neverTooMany: Invariant = within(
  'a pool never has more than maxPoolSize connections',
  ({ maxPoolSize }) => maxPoolSize,
  ['connectionClosed'],
);

export const neverTooManyPending: Invariant = within(
  'a pool never opens more than maxConnecting connections at the same time',
  ({ maxConnecting }) => maxConnecting,
  ['connectionReady', 'connectionClosed'],
);

/**
 * Connections to a service behind a load balancer have the generation of that service as soon as the service is known.
 * A connection counts as handed out when its event is emitted or, without an event, when the check-out ends.
 */
export const neverStale: Invariant = {
  name: 'no connection is handed out after its generation was cleared',
  *breaches(history) {
    const generations = new Map<string, number>();
    const begun = new Map<string, { readonly of: string; readonly generation: number }>();
    const announced = new Set<string>();
    const begin = (which: string, of: string): void => {
      begun.set(which, { of, generation: generations.get(of) ?? 0 });
    };
    const isStale = (which: string): boolean => {
      const known = begun.get(which);
      return known !== undefined && known.generation !== (generations.get(known.of) ?? 0);
    };
    for (const { at: time, fact } of factsOf(history, 'event', 'given')) {
      if (fact.is === 'given') {
        const which = key(fact.pool, fact.connectionId);
        if (!announced.delete(which) && isStale(which)) yield `${which} was handed out at ${at(time)}, after the clear`;
        continue;
      }
      const { event, pool } = fact;
      if (event.name === 'connectionPoolCleared') {
        const of = `${pool} ${event.serviceId?.toHexString() ?? ''}`;
        generations.set(of, (generations.get(of) ?? 0) + 1);
      } else if (event.name === 'connectionCreated') begin(key(pool, event.connectionId), `${pool} `);
      else if (event.name === 'connectionReady' && event.serviceId !== undefined)
        begin(key(pool, event.connectionId), `${pool} ${event.serviceId.toHexString()}`);
      else if (event.name === 'connectionCheckedOut') {
        const which = key(pool, event.connectionId);
        announced.add(which);
        if (isStale(which)) yield `${which} (${event.address}) was checked out at ${at(time)}, after the clear`;
      }
    }
  },
};

/** Every check-out emits an event, so that listeners see the current holder of each connection. */
export const announcedAndGiven: Invariant = {
  name: 'a connection that a check-out returns was announced by an event, and has no other holder',
  *breaches(history) {
    const out = new Map<string, 'announced' | 'given'>();
    for (const { at: time, fact } of factsOf(history, 'event', 'given')) {
      if (fact.is === 'given') {
        const which = key(fact.pool, fact.connectionId);
        const state = out.get(which);
        if (state === 'given') yield `${which} was handed out to two check-outs at ${at(time)}`;
        if (state === undefined) yield `${which} was handed out at ${at(time)}, but is not checked out`;
        out.set(which, 'given');
        continue;
      }
      const { event, pool } = fact;
      if (event.name === 'connectionCheckedOut') out.set(key(pool, event.connectionId), 'announced');
      if (event.name === 'connectionCheckedIn') out.delete(key(pool, event.connectionId));
    }
  },
};

export const balanced: Invariant = {
  name: 'at the end every check-out that began has ended, and every connection that was checked out was checked in',
  *breaches(history) {
    let [started, ended, out, back] = [0, 0, 0, 0];
    for (const { event } of eventsOf(
      history,
      'connectionCheckOutStarted',
      'connectionCheckOutFailed',
      'connectionCheckedOut',
      'connectionCheckedIn',
    )) {
      if (event.name === 'connectionCheckOutStarted') started += 1;
      else if (event.name === 'connectionCheckedIn') back += 1;
      else ended += 1;
      if (event.name === 'connectionCheckedOut') out += 1;
    }
    if (started !== ended) yield `${started} began, ${ended} ended`;
    if (out !== back) yield `${out} were checked out, ${back} were checked in`;
  },
};
