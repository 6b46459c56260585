import { createChance } from '../chance.js';
import { collectionOf } from './generate/documents.js';
import { operationOf } from './generate/operations.js';
import type { Case, Operation } from './operation.js';
import type { Profile } from './rule.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, operatorsIn } from './tree.js';

/** Operations that run on the same documents. */
export interface Batch {
  readonly documents: readonly Fields[];
  readonly foreign: readonly Fields[];
  readonly operations: readonly Operation[];
}

const perBatch = 30;

/** Returns the tree with null in place of values that the engine cannot store. */
const tamed = (tree: Tree, profile: Profile): Tree => {
  if (profile.cannotHold(tree)) return null;
  if (isArray(tree)) return tree.map(item => tamed(item, profile));
  if (!isDocument(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, item]) => [name, tamed(item, profile)] as const));
};

/** Draws a batch that an engine with this profile supports. The same seed and number give the same batch. */
export const batchOf = (seed: number, number: number, profile: Profile): Batch => {
  const chance = createChance(Math.imul(seed, 1_000_003) + number);
  const documents = collectionOf(chance).map(document => tamed(document, profile) as Fields);
  const foreign = collectionOf(chance).map(document => tamed(document, profile) as Fields);
  const operations: Operation[] = [];
  while (operations.length < perBatch) {
    const drawn = operationOf({ chance, documents });
    if ([...operatorsIn(drawn.command)].some(operator => profile.lacks.has(operator))) continue;
    const operation: Operation = { ...drawn, command: tamed(drawn.command, profile) as Fields };
    if (!profile.omissions.some(({ holds }) => holds({ documents, foreign, operation }))) operations.push(operation);
  }
  return { documents, foreign, operations };
};

export const caseOf = ({ documents, foreign }: Batch, operation: Operation): Case => ({
  documents,
  foreign,
  operation,
});
