/**
 * Checks the order of events with small automata. Specifications: CMAP, "Events"; SDAM Logging and Monitoring,
 * "Events".
 */
import type { DriverEvent, EventName, ServerDescription } from '@tessera/contracts';
import { at, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';

/**
 * A state of an automaton: the events that keep the state, and the events that lead to another state. Other events must
 * not occur.
 */
interface State {
  readonly stays?: readonly EventName[];
  readonly goes?: Readonly<Partial<Record<EventName, string>>>;
}

/** An event that a grammar names. It has the fields that the grammar reads. */
type Named = DriverEvent & {
  readonly address: string;
  readonly connectionId: number | string;
  readonly operationId: number;
};

interface Grammar {
  /** The kind of object that emits the events, in the plural. */
  readonly of: string;
  /** The states by name. The first is the initial state. */
  readonly states: Readonly<Record<string, State>>;
  readonly ends: readonly string[];
  /** Returns the name of the object that an event belongs to, or undefined if the grammar ignores the event. */
  readonly whose: (event: Named, pool: number | undefined) => string | undefined;
}

const follow = ({ of, states, ends, whose }: Grammar): Invariant => {
  const [start = ''] = Object.keys(states);
  const names = new Set(
    Object.values(states).flatMap(({ stays = [], goes = {} }): string[] => [...stays, ...Object.keys(goes)]),
  );
  return {
    name: `events of ${of} come in an order that the specifications allow`,
    *breaches(history) {
      const now = new Map<string, string>();
      for (const { at: time, fact } of factsOf(history, 'event')) {
        const { event, pool } = fact;
        const object = names.has(event.name) ? whose(event as Named, pool) : undefined;
        if (object === undefined) continue;
        const state = now.get(object) ?? start;
        const { stays, goes } = states[state] ?? {};
        const next = stays?.includes(event.name) === true ? state : goes?.[event.name];
        if (next === undefined) yield `${event.name} of ${object} at ${at(time)}, while it is ${state}`;
        else now.set(object, next);
      }
      for (const [object, state] of now) if (!ends.includes(state)) yield `${object} is ${state} at the end`;
    },
  };
};

const inAnyState: readonly EventName[] = [
  ...(['connectionCheckOutStarted', 'connectionCheckOutFailed'] as const),
  ...(['connectionCheckedIn', 'connectionClosed'] as const),
];

export const poolEvents: Invariant = follow({
  of: 'pools',
  states: {
    'not there': { goes: { connectionPoolCreated: 'paused' } },
    paused: { stays: inAnyState, goes: { connectionPoolReady: 'ready', connectionPoolClosed: 'closed' } },
    ready: {
      stays: [...inAnyState, 'connectionCreated', 'connectionReady', 'connectionCheckedOut'],
      goes: { connectionPoolCleared: 'paused', connectionPoolClosed: 'closed' },
    },
    closed: { stays: inAnyState },
  },
  ends: ['closed'],
  // Clearing one service does not change the state of the pool.
  whose: (event, pool) =>
    event.name === 'connectionPoolCleared' && event.serviceId !== undefined
      ? undefined
      : `pool ${pool} (${event.address})`,
});

export const connectionEvents: Invariant = follow({
  of: 'connections',
  states: {
    'not there': { goes: { connectionCreated: 'pending' } },
    pending: { goes: { connectionReady: 'idle', connectionClosed: 'closed' } },
    idle: { goes: { connectionCheckedOut: 'in use', connectionClosed: 'closed' } },
    'in use': { goes: { connectionCheckedIn: 'idle' } },
    closed: {},
  },
  ends: ['closed'],
  whose: ({ connectionId, address }, pool) => `connection ${connectionId} of pool ${pool} (${address})`,
});

export const serverEvents: Invariant = follow({
  of: 'servers',
  states: {
    'not watched': { goes: { serverOpening: 'watched' } },
    watched: { stays: ['serverDescriptionChanged'], goes: { serverClosed: 'not watched' } },
  },
  ends: ['not watched'],
  whose: ({ address }) => `server ${address}`,
});

export const heartbeatEvents: Invariant = follow({
  of: 'heartbeats',
  states: {
    quiet: { goes: { serverHeartbeatStarted: 'being checked' } },
    'being checked': { goes: { serverHeartbeatSucceeded: 'quiet', serverHeartbeatFailed: 'quiet' } },
  },
  ends: ['quiet'],
  whose: ({ connectionId }) => `monitor of ${String(connectionId).split('#')[0]!}`,
});

export const topologyEvents: Invariant = follow({
  of: 'topologies',
  states: {
    new: { goes: { topologyOpening: 'open' } },
    open: { stays: ['topologyDescriptionChanged'], goes: { topologyClosed: 'closed' } },
    closed: {},
  },
  ends: ['new', 'closed'],
  whose: () => 'the topology',
});

export const selectionEvents: Invariant = follow({
  of: 'selections',
  states: {
    idle: { goes: { serverSelectionStarted: 'selecting' } },
    selecting: { goes: { serverSelectionSucceeded: 'idle', serverSelectionFailed: 'idle' } },
  },
  ends: ['idle'],
  whose: ({ operationId }) => `operation ${operationId}`,
});

export const grammars: readonly Invariant[] = [
  ...[poolEvents, connectionEvents, serverEvents],
  ...[heartbeatEvents, topologyEvents, selectionEvents],
];

const textOf = ({ type, topologyVersion, electionId, setVersion, primary, error }: ServerDescription): string =>
  `${type} ${topologyVersion?.processId.toHexString() ?? ''}/${String(topologyVersion?.counter)} ` +
  `${electionId?.toHexString() ?? ''} ${String(setVersion)} ${String(primary)} ${error?.message ?? ''}`;

/** A listener can reconstruct the current description from the events. */
export const chained: Invariant = {
  name: 'each description event follows from the description event before it',
  *breaches(history) {
    const known = new Map<string, string>();
    let topology: string | undefined;
    for (const { at: time, fact } of factsOf(history, 'event')) {
      const { event } = fact;
      if (event.name === 'serverOpening') known.delete(event.address);
      if (event.name === 'serverDescriptionChanged') {
        const { address, previousDescription, newDescription } = event;
        const before = known.get(address);
        if (before !== undefined && before !== textOf(previousDescription))
          yield `${address} at ${at(time)} changed from "${textOf(previousDescription)}", but was "${before}"`;
        known.set(address, textOf(newDescription));
      }
      if (event.name === 'topologyDescriptionChanged') {
        const { previousDescription, newDescription } = event;
        const text = `${previousDescription.type} ${[...previousDescription.servers.keys()].join()}`;
        if (topology !== undefined && topology !== text)
          yield `the topology at ${at(time)} changed from "${text}", but was "${topology}"`;
        topology = `${newDescription.type} ${[...newDescription.servers.keys()].join()}`;
      }
    }
  },
};
