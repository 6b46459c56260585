import type { InnerParts } from '@tessera/client';
import type { Address } from '@tessera/contracts';
import type { Invariant } from './invariant.js';
import type { Plan } from './plan.js';
import type { Lived } from './record.js';

/** Changes a command before a server reads it. Values keep their BSON types. */
export type Tamper = (command: Record<string, unknown>, member: Address) => void;

/** Replacements for parts of the driver and, in histories of a cluster, a change of the commands that servers read. */
export type Swaps = Partial<InnerParts> & { readonly tamper?: Tamper };

/** A part of the driver that is broken on purpose. It replaces the original as any part of a third party can. */
export interface Mutant {
  readonly name: string;
  /** The broken behavior, as a sentence. */
  readonly sentence: string;
  /** The invariant that must find the mutant. Breaches of other invariants do not count. */
  readonly breaks: Invariant;
  /** Creates new parts for each history, because a broken part may have state. */
  readonly parts: () => Swaps;
}

/**
 * One kind of history: how it is drawn and run, and which invariants hold. A kind receives only plans that it has drawn
 * itself, or shortened copies of them.
 */
export interface Kind {
  /** The same seed draws the same plan. */
  draw(seed: number): Plan;
  run(plan: Plan, swaps: Swaps): Promise<Lived>;
  /** The invariants. Those with the most specific breaches come first. */
  readonly invariants: readonly Invariant[];
  /** The mutants. Each invariant has at least one, which proves that the invariant can fail. */
  readonly mutants: readonly Mutant[];
  /** Describes the deployment of a plan. */
  deploymentText(plan: Plan): string;
  /** Yields the same plan on a calmer deployment. */
  calmer(plan: Plan): Iterable<Plan>;
}
