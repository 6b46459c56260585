import type { Case, Outcome } from './operation.js';
import type { Tree } from './tree.js';

/** One operation, the documents, and what both engines made of it. */
export interface Pair extends Case {
  readonly ours: Outcome;
  readonly theirs: Outcome;
}

/** A known difference of an engine from MongoDB: theirs is wrong, and how that is known. */
export interface Rule {
  readonly name: string;
  readonly reason: string;
  readonly holds: (pair: Pair) => boolean;
}

/** What an engine does not implement at all: it is not asked for it. */
export interface Omission {
  readonly what: string;
  readonly holds: (met: Case) => boolean;
}

/** What is known of an engine. */
export interface Profile {
  readonly name: string;
  /** The operators and stages that it does not implement: none is generated. */
  readonly lacks: ReadonlySet<string>;
  /** What else it does not implement. */
  readonly omissions: readonly Omission[];
  /** Whether it cannot hold a value: null stands in its place. */
  readonly cannotHold: (value: Tree) => boolean;
  /** Whether its error codes are worth comparing. */
  readonly codes: boolean;
  readonly rules: readonly Rule[];
}
