import { isEffective } from './compare.js';
import type { Case, Outcome } from './operation.js';
import { nameOf } from './operation.js';
import type { Pair, Rule } from './rule.js';
import { operatorsIn } from './tree.js';

/** A difference that no rule explains. */
export interface Undecided {
  readonly pair: Pair;
  /** The options that reproduce the difference, such as `--seed 7 --batch 12`. */
  readonly origin: string;
}

/** A restart of the engine, because it did not reply any more or had ended. */
export interface Halt {
  /** The operations without a reply. One of them stopped the engine. */
  readonly unanswered: readonly string[];
  /** The end of the engine's output, or undefined if it was killed. */
  readonly lastWords: string | undefined;
}

interface Count {
  done: number;
  effective: number;
}

/** The results of a run so far. */
export interface Tally {
  done: number;
  equal: number;
  refused: number;
  readonly families: Map<string, Count>;
  readonly operators: Map<string, Count>;
  readonly explained: Map<Rule, number>;
  readonly undecided: Undecided[];
  readonly halts: Halt[];
  /** The reason for each batch that was abandoned. */
  readonly damaged: string[];
}

export const createTally = (rules: readonly Rule[]): Tally => ({
  done: 0,
  equal: 0,
  refused: 0,
  families: new Map(),
  operators: new Map(),
  explained: new Map(rules.map(rule => [rule, 0])),
  undecided: [],
  halts: [],
  damaged: [],
});

const count = (counts: Map<string, Count>, name: string, effective: boolean): void => {
  const found = counts.get(name) ?? { done: 0, effective: 0 };
  found.done++;
  if (effective) found.effective++;
  counts.set(name, found);
};

/** Counts an operation and whether it had an effect. */
export const note = (tally: Tally, { operation }: Case, ours: Outcome): void => {
  const effective = isEffective(ours);
  tally.done++;
  if (ours.kind === 'refused') tally.refused++;
  count(tally.families, operation.family, effective);
  for (const operator of operatorsIn(operation.command))
    count(tally.operators, `${nameOf(operation)} ${operator}`, effective);
};
