import type { GeoIndexes } from '@tessera/mql/engine';
import type { Collection } from './collection.js';

const none: GeoIndexes = new Map();

/** Returns the geospatial indexes of a collection. */
export const geoIndexesOf = (collection: Collection | undefined): GeoIndexes => {
  if (collection?.indexes.some(({ definition: { kind } }) => kind?.startsWith('2d') === true) !== true) return none;
  const found = new Map<string, '2d' | '2dsphere' | 'both'>();
  for (const { definition } of collection.indexes) {
    if (definition.hidden) continue;
    for (const [path, kind] of definition.key)
      if (kind === '2dsphere' || kind === '2d') found.set(path, (found.get(path) ?? kind) === kind ? kind : 'both');
  }
  return found;
};
