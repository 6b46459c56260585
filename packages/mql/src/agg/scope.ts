import { fail } from '../errors.js';
import type { Bound } from '../work/allowance.js';
import { maxHeld, weight } from '../work/footprint.js';
import type { Doc } from '../value/doc.js';
import type { TimestampValue, Value } from '../value/value.js';

/** Inputs of expressions other than documents. */
export interface Ambience {
  /** `$$NOW` in milliseconds since 1970, the same for a whole command. Undefined if no time was given. */
  readonly nowMs: number | undefined;
  /** `$$CLUSTER_TIME`; undefined on a standalone. */
  readonly clusterTime?: TimestampValue | undefined;
  /** Returns a number in [0, 1), for `$rand` and `$sample`. */
  readonly random: () => number;
}

/**
 * Returns the current time.
 * @throws TypeError if the caller did not give one
 */
export const requireTime = (nowMs: number | undefined): number => {
  if (nowMs === undefined) throw new TypeError('The expression needs the current time. Pass the option "now".');
  return nowMs;
};

/** The context in which expressions are evaluated. A stage creates one and sets `root` for each document. */
export class Scope {
  root: Doc;
  /** The values of variables, by the slots that the parser assigned. */
  readonly slots: (Value | undefined)[];
  readonly ambience: Ambience;

  /** The memory limit as mongod counts it. If undefined, only the package's own limit applies. */
  bound: Bound | undefined;
  #held = 0;
  #weighs = 0;

  constructor(root: Doc, slots: (Value | undefined)[], ambience: Ambience) {
    this.root = root;
    this.slots = slots;
    this.ambience = ambience;
  }

  /**
   * Counts memory that is held for a value until the stage ends.
   * @throws CommandError 146, or the bound's error
   */
  hold(bytes: number, name: string, value?: Value): void {
    if (this.bound !== undefined) this.#weigh(Math.max(bytes, weight(value)), this.bound);
    this.#held += bytes;
    if (this.#held <= maxHeld) return;
    throw fail(
      'ExceededMemoryLimit',
      `${name} used too much memory and spilling to disk cannot reduce memory consumption any further. Memory limit: ${maxHeld} bytes`,
    );
  }

  #weigh(bytes: number, bound: Bound): void {
    this.#weighs += bytes;
    if (this.#weighs > bound.bytes) throw bound.exceeded();
  }
}
