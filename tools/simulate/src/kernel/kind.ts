import type { Parts } from '@tessera/client';
import type { Address } from '@tessera/contracts';
import type { Invariant } from './invariant.js';
import type { Plan } from './plan.js';
import type { Lived } from './record.js';

/** What a broken server hears in place of a command. Values keep their BSON types. */
export type Mishear = (command: Record<string, unknown>, member: Address) => void;

/** Parts in place of the driver's own, and, in histories of a cluster, what its servers hear in place of a command. */
export type Swaps = Partial<Parts> & { readonly mishear?: Mishear };

/** A part that is broken on purpose. It goes in through the doors that are there for everyone. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it. */
  readonly sentence: string;
  /** Which of the invariants must find it: another may be broken, too, but does not count. */
  readonly breaks: Invariant;
  /** New for each history: a broken part may remember. */
  readonly parts: () => Swaps;
}

/**
 * One kind of history: how it is drawn and lived through, and what must hold in it. A kind is given only plans that it has
 * drawn, or that were cut down from them.
 */
export interface Kind {
  /** The same seed draws the same plan. */
  draw(seed: number): Plan;
  run(plan: Plan, swaps: Swaps): Promise<Lived>;
  /** The more telling first. */
  readonly invariants: readonly Invariant[];
  /** At least one for each invariant, so that none is believed that cannot fail. */
  readonly mutants: readonly Mutant[];
  /** The deployment of a plan, for people. */
  deploymentText(plan: Plan): string;
  /** The same plan on a calmer deployment. */
  calmer(plan: Plan): Iterable<Plan>;
}
