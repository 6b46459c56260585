import { createChance } from '@tessera/sim';
import { client } from './client/kind.js';
import { cluster } from './cluster/kind.js';
import type { Kind, Mutant } from './kernel/kind.js';
import { members } from './members/kind.js';

/** The seed draws the kind, too. */
export const kindOf = (seed: number): Kind => {
  const unit = createChance(seed, 'kind').unit();
  if (unit < 0.47) return client;
  // Those of clusters take ten times as long.
  return unit < 0.94 ? members : cluster;
};

/** Each in the kind of history in which it can be found. */
export const allMutants: readonly { readonly kind: Kind; readonly mutant: Mutant }[] = [
  members,
  client,
  cluster,
].flatMap(kind => kind.mutants.map(mutant => ({ kind, mutant })));
