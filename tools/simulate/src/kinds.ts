import { createChance } from '@tessera/sim';
import { cluster } from './cluster/cluster.js';
import type { AnyPlan, Kind } from './kind.js';
import { members } from './members.js';
import type { Mutant } from './mutants/mutant.js';
import { whole } from './whole/whole.js';

/** Does the same with a history of any kind. */
export type WithKind<T> = <P extends AnyPlan>(kind: Kind<P>) => T;

/** The seed draws the kind, too. */
export const withKindOf = <T>(seed: number, use: WithKind<T>): T => {
  const unit = createChance(seed, 'kind').unit();
  if (unit < 0.47) return use(whole);
  // Those of whole replica sets take ten times as long.
  return unit < 0.94 ? use(members) : use(cluster);
};

export interface PlacedMutant {
  readonly mutant: Mutant;
  readonly withKind: <T>(use: WithKind<T>) => T;
}

/** Each in the kind of history in which it can be found. */
export const allMutants: readonly PlacedMutant[] = [
  ...members.mutants.map((mutant): PlacedMutant => ({
    mutant,
    withKind: use => use(members),
  })),
  ...whole.mutants.map((mutant): PlacedMutant => ({
    mutant,
    withKind: use => use(whole),
  })),
  ...cluster.mutants.map((mutant): PlacedMutant => ({
    mutant,
    withKind: use => use(cluster),
  })),
];
