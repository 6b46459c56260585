import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Bound } from '../work/allowance.js';
import { footprint, mostHeld, weight } from '../work/footprint.js';
import { isDue, spend } from '../work/meter.js';
import type { Paced, Pieces } from '../work/pause.js';
import { pause } from '../work/pause.js';
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

/** mongod goes on with a disk. */
const tooMuch = (): Error =>
  fail(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Sort exceeded memory limit of ${mostHeld} bytes, but there is no disk to spill to.`,
  );

/** How many are sorted before others have their turn. */
const run = 2_048;

/** Two lists in order, as one. */
const merged = function* <T>(a: readonly Keyed<T>[], b: readonly Keyed<T>[], order: Order<T>): Pieces<Keyed<T>[]> {
  const both: Keyed<T>[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    both.push(order(a[i]!, b[j]!) <= 0 ? a[i++]! : b[j++]!);
    if (both.length % documents === 0 && isDue()) yield pause;
  }
  while (i < a.length) both.push(a[i++]!);
  while (j < b.length) both.push(b[j++]!);
  return both;
};

/** How many are merged before the clock may be looked at. */
const documents = 16;

const sorted = function* <T>(all: Keyed<T>[], order: Order<T>): Pieces<Keyed<T>[]> {
  if (all.length <= run) return all.sort(order);
  let parts: Keyed<T>[][] = [];
  for (let at = 0; at < all.length; at += run) {
    parts.push(all.slice(at, at + run).sort(order));
    if (isDue()) yield pause;
  }
  while (parts.length > 1) {
    const next: Keyed<T>[][] = [];
    for (let i = 0; i < parts.length; i += 2)
      next.push(i + 1 < parts.length ? yield* merged(parts[i]!, parts[i + 1]!, order) : parts[i]!);
    parts = next;
  }
  return parts[0]!;
};

export interface SortOptions {
  /** Of the documents only the first so many are kept, 1 or more, now and on the way. */
  readonly limit?: number | undefined;
  /** What those that are kept may weigh. */
  readonly bound?: Bound | undefined;
}

/**
 * Whatever carries documents, in the order of the sort; equal ones keep the order that they had.
 * @throws CommandError BadValue for keys that are parallel arrays, 292 and others for more than the bound
 */
export const sortBy = function* <T>(
  items: Paced<T>,
  docOf: (item: T) => Doc,
  sort: Ordering,
  { limit = Number.POSITIVE_INFINITY, bound }: SortOptions = {},
): Pieces<T[]> {
  const order: Order<T> = (a, b) => {
    spend(1);
    return sort.compareKeys(a.key, b.key) || a.at - b.at;
  };
  const isLimited = Number.isFinite(limit);
  const kept: Keyed<T>[] = [];
  let at = 0;
  let held = 0;
  let weighs = 0;
  const weigh = (added: Doc, dropped?: Doc): void => {
    if (bound === undefined) return;
    weighs += weight(added) - (dropped === undefined ? 0 : weight(dropped));
    if (weighs > bound.bytes) throw bound.exceeded();
  };
  for (const item of items) {
    if (item === pause) {
      yield pause;
      continue;
    }
    const doc = docOf(item);
    const one = { item, key: sort.key(doc), at: at++ };
    if (kept.length < limit) {
      kept.push(one);
      held += footprint(doc) + 16;
      if (held > mostHeld) throw tooMuch();
      weigh(doc);
      if (isLimited) siftUp(kept, order);
    } else if (order(one, kept[0]!) < 0) {
      weigh(doc, docOf(kept[0]!.item));
      kept[0] = one;
      siftDown(kept, order);
    }
  }
  return (yield* sorted(kept, order)).map(({ item }) => item);
};

/** Documents in the order of the sort: {@link sortBy}. */
export const sortDocs = (docs: Paced<Doc>, sort: Ordering, options?: SortOptions): Pieces<Doc[]> =>
  sortBy(docs, doc => doc, sort, options);
