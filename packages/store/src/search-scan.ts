import type { Doc } from '@tessera/mql/engine';
import { noteMetadata, spend } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import { scoreInKey } from './key.js';
import type { Plan } from './plan.js';
import type { Finder, Walk } from './tree.js';

/** The number of index entries that are read between two pauses. */
const slice = 1000;

/** The steps for one index entry. */
const stepsOfEntry = 4;

/** The documents that contain a term of a search, in natural order, with their scores as metadata. */
export class SearchScan {
  readonly #records: Finder<Doc>;
  readonly #plan: Plan;
  readonly #scores = new Map<string, number>();
  #range = 0;
  #walk: Walk<string> | undefined;
  #found: readonly string[] | undefined;
  #at = -1;
  readonly entry = undefined;
  record = '';
  examined = 0;

  constructor(collection: Collection, plan: Plan) {
    this.#records = collection.records.finder();
    this.#plan = plan;
  }

  /** Reads some of the index entries. Returns false if more remain. */
  prepare(): boolean {
    const { ranges, index } = this.#plan;
    for (let left = slice; this.#range < ranges.length; left -= 1) {
      const { from, to } = ranges[this.#range]!;
      this.#walk ??= index!.entries.walk(from, to);
      if (left === 0) {
        spend(slice * stepsOfEntry);
        return false;
      }
      if (this.#walk.next()) {
        const { key, value: record } = this.#walk;
        this.examined += 1;
        this.#scores.set(record, (this.#scores.get(record) ?? 0) + scoreInKey(key, from.length));
      } else {
        this.#walk = undefined;
        this.#range += 1;
      }
    }
    this.#found ??= [...this.#scores.keys()].sort();
    return true;
  }

  next(): boolean {
    while (!this.prepare());
    this.#at += 1;
    const record = this.#found![this.#at];
    if (record === undefined) return false;
    this.record = record;
    return true;
  }

  get doc(): Doc {
    const doc = this.#records.get(this.record)!.view();
    noteMetadata(doc, { textScore: this.#scores.get(this.record)! });
    return doc;
  }
}
