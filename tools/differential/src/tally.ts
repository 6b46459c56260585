import { isEffective } from './compare.js';
import type { Case } from './operation.js';
import { nameOf } from './operation.js';
import type { Outcome } from './outcome.js';
import type { Pair, Rule } from './rule.js';
import { operatorsIn } from './tree.js';

/** A difference that no rule explains. */
export interface Undecided {
  readonly pair: Pair;
  /** What gave it first: `--seed 7 --batch 12`. */
  readonly origin: string;
}

interface Count {
  done: number;
  effective: number;
}

/** What a run has come to so far. */
export interface Tally {
  done: number;
  equal: number;
  refused: number;
  readonly families: Map<string, Count>;
  readonly operators: Map<string, Count>;
  readonly explained: Map<Rule, number>;
  readonly undecided: Undecided[];
}

export const createTally = (rules: readonly Rule[]): Tally => ({
  done: 0,
  equal: 0,
  refused: 0,
  families: new Map(),
  operators: new Map(),
  explained: new Map(rules.map(rule => [rule, 0])),
  undecided: [],
});

const count = (counts: Map<string, Count>, name: string, effective: boolean): void => {
  const found = counts.get(name) ?? { done: 0, effective: 0 };
  found.done++;
  if (effective) found.effective++;
  counts.set(name, found);
};

/** Notes that an operation was done, and whether it showed anything. */
export const note = (tally: Tally, { operation }: Case, ours: Outcome): void => {
  const effective = isEffective(ours);
  tally.done++;
  if (ours.kind === 'refused') tally.refused++;
  count(tally.families, operation.family, effective);
  for (const operator of operatorsIn(operation.command))
    count(tally.operators, `${nameOf(operation)} ${operator}`, effective);
};
