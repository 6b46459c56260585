import type { Doc } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import type { Plan } from './plan.js';
import { SearchScan } from './search-scan.js';
import type { Finder, Walk } from './tree.js';

/** The records of a plan, one by one, each once. Call `next` before reading `record` and `doc`. */
export interface Scan {
  next(): boolean;
  /** The key of the record. */
  readonly record: string;
  readonly doc: Doc;
  /** The index entry through which the record was found. */
  readonly entry: string | undefined;
  /** The number of index keys or records examined so far. */
  readonly examined: number;
  /**
   * Does a part of the work before the first `next`, to allow for pauses. Returns false if more remains. `next` does the rest.
   */
  prepare?(): boolean;
}

class NaturalScan implements Scan {
  readonly #walk: Walk<Doc>;
  readonly entry = undefined;
  examined = 0;

  constructor(walk: Walk<Doc>) {
    this.#walk = walk;
  }

  next(): boolean {
    if (!this.#walk.next()) return false;
    this.examined += 1;
    return true;
  }

  get record(): string {
    return this.#walk.key;
  }

  get doc(): Doc {
    return this.#walk.value.view();
  }
}

class IndexScan implements Scan {
  readonly #records: Finder<Doc>;
  readonly #plan: Plan;
  readonly #seen: Set<string> | undefined;
  #range = -1;
  #walk: Walk<string> | undefined;
  record = '';
  entry = '';
  examined = 0;

  constructor(collection: Collection, plan: Plan) {
    this.#records = collection.records.finder();
    this.#plan = plan;
    // Several keys of an array, of a place or of a wildcard may lead to the same document.
    const { multikey, definition } = plan.index!;
    this.#seen = multikey || definition.kind !== undefined ? new Set() : undefined;
  }

  next(): boolean {
    for (;;) {
      if (this.#walk === undefined && !this.#nextRange()) return false;
      if (!this.#walk!.next()) {
        this.#walk = undefined;
        continue;
      }
      this.examined += 1;
      const record = this.#walk!.value;
      if (this.#seen !== undefined) {
        if (this.#seen.has(record)) continue;
        this.#seen.add(record);
      }
      this.record = record;
      this.entry = this.#walk!.key;
      return true;
    }
  }

  #nextRange(): boolean {
    const { ranges, downward, index } = this.#plan;
    this.#range += 1;
    const range = ranges[downward ? ranges.length - 1 - this.#range : this.#range];
    if (range === undefined) return false;
    this.#walk = index!.entries.walk(range.from, range.to, downward);
    return true;
  }

  get doc(): Doc {
    return this.#records.get(this.record)!.view();
  }
}

/** Returns the records of a plan in one version of the collection. */
export const scanOf = (collection: Collection, plan: Plan): Scan => {
  if (plan.index === undefined) return new NaturalScan(collection.records.walk(undefined, undefined, plan.downward));
  return plan.searches === true ? new SearchScan(collection, plan) : new IndexScan(collection, plan);
};
