import type { Parameters } from './parameters.js';
import type { Second } from './run.js';

/** What is told of a stretch of time. */
export interface Stretch {
  /** Operations per second: begun, done. */
  readonly arrival: number;
  readonly goodput: number;
  /** Of the operations that succeeded, in milliseconds. */
  readonly median: number;
  readonly percentile99: number;
  /** Commands beyond one for each operation, per second. */
  readonly retries: number;
}

export interface Figures {
  readonly before: Stretch;
  readonly during: Stretch;
  readonly after: Stretch;
  /** How long after the overload the system needed until all was done again that was asked for; undefined if it never was. */
  readonly recovery: number | undefined;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
};

const stretch = (seconds: readonly Second[]): Stretch => {
  const latencies = seconds.flatMap(second => second.latencies);
  const perSecond = (total: number): number => total / seconds.length;
  const began = sum(seconds.map(second => second.began));
  return {
    arrival: perSecond(began),
    goodput: perSecond(latencies.length),
    median: percentile(latencies, 0.5),
    percentile99: percentile(latencies, 0.99),
    retries: Math.max(0, perSecond(sum(seconds.map(second => second.commands)) - began)),
  };
};

/** Nearly everything that was asked for was done, for so many seconds on end. */
const enough = 0.95;
const onEnd = 5;

const isWell = (seconds: readonly Second[]): boolean =>
  sum(seconds.map(({ latencies }) => latencies.length)) >= enough * sum(seconds.map(({ began }) => began));

export const figuresOf = (seconds: readonly Second[], { overloadFrom, overloadTo }: Parameters): Figures => {
  const behind = seconds.slice(overloadTo);
  const first = behind.findIndex(
    (_, index) => index + onEnd <= behind.length && isWell(behind.slice(index, index + onEnd)),
  );
  return {
    before: stretch(seconds.slice(0, overloadFrom)),
    during: stretch(seconds.slice(overloadFrom, overloadTo)),
    after: stretch(seconds.slice(-20)),
    recovery: first === -1 ? undefined : first,
  };
};
