import { fail } from '../errors.js';
import type { Bound } from '../work/allowance.js';
import { mostHeld, weight } from '../work/footprint.js';
import type { Doc } from '../value/doc.js';
import type { TimestampValue, Value } from '../value/value.js';

/** What expressions take from outside the documents. */
export interface Ambience {
  /** `$$NOW`: milliseconds since 1970, the same for a whole command; undefined where no time was given. */
  readonly nowMs: number | undefined;
  /** `$$CLUSTER_TIME`; absent on a standalone. */
  readonly clusterTime?: TimestampValue | undefined;
  /** `$rand` and `$sample`: in [0, 1). */
  readonly random: () => number;
}

/** Returns the current time. @throws TypeError if the caller gave none */
export const requireTime = (nowMs: number | undefined): number => {
  if (nowMs === undefined)
    throw new TypeError('The current time is needed, and none was given. Pass the option "now".');
  return nowMs;
};

/** What an expression is evaluated in. A stage makes one and sets `root` for each document. */
export class Scope {
  root: Doc;
  /** Variables by the slot that the parser gave them. */
  readonly slots: (Value | undefined)[];
  readonly ambience: Ambience;

  /** What may be held, by mongod's measure; undefined: as much as there is room for. */
  bound: Bound | undefined;
  #held = 0;
  #weighs = 0;

  constructor(root: Doc, slots: (Value | undefined)[], ambience: Ambience) {
    this.root = root;
    this.slots = slots;
    this.ambience = ambience;
  }

  /** So many bytes stay until the stage is done, for that value. @throws CommandError 146, and what the bound says */
  hold(bytes: number, name: string, value?: Value): void {
    if (this.bound !== undefined) this.#weigh(Math.max(bytes, weight(value)), this.bound);
    this.#held += bytes;
    if (this.#held <= mostHeld) return;
    throw fail(
      'ExceededMemoryLimit',
      `${name} used too much memory and spilling to disk cannot reduce memory consumption any further. Memory limit: ${mostHeld} bytes`,
    );
  }

  #weigh(bytes: number, bound: Bound): void {
    this.#weighs += bytes;
    if (this.#weighs > bound.bytes) throw bound.exceeded();
  }
}
