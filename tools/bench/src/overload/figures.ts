import type { Parameters } from './parameters.js';
import type { Second } from './run.js';

/** The figures of a period of the run. */
export interface Period {
  /** Operations per second: started, and completed successfully. */
  readonly arrival: number;
  readonly goodput: number;
  /** Latency of successful operations, in milliseconds. */
  readonly median: number;
  readonly percentile99: number;
  /** Retries per second: commands beyond the first of each operation. */
  readonly retries: number;
}

export interface Figures {
  readonly before: Period;
  readonly during: Period;
  readonly after: Period;
  /** Seconds from the end of the overload until the system has recovered; undefined if it did not recover. */
  readonly recovery: number | undefined;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
};

const periodOf = (seconds: readonly Second[]): Period => {
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

/** A system has recovered when at least this share of operations succeeds during this many consecutive seconds. */
const enough = 0.95;
const consecutive = 5;

const isHealthy = (seconds: readonly Second[]): boolean =>
  sum(seconds.map(({ latencies }) => latencies.length)) >= enough * sum(seconds.map(({ began }) => began));

/** Computes the figures before, during and after the overload. */
export const figuresOf = (seconds: readonly Second[], { overloadFrom, overloadTo }: Parameters): Figures => {
  const behind = seconds.slice(overloadTo);
  const first = behind.findIndex(
    (_, index) => index + consecutive <= behind.length && isHealthy(behind.slice(index, index + consecutive)),
  );
  return {
    before: periodOf(seconds.slice(0, overloadFrom)),
    during: periodOf(seconds.slice(overloadFrom, overloadTo)),
    after: periodOf(seconds.slice(-20)),
    recovery: first === -1 ? undefined : first,
  };
};
