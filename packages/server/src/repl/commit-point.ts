import type { OpTime } from '../log/op-time.js';
import { compareOpTimes } from '../log/op-time.js';
import type { Point } from './point.js';
import type { Progress } from './write-concern.js';

/** So many points are remembered that a majority may have next; beyond that every second one is let go. */
const mostPending = 1_000;

/** How far a majority has come, as one member knows; and what it has beyond that. */
export class CommitPoint {
  #committed: Point;
  /** Later than what is committed, the oldest first. */
  #pending: Point[] = [];

  constructor(first: Point) {
    this.#committed = first;
  }

  get committed(): Point {
    return this.#committed;
  }

  /** Something new, which nobody else may have. */
  add(point: Point): void {
    this.#pending.push(point);
    if (this.#pending.length > mostPending) {
      const last = this.#pending.length - 1;
      this.#pending = this.#pending.filter((_, i) => i % 2 === 1 || i === last);
    }
  }

  /** A majority has come so far. Returns whether that is news. */
  advance(to: OpTime): boolean {
    let count = 0;
    while (count < this.#pending.length && compareOpTimes(this.#pending[count]!.at, to) <= 0) count += 1;
    if (count === 0) return false;
    this.#committed = this.#pending[count - 1]!;
    this.#pending = this.#pending.slice(count);
    return true;
  }

  /** A majority has come to that point. Returns whether that is news. */
  learn(point: Point): boolean {
    if (compareOpTimes(point.at, this.#committed.at) <= 0) return false;
    this.#committed = point;
    this.#pending = this.#pending.filter(({ at }) => compareOpTimes(at, point.at) > 0);
    return true;
  }

  /** What came after that point is taken back. */
  rollBack(to: OpTime): void {
    this.#pending = this.#pending.filter(({ at }) => compareOpTimes(at, to) <= 0);
  }

  /** All begins anew with what another member has. */
  reset(point: Point): void {
    this.#committed = point;
    this.#pending = [];
  }
}

/**
 * The newest place that so many voters with data have on disk. Undefined: none has.
 * Rule: a primary commits only what was written in its own term, and with it all that came before.
 */
export const majorityPlace = (progress: readonly Progress[], needed: number, term: bigint): OpTime | undefined => {
  const places = progress
    .filter(({ config }) => config.votes === 1 && !config.arbiterOnly)
    .map(({ durable }) => durable)
    .sort((a, b) => compareOpTimes(b, a));
  const place = places[needed - 1];
  return place?.term === term ? place : undefined;
};
