import type { Collection, CollectionSettings, IndexDefinition } from './collection.js';
import type { Plan } from './plan.js';

/** The uses of an index by queries. */
export interface IndexUses {
  count: number;
  /** When counting began, in milliseconds since 1970. Undefined: with the start of the server. */
  readonly since: number | undefined;
}

const indexes = new WeakMap<IndexDefinition, IndexUses>();
const scans = new WeakMap<CollectionSettings, { count: number }>();

/** Begins to count the uses of a new index. */
export const countUsesFrom = (definition: IndexDefinition, since: number): void => {
  indexes.set(definition, { count: 0, since });
};

export const usesOf = (definition: IndexDefinition): IndexUses =>
  indexes.get(definition) ?? { count: 0, since: undefined };

/** Returns the number of queries that read the collection without an index. */
export const scansOf = ({ settings }: Collection): number => scans.get(settings)?.count ?? 0;

/** Counts the use of an index, or the scan of a collection. */
export const countUse = ({ settings }: Collection, { index }: Plan): void => {
  if (index !== undefined) {
    const uses = indexes.get(index.definition);
    if (uses === undefined) indexes.set(index.definition, { count: 1, since: undefined });
    else uses.count += 1;
    return;
  }
  const found = scans.get(settings);
  if (found === undefined) scans.set(settings, { count: 1 });
  else found.count += 1;
};
