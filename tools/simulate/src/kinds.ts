import { createChance } from '@tessera/sim';
import type { AnyPlan, Kind } from './kind.js';
import { members } from './members.js';
import type { Mutant } from './mutants/mutant.js';
import { whole } from './whole/whole.js';

/** Does the same with a history of any kind. */
export type WithKind<T> = <P extends AnyPlan>(kind: Kind<P>) => T;

/** The seed draws the kind, too. */
export const withKindOf = <T>(seed: number, use: WithKind<T>): T =>
  createChance(seed, 'kind').happens(0.5) ? use(whole) : use(members);

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
];
