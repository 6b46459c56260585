import type {
  Address,
  ConnectionPool,
  Millis,
  Random,
  Selection,
  Server,
  ServerDescription,
  TopologyDescription,
} from '@tessera/contracts';

import { choose, inLatencyWindow, invalidity, suitableServers } from './suitable.js';
import { nowhere } from '../description/topology-description.js';

export interface Selector {
  /** From now on servers of this description are chosen. */
  look(description: TopologyDescription): void;
  /** A server, why this selection can have none (a sentence's end), or undefined while none is suitable. */
  select(selection: Selection, avoid: readonly Address[]): Server | string | undefined;
}

export interface SelectorDeps {
  readonly random: Random;
  readonly poolOf: (address: Address) => ConnectionPool | undefined;
}

/** The application's own choice among the servers that are suitable. Rule: Server Selection, "serverSelector". */
export type ServerSelector = (servers: readonly ServerDescription[]) => readonly ServerDescription[];

export interface SelectorOptions {
  readonly heartbeatFrequencyMS: Millis;
  readonly localThresholdMS: Millis;
  readonly serverSelector: ServerSelector | undefined;
}

/** The servers in the latency window of one selection, or why there can be none. */
type Choice = readonly Server[] | string;

/** Works out a selection once per description: its identity is the key. */
export const createSelector = (deps: SelectorDeps, options: SelectorOptions): Selector => {
  const { random, poolOf } = deps;
  const { heartbeatFrequencyMS, localThresholdMS, serverSelector } = options;
  let description: TopologyDescription = nowhere;
  let known = new WeakMap<Selection, Choice>();
  // Most operations come with the selection of the one before: then not even the map is asked.
  let lastSelection: Selection | undefined;
  let lastChoice: Choice = [];

  const choiceOf = (selection: Selection, avoid: readonly Address[]): Choice => {
    const wrong = invalidity(selection, description, heartbeatFrequencyMS);
    if (wrong !== undefined) return wrong;
    const suitable = suitableServers(description, selection, avoid, heartbeatFrequencyMS);
    const wanted = serverSelector === undefined || suitable.length === 0 ? suitable : serverSelector(suitable);
    const servers: Server[] = [];
    for (const server of inLatencyWindow(wanted, localThresholdMS)) {
      const pool = poolOf(server.address);
      if (pool !== undefined) servers.push({ description: server, pool });
    }
    return servers;
  };

  const knownChoice = (selection: Selection): Choice => {
    let choice = known.get(selection);
    if (choice === undefined) {
      choice = choiceOf(selection, []);
      // Nothing is kept of a server whose pool is still to be opened in this turn.
      if (choice.length > 0) known.set(selection, choice);
    }
    if (choice.length > 0) {
      lastSelection = selection;
      lastChoice = choice;
    }
    return choice;
  };

  return {
    look(next) {
      description = next;
      known = new WeakMap();
      lastSelection = undefined;
    },
    select(selection, avoid) {
      const choice =
        // What the application chooses may change from one operation to the next.
        avoid.length > 0 || serverSelector !== undefined
          ? choiceOf(selection, avoid)
          : selection === lastSelection
            ? lastChoice
            : knownChoice(selection);
      return typeof choice === 'string' ? choice : choose(choice, random);
    },
  };
};
