/** Draws the parts of plans that all kinds of histories share. */
import type { Millis } from '@tessera/contracts';
import type { Chance } from '@tessera/sim';
import type { PlannedCall, PlannedEvent, PlannedSettings } from './plan.js';

export const pick = <T>(chance: Chance, from: readonly T[]): T => from[chance.below(from.length)]!;
export const between = (chance: Chance, least: number, most: number): number => least + chance.below(most - least + 1);

type Range = readonly [least: number, most: number];

/** Draws a random number of values. */
export const several = <T>(chance: Chance, [least, most]: Range, draw: () => T): T[] =>
  Array.from({ length: between(chance, least, most) }, draw);

export const drawSettings = (chance: Chance): PlannedSettings => {
  const maxPoolSize = pick(chance, [1, 2, 3, 5, 10]);
  return {
    heartbeatFrequencyMS: pick(chance, [500, 1000, 2000, 4000, 10_000]),
    connectTimeoutMS: pick(chance, [800, 1500, 3000]),
    socketTimeoutMS: pick(chance, [1000, 2000, 4000]),
    serverSelectionTimeoutMS: pick(chance, [8000, 15_000]),
    localThresholdMS: pick(chance, [0, 15, 15, 30]),
    serverMonitoringMode: pick(chance, ['auto', 'auto', 'poll', 'stream']),
    maxPoolSize,
    minPoolSize: pick(chance, [0, 0, 0, 1, Math.min(2, maxPoolSize)]),
    maxConnecting: pick(chance, [1, 2, 2, 4]),
    maxIdleTimeMS: pick(chance, [0, 0, 300, 2000]),
    waitQueueTimeoutMS: pick(chance, [0, 0, 40, 400]),
    retryReads: chance.happens(0.8),
    retryWrites: chance.happens(0.8),
  };
};

/** Draws the timeoutMS of a call. */
export const drawTimeout = (
  chance: Chance,
  probability: number,
  times: readonly Millis[],
): Pick<PlannedCall, 'timeoutMS'> => (chance.happens(probability) ? { timeoutMS: pick(chance, times) } : {});

/** Draws when the caller aborts a call. */
export const drawAbort = (chance: Chance, probability: number): Pick<PlannedCall, 'abortAfter'> =>
  chance.happens(probability) ? { abortAfter: pick(chance, [0, 3, 30, 300]) } : {};

export interface Load {
  readonly bursts: Range;
  readonly inBurst: Range;
  /** The time within which the calls of a burst begin. */
  readonly spread: Millis;
  readonly singles: Range;
}

/** Draws bursts of calls, which compete for connections, and single calls between them. */
export const drawCalls = <C extends PlannedCall>(
  chance: Chance,
  until: Millis,
  { bursts, inBurst, spread, singles }: Load,
  drawCall: () => C,
  drawOfBurst: () => () => C = () => drawCall,
): PlannedEvent<C, never>[] => {
  const event = (at: Millis, call: C): PlannedEvent<C, never> => ({ at, what: 'call', call });
  const inBursts = several(chance, bursts, () => {
    const at = chance.below(until);
    const draw = drawOfBurst();
    return several(chance, inBurst, () => event(at + chance.below(spread), draw()));
  });
  return [...inBursts.flat(), ...several(chance, singles, () => event(chance.below(until), drawCall()))];
};

/** Draws the time of a fault: in most cases one of these distances from a call. */
export const drawMoment = (
  chance: Chance,
  load: readonly { readonly at: Millis }[],
  until: Millis,
  distances: readonly Millis[],
): Millis => Math.max(0, chance.happens(0.7) ? pick(chance, load).at + pick(chance, distances) : chance.below(until));

/** Draws whether the client is closed early, most likely while a call is in progress. */
export const drawClose = (
  chance: Chance,
  probability: number,
  load: readonly { readonly at: Millis }[],
): PlannedEvent<never, never>[] =>
  chance.happens(probability) ? [{ at: pick(chance, load).at + 5, what: 'closeClient' }] : [];

/** Returns the events before `healAt`, sorted by time. */
export const inTime = <E extends { readonly at: Millis }>(events: readonly E[], healAt: Millis): E[] =>
  events.filter(({ at }) => at < healAt).sort((a, b) => a.at - b.at);

/** Returns a counter that starts at 1. */
export const createNumbers = (): (() => number) => {
  let number = 0;
  return () => (number += 1);
};
