import type { GeoIndexes } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import { isMeasured } from './time-series.js';

const none: GeoIndexes = new Map();

/** Returns the geospatial indexes of a collection. */
export const geoIndexesOf = (collection: Collection | undefined): GeoIndexes => {
  const series = collection?.settings.timeSeries;
  const hasAny = collection?.indexes.some(({ definition: { kind } }) => kind?.startsWith('2d') === true) === true;
  if (collection === undefined || (series === undefined && !hasAny)) return none;
  const found = new Map<string, '2d' | '2dsphere' | 'both'>();
  for (const { definition } of collection.indexes) {
    if (definition.hidden) continue;
    for (const [path, kind] of definition.key)
      if (kind === '2dsphere' || kind === '2d') found.set(path, (found.get(path) ?? kind) === kind ? kind : 'both');
  }
  return series === undefined
    ? found
    : Object.assign(found, { isMeasured: (path: string) => isMeasured(series, path) });
};
