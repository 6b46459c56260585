import type { Millis } from '@tessera/contracts';
import type { Invariant } from './invariants/invariant.js';
import type { Mutant } from './mutants/mutant.js';
import type { Circumstances, Lived } from './record.js';
import type { Swaps } from './swaps.js';

/** A plan that can be cut down. */
export interface AnyPlan extends Circumstances {
  readonly seed: number;
  readonly events: readonly { readonly at: Millis }[];
  readonly healAt: Millis;
}

/** The same without what makes every kind of history restless. */
export function* calmerSettings<P extends AnyPlan>(plan: P): Generator<P> {
  const { settings } = plan;
  if (settings.minPoolSize > 0) yield { ...plan, settings: { ...settings, minPoolSize: 0 } };
  if (settings.maxIdleTimeMS > 0) yield { ...plan, settings: { ...settings, maxIdleTimeMS: 0 } };
}

/** The same, ended sooner. */
export function* endedSooner<P extends AnyPlan>(plan: P): Generator<P> {
  const last = plan.events.at(-1)?.at ?? 0;
  if (last + 1 < plan.healAt) yield { ...plan, healAt: last + 1 };
}

/** One kind of history: how it is drawn and lived through, and what must hold in it. */
export interface Kind<P extends AnyPlan> {
  /** The same seed draws the same plan. */
  readonly draw: (seed: number) => P;
  readonly run: (plan: P, swaps: Swaps) => Promise<Lived<P>>;
  /** The more telling first. */
  readonly invariants: readonly Invariant[];
  /** At least one for each invariant, so that none is believed that cannot fail. */
  readonly mutants: readonly Mutant[];
  /** The same plan without some of its events. */
  readonly without: (plan: P, from: number, count: number) => P;
  /** The same events in calmer worlds. */
  readonly calmer: (plan: P) => Iterable<P>;
  readonly planText: (plan: P) => string;
}
