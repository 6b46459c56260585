import { createChance } from '@tessera/sim';
import { client } from './client/kind.js';
import { cluster } from './cluster/kind.js';
import type { Kind, Mutant } from './kernel/kind.js';
import { members } from './members/kind.js';

/** Returns the kind of history that a seed draws. */
export const kindOf = (seed: number): Kind => {
  const unit = createChance(seed, 'kind').unit();
  if (unit < 0.47) return client;
  // Histories of clusters take ten times as long.
  return unit < 0.94 ? members : cluster;
};

/** Each mutant with the kind of history that finds it. */
export const allMutants: readonly { readonly kind: Kind; readonly mutant: Mutant }[] = [
  members,
  client,
  cluster,
].flatMap(kind => kind.mutants.map(mutant => ({ kind, mutant })));
