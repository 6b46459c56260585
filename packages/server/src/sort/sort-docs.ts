import type { Doc } from '../value/doc.js';
import type { SortKey } from './sort-key.js';
import type { Sort } from './sort.js';

/** What sorting takes of a {@link Sort}. */
export type Ordering = Pick<Sort, 'key' | 'compareKeys'>;

interface Keyed<T> {
  readonly item: T;
  readonly key: SortKey;
  /** Where it came: decides between equal keys, for the sake of stability. */
  readonly at: number;
}

type Order<T> = (a: Keyed<T>, b: Keyed<T>) => number;

/** A heap whose root is the last of those kept. */
const siftDown = <T>(heap: Keyed<T>[], order: Order<T>): void => {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) return;
    const child = left + 1 < heap.length && order(heap[left + 1]!, heap[left]!) > 0 ? left + 1 : left;
    if (order(heap[child]!, heap[at]!) <= 0) return;
    [heap[at], heap[child]] = [heap[child]!, heap[at]!];
    at = child;
  }
};

const siftUp = <T>(heap: Keyed<T>[], order: Order<T>): void => {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (order(heap[at]!, heap[parent]!) <= 0) return;
    [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
    at = parent;
  }
};

const keepFirst = <T>(all: Iterable<Keyed<T>>, limit: number, order: Order<T>): readonly Keyed<T>[] => {
  const heap: Keyed<T>[] = [];
  for (const one of all) {
    if (heap.length < limit) {
      heap.push(one);
      siftUp(heap, order);
    } else if (order(one, heap[0]!) < 0) {
      heap[0] = one;
      siftDown(heap, order);
    }
  }
  return heap;
};

const keyed = function* <T>(items: Iterable<T>, docOf: (item: T) => Doc, sort: Ordering): Generator<Keyed<T>> {
  let at = 0;
  for (const item of items) yield { item, key: sort.key(docOf(item)), at: at++ };
};

/**
 * Whatever carries documents, in the order of the sort; equal ones keep the order that they had. With a limit (1 or more) only
 * the first so many are kept, now and on the way. @throws CommandError BadValue for keys that are parallel arrays
 */
export const sortBy = <T>(
  items: Iterable<T>,
  docOf: (item: T) => Doc,
  sort: Ordering,
  limit: number = Number.POSITIVE_INFINITY,
): T[] => {
  const order: Order<T> = (a, b) => sort.compareKeys(a.key, b.key) || a.at - b.at;
  const all = keyed(items, docOf, sort);
  const kept = Number.isFinite(limit) ? [...keepFirst(all, limit, order)] : [...all];
  return kept.sort(order).map(({ item }) => item);
};

/** Documents in the order of the sort: {@link sortBy}. */
export const sortDocs = (docs: Iterable<Doc>, sort: Ordering, limit?: number): Doc[] =>
  sortBy(docs, doc => doc, sort, limit);
