import type { Tally } from '@tessera-tools/house';
import type { RowReport } from './report.js';
import { titleOf } from './rows.js';

/** Each row is one check. */
export const tallyOf = (judged: readonly { row: RowReport; findings: readonly string[] }[]): Tally => ({
  passed: judged.filter(({ row, findings }) => row.skipped === undefined && findings.length === 0).length,
  failed: judged
    .filter(({ findings }) => findings.length > 0)
    .map(({ row, findings }) => ({ title: `bench ${titleOf(row)}`, reason: findings.join(' ') })),
  skipped: judged.flatMap(({ row }) =>
    row.skipped === undefined ? [] : [{ title: `bench ${titleOf(row)}`, reason: row.skipped }],
  ),
});
