/** Of pools and their connections. Rule: Connection Monitoring and Pooling. */
import type { EventName } from '@tessera/contracts';
import type { PlannedSettings } from '../plan.js';
import { at, eventsOf, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

const key = (pool: number | undefined, connectionId: number): string => `pool ${pool}, connection ${connectionId}`;

/** Never more connections of a pool between their creation and an event of these names. */
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
  'never more than maxConnecting connections of a pool are on their way',
  ({ maxConnecting }) => maxConnecting,
  ['connectionReady', 'connectionClosed'],
);

/**
 * Those to a service behind a load balancer have its generation, from the moment in which it is known. Handed out is what is
 * told to be; what is given without a word, when it is given.
 */
export const neverStale: Invariant = {
  name: 'no connection is handed out after its generation was cleared',
  *breaches(history) {
    const generations = new Map<string, number>();
    const begun = new Map<string, { readonly of: string; readonly generation: number }>();
    const told = new Set<string>();
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
        if (!told.delete(which) && isStale(which)) yield `${which} was given at ${at(time)}, after the clear`;
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
        told.add(which);
        if (isStale(which)) yield `${which} (${event.address}) was checked out at ${at(time)}, after the clear`;
      }
    }
  },
};

/** Every hand-over is told, so that whoever listens knows who has what. */
export const toldAndGiven: Invariant = {
  name: 'whoever is given a connection was told of as having checked it out, and nobody else has it',
  *breaches(history) {
    const out = new Map<string, 'told' | 'given'>();
    for (const { at: time, fact } of factsOf(history, 'event', 'given')) {
      if (fact.is === 'given') {
        const which = key(fact.pool, fact.connectionId);
        const state = out.get(which);
        if (state === 'given') yield `${which} was given to two at ${at(time)}`;
        if (state === undefined) yield `${which} was given at ${at(time)}, but is not checked out`;
        out.set(which, 'given');
        continue;
      }
      const { event, pool } = fact;
      if (event.name === 'connectionCheckedOut') out.set(key(pool, event.connectionId), 'told');
      if (event.name === 'connectionCheckedIn') out.delete(key(pool, event.connectionId));
    }
  },
};

export const balanced: Invariant = {
  name: 'in the end every check-out that began has ended, and every connection that was checked out was checked in',
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
