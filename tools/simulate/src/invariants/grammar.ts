/** In which order events may come, as small automata. Rules: CMAP, "Events"; SDAM Logging and Monitoring, "Events". */
import type { DriverEvent, EventName, ServerDescription } from '@tessera/contracts';
import type { History } from '../record.js';
import { at, factsOf } from './invariant.js';
import type { Invariant } from './invariant.js';

/** From a state, by an event's name, to the next state. What is not in it must not happen. */
type Automaton = Readonly<Record<string, Readonly<Partial<Record<EventName, string>>>>>;

interface Grammar {
  readonly automaton: Automaton;
  readonly start: string;
  readonly ends: readonly string[];
  /** Whose event it is; undefined: of nobody here. */
  readonly whose: (event: DriverEvent, pool: number | undefined) => string | undefined;
}

const follow = ({ automaton, start, ends, whose }: Grammar, history: History): string | undefined => {
  const states = new Map<string, string>();
  for (const { at: time, fact } of factsOf(history, 'event')) {
    const { event, pool } = fact;
    const who = whose(event, pool);
    if (who === undefined) continue;
    const state = states.get(who) ?? start;
    const next = automaton[state]?.[event.name];
    if (next === undefined) return `${event.name} of ${who} at ${at(time)}, while it is ${state}`;
    states.set(who, next);
  }
  for (const [who, state] of states) if (!ends.includes(state)) return `${who} is ${state} in the end`;
  return undefined;
};

const isOfService = (event: DriverEvent): boolean =>
  event.name === 'connectionPoolCleared' && event.serviceId !== undefined;

const pools: Grammar = {
  start: 'not there',
  ends: ['closed'],
  automaton: {
    'not there': { connectionPoolCreated: 'paused' },
    paused: {
      connectionPoolReady: 'ready',
      connectionPoolClosed: 'closed',
      connectionCheckOutStarted: 'paused',
      connectionCheckOutFailed: 'paused',
      connectionCheckedIn: 'paused',
      connectionClosed: 'paused',
    },
    ready: {
      connectionPoolCleared: 'paused',
      connectionPoolClosed: 'closed',
      connectionCreated: 'ready',
      connectionReady: 'ready',
      connectionClosed: 'ready',
      connectionCheckOutStarted: 'ready',
      connectionCheckOutFailed: 'ready',
      connectionCheckedOut: 'ready',
      connectionCheckedIn: 'ready',
    },
    closed: {
      connectionCheckOutStarted: 'closed',
      connectionCheckOutFailed: 'closed',
      connectionCheckedIn: 'closed',
      connectionClosed: 'closed',
    },
  },
  whose: (event, pool) =>
    event.name.startsWith('connection') && 'address' in event && !isOfService(event)
      ? `pool ${pool} (${event.address})`
      : undefined,
};

const connections: Grammar = {
  start: 'not there',
  ends: ['closed'],
  automaton: {
    'not there': { connectionCreated: 'pending' },
    pending: { connectionReady: 'idle', connectionClosed: 'closed' },
    idle: { connectionCheckedOut: 'in use', connectionClosed: 'closed' },
    'in use': { connectionCheckedIn: 'idle' },
    closed: {},
  },
  whose: (event, pool) =>
    event.name.startsWith('connection') && 'connectionId' in event && 'address' in event
      ? `connection ${event.connectionId} of pool ${pool} (${event.address})`
      : undefined,
};

const servers: Grammar = {
  start: 'not watched',
  ends: ['not watched'],
  automaton: {
    'not watched': { serverOpening: 'watched' },
    watched: { serverDescriptionChanged: 'watched', serverClosed: 'not watched' },
  },
  whose: event => {
    switch (event.name) {
      case 'serverOpening':
      case 'serverDescriptionChanged':
      case 'serverClosed':
        return `server ${event.address}`;
      default:
        return undefined;
    }
  },
};

const heartbeats: Grammar = {
  start: 'quiet',
  ends: ['quiet'],
  automaton: {
    quiet: { serverHeartbeatStarted: 'being checked' },
    'being checked': { serverHeartbeatSucceeded: 'quiet', serverHeartbeatFailed: 'quiet' },
  },
  whose: event =>
    event.name.startsWith('serverHeartbeat') && 'connectionId' in event
      ? `monitor of ${String(event.connectionId).split('#')[0]!}`
      : undefined,
};

const topologies: Grammar = {
  start: 'new',
  ends: ['new', 'closed'],
  automaton: {
    new: { topologyOpening: 'open' },
    open: { topologyDescriptionChanged: 'open', topologyClosed: 'closed' },
    closed: {},
  },
  whose: event => (event.name.startsWith('topology') ? 'the topology' : undefined),
};

const selections: Grammar = {
  start: 'idle',
  ends: ['idle'],
  automaton: {
    idle: { serverSelectionStarted: 'selecting' },
    selecting: { serverSelectionSucceeded: 'idle', serverSelectionFailed: 'idle' },
  },
  whose: event =>
    event.name.startsWith('serverSelection') && 'operationId' in event ? `operation ${event.operationId}` : undefined,
};

const asGrammar = (name: string, grammar: Grammar): Invariant => ({
  name: `events of ${name} come in an order that the specifications allow`,
  broken: history => follow(grammar, history),
});

const textOf = ({ type, topologyVersion, electionId, setVersion, primary, error }: ServerDescription): string =>
  `${type} ${topologyVersion?.processId.toHexString() ?? ''}/${String(topologyVersion?.counter)} ` +
  `${electionId?.toHexString() ?? ''} ${String(setVersion)} ${String(primary)} ${error?.message ?? ''}`;

/** Whoever only listens knows what is known. */
export const chained: Invariant = {
  name: 'each description that is told follows the one that was told before',
  broken: history => {
    const known = new Map<string, string>();
    let topology: string | undefined;
    for (const { at: time, fact } of factsOf(history, 'event')) {
      const { event } = fact;
      if (event.name === 'serverOpening') known.delete(event.address);
      if (event.name === 'serverDescriptionChanged') {
        const { address, previousDescription, newDescription } = event;
        const before = known.get(address);
        if (before !== undefined && before !== textOf(previousDescription))
          return `${address} at ${at(time)} changed from "${textOf(previousDescription)}", but was "${before}"`;
        known.set(address, textOf(newDescription));
      }
      if (event.name === 'topologyDescriptionChanged') {
        const { previousDescription, newDescription } = event;
        const text = `${previousDescription.type} ${[...previousDescription.servers.keys()].join()}`;
        if (topology !== undefined && topology !== text)
          return `the topology at ${at(time)} changed from "${text}", but was "${topology}"`;
        topology = `${newDescription.type} ${[...newDescription.servers.keys()].join()}`;
      }
    }
    return undefined;
  },
};

export const poolEvents: Invariant = asGrammar('pools', pools);
export const connectionEvents: Invariant = asGrammar('connections', connections);
export const serverEvents: Invariant = asGrammar('servers', servers);
export const heartbeatEvents: Invariant = asGrammar('heartbeats', heartbeats);
export const topologyEvents: Invariant = asGrammar('topologies', topologies);
export const selectionEvents: Invariant = asGrammar('selections', selections);
