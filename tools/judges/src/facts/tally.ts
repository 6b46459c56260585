import type { Tally } from '@tessera-tools/house';
import type { Result } from './run.js';

const titleOf = ({ file, row }: Result): string => `facts/${file.name}:${row.line}`;

/** Counts the facts. A fact with a reason counts as skipped while it does not hold, and as failed when it does. */
export const tallyOf = (results: readonly Result[]): Tally => ({
  passed: results.filter(({ row, difference }) => difference === undefined && row.reason === undefined).length,
  failed: results
    .filter(({ row, difference }) => (difference === undefined) !== (row.reason === undefined))
    .map(each => ({ title: titleOf(each), reason: each.difference ?? `holds now: ${each.row.reason}` })),
  skipped: results
    .filter(({ row, difference }) => difference !== undefined && row.reason !== undefined)
    .map(each => ({ title: titleOf(each), reason: each.row.reason ?? '' })),
});
