import type { GeoIndexes } from '@tessera/mql/engine';
import type { Collection } from '../store/collection.js';

const none: GeoIndexes = new Map();

/** Returns the geospatial indexes of a collection. If a field has two, the `2dsphere` index takes precedence. */
export const geoIndexesOf = (collection: Collection | undefined): GeoIndexes => {
  if (collection?.indexes.some(({ definition: { listedOnly } }) => listedOnly?.startsWith('2d') === true) !== true)
    return none;
  const found = new Map<string, '2d' | '2dsphere'>();
  for (const { definition } of collection.indexes) {
    if (definition.hidden) continue;
    for (const [path, kind] of definition.key)
      if (kind === '2dsphere' || (kind === '2d' && !found.has(path))) found.set(path, kind);
  }
  return found;
};
