import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Bound } from '../work/allowance.js';
import { footprint, maxHeld, weight } from '../work/footprint.js';
import { isDue, spend, stepsOfSorting } from '../work/meter.js';
import type { Paced, Pieces } from '../work/pause.js';
import { pause } from '../work/pause.js';
import type { SortKey } from './sort-key.js';
import type { Ordering } from './columns.js';
import { planSort } from './columns.js';

interface Keyed<T> {
  readonly item: T;
  readonly key: SortKey;
  /** The item's position in the input. It decides between equal keys, so that the sort is stable. */
  readonly at: number;
}

type Order<T> = (a: Keyed<T>, b: Keyed<T>) => number;

/** Restores the heap after its root changed. The root is the last kept item in sort order. */
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

/** mongod would spill to disk instead. */
const tooMuch = (): Error =>
  fail(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `Sort exceeded memory limit of ${maxHeld} bytes, but there is no disk to spill to.`,
  );

/** The number of items that are sorted before other commands may run. */
const run = 2_048;

/** The number of items that are merged before the clock may be read. */
const documents = 16;

/** Merges two adjacent sorted parts into another list. */
const merge = function* (
  from: Uint32Array,
  into: Uint32Array,
  [start, middle, end]: readonly [start: number, middle: number, end: number],
  order: (i: number, j: number) => number,
): Pieces<void> {
  let [i, j] = [start, middle];
  for (let at = start; at < end; at++) {
    into[at] = j >= end || (i < middle && order(from[i]!, from[j]!) <= 0) ? from[i++]! : from[j++]!;
    if (at % documents === 0 && isDue()) yield pause;
  }
};

/** Returns the indexes 0, 1, … in sort order. Equal items keep their order. */
const sortedPlaces = function* (length: number, order: (i: number, j: number) => number): Pieces<Uint32Array> {
  spend(stepsOfSorting(length));
  let places = Uint32Array.from({ length }, (_, i) => i);
  for (let at = 0; at < length; at += run) {
    places.subarray(at, at + run).sort(order);
    if (isDue()) yield pause;
  }
  let spare = new Uint32Array(length > run ? length : 0);
  for (let width = run; width < length; width *= 2) {
    for (let at = 0; at < length; at += 2 * width) {
      const bounds = [at, Math.min(at + width, length), Math.min(at + 2 * width, length)] as const;
      yield* merge(places, spare, bounds, order);
    }
    [places, spare] = [spare, places];
  }
  return places;
};

/**
 * Returns the indexes in sort order for keys that are numbers. Each number is combined with its index, so that a plain
 * sort is stable.
 */
const placesByRank = (ranks: Float64Array): Float64Array => {
  const { length } = ranks;
  for (let place = 0; place < length; place++) ranks[place] = ranks[place]! * length + place;
  ranks.sort();
  for (let at = 0; at < length; at++) ranks[at] = ranks[at]! % length;
  return ranks;
};

const sorted = function* <T>(items: readonly T[], keys: readonly SortKey[], sort: Ordering): Pieces<T[]> {
  const plan = planSort(keys, sort);
  if (isDue()) yield pause;
  const { length } = items;
  const places = 'ranks' in plan ? placesByRank(plan.ranks) : yield* sortedPlaces(length, plan.order);
  const result: T[] = [];
  for (let at = 0; at < length; at++) result.push(items[places[at]!]!);
  return result;
};

export interface SortOptions {
  /** Keep only the first `limit` documents, 1 or more. Other documents are dropped as they arrive. */
  readonly limit?: number | undefined;
  /** The memory limit of the documents that are kept. */
  readonly bound?: Bound | undefined;
}

/** Keeps the first `limit` items in sort order and returns them in input order. */
class Selection<T> {
  readonly #limit: number;
  readonly #order: Order<T>;
  readonly #heap: Keyed<T>[] = [];
  #at = 0;

  constructor(limit: number, { compareKeys }: Ordering) {
    this.#limit = limit;
    this.#order = (a, b) => {
      spend(1);
      return compareKeys(a.key, b.key) || a.at - b.at;
    };
  }

  /**
   * Adds an item. Returns the item that was dropped for it, the item itself if it was not kept, or undefined if nothing
   * was dropped.
   */
  add(item: T, key: SortKey): T | undefined {
    const heap = this.#heap;
    const one = { item, key, at: this.#at++ };
    if (heap.length < this.#limit) {
      heap.push(one);
      siftUp(heap, this.#order);
      return undefined;
    }
    const last = heap[0]!;
    if (this.#order(one, last) >= 0) return item;
    heap[0] = one;
    siftDown(heap, this.#order);
    return last.item;
  }

  get kept(): readonly Keyed<T>[] {
    return this.#heap.sort((a, b) => a.at - b.at);
  }
}

/**
 * Sorts items by their documents. Equal items keep their order.
 * @throws CommandError BadValue for parallel arrays in a key, 292 or the bound's error if the items exceed a memory
 * limit
 */
export const sortBy = function* <T>(
  source: Paced<T>,
  docOf: (item: T) => Doc,
  sort: Ordering,
  { limit = Number.POSITIVE_INFINITY, bound }: SortOptions = {},
): Pieces<T[]> {
  const selection = Number.isFinite(limit) ? new Selection<T>(limit, sort) : undefined;
  const items: T[] = [];
  const keys: SortKey[] = [];
  let held = 0;
  let weighs = 0;
  for (const item of source) {
    if (item === pause) {
      yield pause;
      continue;
    }
    const doc = docOf(item);
    const key = sort.key(doc);
    let dropped: T | undefined;
    if (selection === undefined) {
      items.push(item);
      keys.push(key);
    } else dropped = selection.add(item, key);
    if (dropped === item) continue;
    if (dropped === undefined) {
      held += footprint(doc) + 16;
      if (held > maxHeld) throw tooMuch();
    }
    if (bound === undefined) continue;
    weighs += weight(doc) - (dropped === undefined ? 0 : weight(docOf(dropped)));
    if (weighs > bound.bytes) throw bound.exceeded();
  }
  for (const { item, key } of selection?.kept ?? []) {
    items.push(item);
    keys.push(key);
  }
  return yield* sorted(items, keys, sort);
};

/** Sorts documents as {@link sortBy}. */
export const sortDocs = (docs: Paced<Doc>, sort: Ordering, options?: SortOptions): Pieces<Doc[]> =>
  sortBy(docs, doc => doc, sort, options);
