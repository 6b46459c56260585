import type { Matcher, Pause } from '@tessera/mql/engine';
import { isDue, metadataOf, pause } from '@tessera/mql/engine';
import type { Collection } from './collection.js';
import type { NearSearch } from './place-bounds.js';
import type { Plan } from './plan.js';
import type { Row } from './row.js';
import { scanOf } from './scan.js';

interface Found {
  readonly row: Row;
  readonly distance: number;
}

/**
 * Returns the matching rows by distance, nearest first. Documents are read in growing circles, so that those farther
 * away than the last requested row are not read.
 */
export const nearRows = function* (
  collection: Collection,
  plan: Plan,
  { start, end, rangesWithin }: NearSearch,
  { matches }: Matcher,
): Generator<Row | Pause> {
  const seen = new Set<string>();
  let waiting: Found[] = [];
  for (let reach = Math.min(start, end); ; reach = Math.min(2 * reach, end)) {
    const scan = scanOf(collection, { ...plan, ranges: rangesWithin(reach) });
    while (scan.next()) {
      if (isDue()) yield pause;
      const { record } = scan;
      if (seen.has(record)) continue;
      seen.add(record);
      const { doc, entry } = scan;
      if (matches(doc)) waiting.push({ row: { record, doc, entry }, distance: metadataOf(doc)!.geoNearDistance! });
    }
    const isLast = reach >= end;
    waiting.sort((a, b) => a.distance - b.distance || (a.row.record < b.row.record ? -1 : 1));
    const far = isLast ? -1 : waiting.findIndex(({ distance }) => distance > reach);
    const near = far === -1 ? waiting.length : far;
    for (let i = 0; i < near; i++) yield waiting[i]!.row;
    if (isLast) return;
    waiting = waiting.slice(near);
  }
};
