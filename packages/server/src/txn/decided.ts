import type { TimestampValue } from '@tessera/mql/engine';
import { isLater } from '@tessera/store';
import type { Engine } from '../engine/engine.js';
import type { Ready } from './transactions.js';

interface Decision {
  readonly at: TimestampValue;
  readonly ready: Ready;
}

/**
 * Transactions that this set has committed together with other shards, until a majority has them: the state of a
 * two-phase commit's coordinator. A new primary that lacks one of them commits it before anything else.
 */
export class Decided {
  #all: readonly Decision[] = [];

  get size(): number {
    return this.#all.length;
  }

  /** Adds a transaction. @param at a time later than those before */
  add(at: TimestampValue, ready: Ready): void {
    this.#all = [...this.#all, { at, ready }];
  }

  /** Removes the transactions up to a time, because a majority has them. */
  settle(committed: TimestampValue): void {
    if (this.#all.length > 0) this.#all = this.#all.filter(({ at }) => isLater(at, committed));
  }

  /**
   * Commits the transactions that a new primary lacks, at their original times. That is always possible. A majority had
   * all data that the transactions had read before the decision, and no other operation could write what they wrote.
   * @param last the time of the primary's last entry
   */
  redo({ transactions }: Engine, last: TimestampValue): void {
    for (const { at, ready } of this.#all) if (isLater(at, last)) transactions.redo(ready, at);
  }
}
