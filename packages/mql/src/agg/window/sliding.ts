import type { Sort } from '../../sort/sort.js';
import type { Value } from '../../value/value.js';
import type { Scope } from '../scope.js';
import type { Bounds } from './bounds.js';
import type { Partition } from './partition.js';
import { spansOf } from './spans.js';

/** Returns the result for a document of the partition. Documents must be requested in order. */
export type Results = (index: number) => Value | undefined;

/** A compiled window function. */
export interface WindowFunction {
  /** Starts a partition. */
  over(partition: Partition): Results;
}

/**
 * The state of a function over a sliding window. Items are added at the window's end and removed at its beginning,
 * oldest first.
 */
export interface Gatherer<T> {
  /** @throws CommandError if a value is invalid */
  add(item: T): void;
  remove(item: T): void;
  result(): Value | undefined;
}

export interface Slide<T> {
  readonly bounds: Bounds;
  readonly sort: Sort | undefined;
  /** Reads the item of a document. It is called once per document. */
  readonly read: (scope: Scope) => T;
  readonly start: (partition: Partition) => Gatherer<T>;
}

/** Creates a window function that adds and removes each document once, even for wide windows. */
export const slide = <T>({ bounds, sort, read, start }: Slide<T>): WindowFunction => ({
  over: partition => {
    const spanOf = spansOf(bounds, partition, sort);
    const gatherer = start(partition);
    const keeps = bounds.lower !== 'unbounded';
    const items: (T | undefined)[] = [];
    let first = 0;
    let next = 0;

    const add = (): void => {
      const item = partition.at(next, read);
      if (keeps) items[next] = item;
      gatherer.add(item);
      next += 1;
    };
    const removeBefore = (end: number): void => {
      for (; first < end; first++) {
        gatherer.remove(items[first] as T);
        items[first] = undefined;
      }
    };

    return index => {
      const span = spanOf(index);
      // Items are removed before others are added, to keep rounding errors small.
      removeBefore(Math.min(next, span?.first ?? next));
      if (span !== undefined) {
        if (next < span.first) first = next = span.first;
        while (next <= span.last) add();
      }
      return gatherer.result();
    };
  },
});
