import type { OpTime } from '@tessera/store';
import { compareOpTimes } from '@tessera/store';
import type { Point } from './point.js';
import type { Progress } from './write-concern.js';

/** The maximum number of pending points. Beyond it, every second one is dropped. */
const mostPending = 1_000;

/** The newest point that a majority has, as far as one member knows, and the member's later points. */
export class CommitPoint {
  #committed: Point;
  /** Points later than the committed one, the oldest first. */
  #pending: Point[] = [];

  constructor(first: Point) {
    this.#committed = first;
  }

  get committed(): Point {
    return this.#committed;
  }

  /** Adds a new point that other members may not have yet. */
  add(point: Point): void {
    this.#pending.push(point);
    if (this.#pending.length > mostPending) {
      const last = this.#pending.length - 1;
      this.#pending = this.#pending.filter((_, i) => i % 2 === 1 || i === last);
    }
  }

  /** Advances to an optime that a majority has reached. Returns whether the committed point changed. */
  advance(to: OpTime): boolean {
    let count = 0;
    while (count < this.#pending.length && compareOpTimes(this.#pending[count]!.at, to) <= 0) count += 1;
    if (count === 0) return false;
    this.#committed = this.#pending[count - 1]!;
    this.#pending = this.#pending.slice(count);
    return true;
  }

  /** Sets the committed point to that of another member. Returns whether it changed. */
  learn(point: Point): boolean {
    if (compareOpTimes(point.at, this.#committed.at) <= 0) return false;
    this.#committed = point;
    this.#pending = this.#pending.filter(({ at }) => compareOpTimes(at, point.at) > 0);
    return true;
  }

  /** Drops the points after a rollback's target. */
  rollBack(to: OpTime): void {
    this.#pending = this.#pending.filter(({ at }) => compareOpTimes(at, to) <= 0);
  }

  /** Starts again with another member's point. */
  reset(point: Point): void {
    this.#committed = point;
    this.#pending = [];
  }
}

/**
 * Returns the newest optime that `needed` voters with data have on disk, or undefined. Rule: a primary commits only
 * entries of its own term, and with them all earlier ones.
 */
export const majorityPlace = (progress: readonly Progress[], needed: number, term: bigint): OpTime | undefined => {
  const places = progress
    .filter(({ config }) => config.votes === 1 && !config.arbiterOnly)
    .map(({ durable }) => durable)
    .sort((a, b) => compareOpTimes(b, a));
  const place = places[needed - 1];
  return place?.term === term ? place : undefined;
};
