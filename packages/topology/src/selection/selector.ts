import type {
  Address,
  ConnectionPool,
  Millis,
  Random,
  Selection,
  Server,
  ServerSelector,
  TopologyDescription,
} from '@tessera/contracts';
import { choose, inLatencyWindow, invalidity, suitableServers } from './suitable.js';
import { emptyTopology } from '../description/topology-description.js';

export interface Selector {
  /** Selects servers of this description from now on. */
  use(description: TopologyDescription): void;
  /** Returns a server, undefined while none is suitable, or the reason why the selection is invalid (the end of a sentence). */
  select(selection: Selection, avoid: readonly Address[]): Server | string | undefined;
}

export interface SelectorDeps {
  readonly random: Random;
  readonly poolOf: (address: Address) => ConnectionPool | undefined;
}

export interface SelectorOptions {
  readonly heartbeatFrequencyMS: Millis;
  readonly localThresholdMS: Millis;
  readonly serverSelector: ServerSelector | undefined;
}

/** The servers in the latency window of one selection, or the reason why it is invalid. */
type Choice = readonly Server[] | string;

/** Computes each selection once per description. The key is the identity of the selection. */
export const createSelector = (deps: SelectorDeps, options: SelectorOptions): Selector => {
  const { random, poolOf } = deps;
  const { heartbeatFrequencyMS, localThresholdMS, serverSelector } = options;
  let description: TopologyDescription = emptyTopology;
  let known = new WeakMap<Selection, Choice>();
  // Most operations have the selection of the operation before, which needs no lookup.
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
      // Does not cache an empty choice: the pool of the server may be opened in this turn.
      if (choice.length > 0) known.set(selection, choice);
    }
    if (choice.length > 0) {
      lastSelection = selection;
      lastChoice = choice;
    }
    return choice;
  };

  return {
    use(next) {
      description = next;
      known = new WeakMap();
      lastSelection = undefined;
    },
    select(selection, avoid) {
      const choice =
        // The application may choose other servers for each operation.
        avoid.length > 0 || serverSelector !== undefined
          ? choiceOf(selection, avoid)
          : selection === lastSelection
            ? lastChoice
            : knownChoice(selection);
      return typeof choice === 'string' ? choice : choose(choice, random);
    },
  };
};
