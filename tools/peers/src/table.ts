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
  name.padEnd(46) + cells.map(cell => String(cell).padStart(11)).join('');

/** @param outside whose passed tests stand beside ours, if somebody's do */
export const headerOf = (outside: string | undefined): string =>
  row('file', [...columns, ...(outside === undefined ? [] : [outside]), 'seconds']);

const outsideOf = ({ outside }: Verdict): number[] => (outside === undefined ? [] : [outside]);

/** One line for one file. */
export const rowOf = (verdict: Verdict, seconds: number): string =>
  row(verdict.file, [...counts(verdict), ...outsideOf(verdict), seconds.toFixed(1)]);

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/** The sums of all files. */
export function totalOf(verdicts: readonly Verdict[], seconds: number): string {
  const sums = columns.map((_, i) => total(verdicts.map(verdict => counts(verdict)[i]!)));
  const outside = verdicts.flatMap(outsideOf);
  return row('all', [...sums, ...(outside.length === 0 ? [] : [total(outside)]), seconds.toFixed(1)]);
}

/** How many of a hundred passed, of those that the peer did not skip. */
export function shareOf(verdicts: readonly Verdict[]): string {
  const [passed, failed, accepted] = columns.map((_, i) => total(verdicts.map(verdict => counts(verdict)[i]!)));
  const run = passed! + failed! + accepted!;
  return run === 0 ? 'nothing was run' : `${((passed! / run) * 100).toFixed(1)} % of ${run} passed`;
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
