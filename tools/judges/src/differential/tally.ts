import { isEffective } from './compare.js';
import type { Case, Outcome } from './operation.js';
import { nameOf } from './operation.js';
import type { Pair, Rule } from './rule.js';
import { operatorsIn } from './tree.js';

/** A difference that no rule explains. */
export interface Undecided {
  readonly pair: Pair;
  /** What gave it first: `--seed 7 --batch 12`. */
  readonly origin: string;
}

/** An engine that had to be started again: it answered nobody any more, or had ended. */
export interface Halt {
  /** What it did not answer: one of these has stopped it. */
  readonly silences: readonly string[];
  /** What it said when it ended; nothing if it had to be killed. */
  readonly lastWords: string | undefined;
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
  readonly halts: Halt[];
  /** Of each batch that was given up, why. */
  readonly spoilt: string[];
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
  spoilt: [],
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
