import { createChance } from './generate/chance.js';
import { collectionOf } from './generate/documents.js';
import { operationOf } from './generate/operations.js';
import type { Case, Operation } from './operation.js';
import type { Profile } from './rule.js';
import type { Fields, Tree } from './tree.js';
import { isArray, isDocument, operatorsIn, typeOf } from './tree.js';

/** Operations that meet the same documents. */
export interface Batch {
  readonly documents: readonly Fields[];
  readonly foreign: readonly Fields[];
  readonly operations: readonly Operation[];
}

const perBatch = 30;

/** The same value without those types. */
const tamed = (tree: Tree, types: ReadonlySet<string>): Tree => {
  if (types.has(typeOf(tree))) return null;
  if (isArray(tree)) return tree.map(item => tamed(item, types));
  if (!isDocument(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, tamed(value, types)] as const));
};

/** What an engine with that profile can be asked for. The same seed and number give the same batch. */
export const batchOf = (seed: number, number: number, profile: Profile): Batch => {
  const chance = createChance(Math.imul(seed, 1_000_003) + number);
  const documents = tamed(collectionOf(chance), profile.lacksTypes) as readonly Fields[];
  const foreign = tamed(collectionOf(chance), profile.lacksTypes) as readonly Fields[];
  const operations: Operation[] = [];
  while (operations.length < perBatch) {
    const { family, command } = operationOf({ chance, documents });
    if ([...operatorsIn(command)].some(operator => profile.lacks.has(operator))) continue;
    const operation: Operation = { family, command: tamed(command, profile.lacksTypes) as Fields };
    if (!profile.omissions.some(({ holds }) => holds({ documents, foreign, operation }))) operations.push(operation);
  }
  return { documents, foreign, operations };
};

export const caseOf = ({ documents, foreign }: Batch, operation: Operation): Case => ({
  documents,
  foreign,
  operation,
});
