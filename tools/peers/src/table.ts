import type { Note } from '@tessera-tools/tally';
import type { Verdict } from './verdict.js';

const columns = ['passed', 'failed', 'accepted', 'skipped'] as const;

const counts = ({ passed, failed, accepted, skipped }: Verdict): readonly number[] => [
  passed,
  failed.length,
  accepted.length,
  skipped.length,
];

const row = (name: string, cells: readonly (number | string)[]): string =>
  name.padEnd(24) + cells.map(cell => String(cell).padStart(10)).join('');

export const header: string = row('file', [...columns, 'seconds']);

/** One line for one file. */
export const rowOf = (verdict: Verdict, seconds: number): string =>
  row(verdict.file, [...counts(verdict), seconds.toFixed(1)]);

/** The sums of all files. */
export function totalOf(verdicts: readonly Verdict[], seconds: number): string {
  const sums = columns.map((_, i) => verdicts.reduce((total, verdict) => total + counts(verdict)[i]!, 0));
  return row('all', [...sums, seconds.toFixed(1)]);
}

const lines = (what: string, notes: readonly Note[]): string[] =>
  notes.map(({ title, reason }) => `${what}: ${title}: ${reason}`);

/** Skips by their reasons, failures one by one. */
export function notesOf(verdicts: readonly Verdict[]): readonly string[] {
  const byReason = new Map<string, number>();
  for (const { reason } of verdicts.flatMap(({ skipped }) => skipped))
    byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  const commonest = [...byReason].sort(([, a], [, b]) => b - a);
  return [
    ...commonest.map(([reason, count]) => `skipped by the peer: ${count}: ${reason}`),
    ...lines(
      'accepted',
      verdicts.flatMap(({ accepted }) => accepted),
    ),
    ...lines(
      'failed',
      verdicts.flatMap(({ failed }) => failed),
    ),
  ];
}
