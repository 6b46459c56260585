import type { Case, Outcome } from './operation.js';
import type { Tree } from './tree.js';

/** An operation, its documents, and the outcomes on both engines. */
export interface Pair extends Case {
  readonly ours: Outcome;
  readonly theirs: Outcome;
}

/** A known difference from MongoDB of the other engine. The reason states the correct behavior. */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  readonly holds: (pair: Pair) => boolean;
}

/** A feature that an engine does not implement. No operation that needs it is generated. */
export interface Omission {
  readonly what: string;
  readonly holds: (met: Case) => boolean;
}

/** The known limits of an engine. */
export interface Profile {
  readonly name: string;
  /** Operators and stages that the engine does not implement. They are not generated. */
  readonly lacks: ReadonlySet<string>;
  /** Other features that the engine does not implement. */
  readonly omissions: readonly Omission[];
  /** Returns whether the engine cannot store a value. Null replaces such values. */
  readonly cannotHold: (value: Tree) => boolean;
  /** Whether error codes are compared. */
  readonly codes: boolean;
  readonly rules: readonly Rule[];
}
