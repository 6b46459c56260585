import type { TimestampValue } from '@tessera/mql/engine';
import type { Engine } from '../engine/engine.js';
import { isLater } from '../log/op-time.js';
import type { Ready } from './transactions.js';

interface Decision {
  readonly at: TimestampValue;
  readonly ready: Ready;
}

/**
 * What one set has committed together with others, as long as no majority of it has that: what the coordinator of a two-phase commit
 * keeps for it. A primary that does not know of it commits it before anything else.
 */
export class Decided {
  #all: readonly Decision[] = [];

  get size(): number {
    return this.#all.length;
  }

  /** @param at later than those before */
  add(at: TimestampValue, ready: Ready): void {
    this.#all = [...this.#all, { at, ready }];
  }

  /** A majority has everything up to that time. */
  settle(committed: TimestampValue): void {
    if (this.#all.length > 0) this.#all = this.#all.filter(({ at }) => isLater(at, committed));
  }

  /**
   * Of a new primary. What it lacks is the end of a history: a majority had all that a transaction has read before it was decided, and
   * what it wrote nobody else could write. So it is done as it was, at its time.
   * @param last what the primary has is up to there
   */
  redo({ transactions }: Engine, last: TimestampValue): void {
    for (const { at, ready } of this.#all) if (isLater(at, last)) transactions.redo(ready, at);
  }
}
