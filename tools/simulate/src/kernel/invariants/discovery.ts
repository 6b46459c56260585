/** Invariants of server descriptions. Specification: Server Discovery and Monitoring. */
import { MongoError } from '@tessera/contracts';
import type { Millis, TopologyVersion } from '@tessera/contracts';
import { at, eventsOf, factsOf } from '../invariant.js';
import type { Invariant } from '../invariant.js';
import type { History } from '../record.js';

/** A topologyVersion as an error reply contains it. */
interface ReceivedVersion {
  readonly processId?: { toHexString(): string };
  readonly counter?: unknown;
}

const versionIn = (error: MongoError | undefined): ReceivedVersion | undefined =>
  error?.kind === 'server' ? (error.reply?.['topologyVersion'] as ReceivedVersion | undefined) : undefined;

const isOlder = (
  received: ReceivedVersion | TopologyVersion | undefined,
  known: TopologyVersion | undefined,
  orSame: boolean,
): boolean => {
  if (received === undefined || received.processId?.toHexString() !== known?.processId.toHexString()) return false;
  const [counter, knownCounter] = [BigInt(String(received.counter)), known?.counter ?? 0n];
  return counter < knownCounter || (orSame && counter === knownCounter);
};

export const noOlderVersion: Invariant = {
  name: 'a reply with an older topologyVersion does not replace a newer description',
  *breaches(history) {
    let failedCheck: unknown;
    for (const { at: time, event } of eventsOf(history, 'serverHeartbeatFailed', 'serverDescriptionChanged')) {
      if (event.name === 'serverHeartbeatFailed') {
        failedCheck = event.failure;
        continue;
      }
      const { address, previousDescription: before, newDescription: now } = event;
      if (isOlder(now.topologyVersion, before.topologyVersion, false))
        yield `${address} went back to version ${String(now.topologyVersion?.counter)} at ${at(time)}`;
      // A failed check marks the server Unknown and the topologyVersion of its error does not matter.
      if (now.error !== failedCheck && isOlder(versionIn(now.error), before.topologyVersion, true))
        yield `${address} was marked by an error of an old version at ${at(time)}`;
    }
  },
};

/** The generation of a pool's new connections is the number of times that the pool was cleared. */
export const noOldError: Invariant = {
  name: 'an error of a connection of an older generation neither marks a server nor clears its pool',
  *breaches(history) {
    const clears = new Map<string, number>();
    for (const { at: time, fact } of factsOf(history, 'event', 'cleared')) {
      if (fact.is === 'cleared') {
        if (fact.serviceId !== undefined) continue;
        const generation = clears.get(fact.address) ?? 0;
        const of = fact.cause.origin?.generation;
        if (of !== undefined && of < generation)
          yield `the pool of ${fact.address} was cleared at ${at(time)} by an error of generation ${of}, not ${generation}`;
        clears.set(fact.address, generation + 1);
        continue;
      }
      const { event } = fact;
      if (event.name === 'connectionPoolCreated') clears.set(event.address, 0);
      if (event.name !== 'serverDescriptionChanged') continue;
      const of = event.newDescription.error?.origin?.generation;
      if (of !== undefined && of < (clears.get(event.address) ?? 0))
        yield `${event.address} was marked at ${at(time)} by an error of generation ${of}`;
    }
  },
};

export const networkErrorClears: Invariant = {
  name: 'the first network error of a connection of this generation clears the pool in the same turn',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'reported')) {
      const { error, before, after } = fact;
      const { origin } = error;
      if (history.plan.deployment === 'loadBalanced' || error.kind !== 'network' || origin?.phase !== 'command')
        continue;
      if (origin.generation !== before || after > before) continue;
      if (isKnownServer(history, origin.address, time))
        yield `${String(origin.address)} lost a connection at ${at(time)}, and its pool was not cleared`;
    }
  },
};

/** Returns whether the server was part of the deployment at that time, and the client was open. */
const isKnownServer = (history: History, address: string | undefined, time: Millis): boolean => {
  let isKnown = false;
  for (const { at: moment, event } of eventsOf(history, 'serverOpening', 'serverClosed'))
    if (moment <= time && event.address === address) isKnown = event.name === 'serverOpening';
  return isKnown;
};

/** The last failed check of a server. Rule: Server Monitoring, "minHeartbeatFrequencyMS". */
interface FailedCheck {
  readonly at: Millis;
  /** Whether the next check may begin at once: the server was known, and the check failed with a network error. */
  readonly mayFollow: boolean;
}

const minHeartbeatFrequencyMS: Millis = 500;
/** Allows for the rounding of times. */
const rounding: Millis = 0.001;

export const checksKeepTheirPace: Invariant = {
  name: 'a check begins minHeartbeatFrequencyMS after a failed check of the same server, or once at once if the server was known',
  *breaches(history) {
    const known = new Set<string>();
    const failed = new Map<string, FailedCheck>();
    const names = ['serverHeartbeatStarted', 'serverHeartbeatSucceeded', 'serverHeartbeatFailed'] as const;
    for (const { at: time, event } of eventsOf(history, 'serverOpening', 'serverDescriptionChanged', ...names)) {
      const { address } = event;
      const before = failed.get(address);
      switch (event.name) {
        case 'serverOpening':
          known.delete(address);
          failed.delete(address);
          break;
        case 'serverDescriptionChanged':
          if (event.newDescription.type === 'Unknown') known.delete(address);
          else known.add(address);
          break;
        case 'serverHeartbeatStarted':
          if (before === undefined) break;
          if (!before.mayFollow && time + rounding < before.at + minHeartbeatFrequencyMS)
            yield `${address} was checked at ${at(time)}, too soon after its failed check at ${at(before.at)}`;
          failed.set(address, { ...before, mayFollow: false });
          break;
        case 'serverHeartbeatSucceeded':
          failed.delete(address);
          break;
        case 'serverHeartbeatFailed': {
          const { failure } = event;
          // A cancelled check is no failed check.
          if (MongoError.is(failure) && failure.kind === 'aborted') break;
          const ofNetwork = MongoError.is(failure) && (failure.kind === 'network' || failure.kind === 'timeout');
          failed.set(address, { at: time, mayFollow: ofNetwork && known.has(address) });
        }
      }
    }
  },
};

/** Returns whether a check-out failed because no check of the server has succeeded yet. */
const isNotReadyYet = (error: unknown): boolean =>
  MongoError.is(error) && error.kind === 'pool' && (error.origin?.phase === 'select' || isNotReadyYet(error.cause));

export const primaryIsReady: Invariant = {
  name: 'the pool of a newly discovered server is ready before the server is selected',
  *breaches(history) {
    for (const { at: time, fact } of factsOf(history, 'denied')) {
      if (isNotReadyYet(fact.error)) yield `pool ${fact.pool} began a check-out at ${at(time)} before it was ready`;
    }
  },
};
