import type { Sort } from '../../sort/sort.js';
import type { Value } from '../../value/value.js';
import type { Scope } from '../scope.js';
import type { Bounds } from './bounds.js';
import type { Partition } from './partition.js';
import { spansOf } from './spans.js';

/** Of one partition: the result for each document, asked in order. */
export type Results = (index: number) => Value | undefined;

/** A window function, parsed. */
export interface WindowFunction {
  /** Begins with a partition. */
  over(partition: Partition): Results;
}

/** What is gathered over a window that moves: items come at its end and go at its beginning, the oldest first. */
export interface Gatherer<T> {
  /** @throws CommandError */
  add(item: T): void;
  remove(item: T): void;
  result(): Value | undefined;
}

export interface Slide<T> {
  readonly bounds: Bounds;
  readonly sort: Sort | undefined;
  /** What is taken of a document: once for each. */
  readonly read: (scope: Scope) => T;
  readonly start: (partition: Partition) => Gatherer<T>;
}

/** Every document is added once and removed once, however wide the windows are. */
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
      // What goes goes first: less is left to be rounded.
      removeBefore(Math.min(next, span?.first ?? next));
      if (span !== undefined) {
        if (next < span.first) first = next = span.first;
        while (next <= span.last) add();
      }
      return gatherer.result();
    };
  },
});
