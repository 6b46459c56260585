import { countEach } from '@tessera-tools/house';
import type { Note } from '@tessera-tools/house';
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

/**
 * Returns the header of the table.
 * @param outside the engine whose passed tests get a column, if any
 */
export const headerOf = (outside: string | undefined): string =>
  row('file', [...columns, ...(outside === undefined ? [] : [outside]), 'seconds']);

const outsideOf = ({ outside }: Verdict): number[] => (outside === undefined ? [] : [outside]);

/** Returns the line of one file. */
export const rowOf = (verdict: Verdict, seconds: number): string =>
  row(verdict.file, [...counts(verdict), ...outsideOf(verdict), seconds.toFixed(1)]);

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

const sumsOf = (verdicts: readonly Verdict[]): readonly number[] =>
  columns.map((_, i) => total(verdicts.map(verdict => counts(verdict)[i]!)));

/** Returns the sums of all files. */
export function totalOf(verdicts: readonly Verdict[], seconds: number): string {
  const sums = sumsOf(verdicts);
  const outside = verdicts.flatMap(outsideOf);
  return row('all', [...sums, ...(outside.length === 0 ? [] : [total(outside)]), seconds.toFixed(1)]);
}

const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`;

/** Counts the tests that passed and the tests that the peer did not skip. */
const shareIn = (verdicts: readonly Verdict[]): { readonly passed: number; readonly run: number } => {
  const [passed, failed, accepted] = sumsOf(verdicts) as [number, number, number];
  return { passed, run: passed + failed + accepted };
};

/** Returns the percentage of passed tests, without tests that the peer skipped. */
export function shareOf(verdicts: readonly Verdict[]): string {
  const { passed, run } = shareIn(verdicts);
  return run === 0 ? 'nothing was run' : `${percent(passed, run)} of ${run} passed`;
}

/** Returns the line of one client and deployment in the summary. */
export function summaryOf(name: string, verdicts: readonly Verdict[], seconds: number): string {
  const { passed, run } = shareIn(verdicts);
  return row(name, [...sumsOf(verdicts), seconds.toFixed(1), run === 0 ? '-' : percent(passed, run)]);
}

/** Returns the line of an unavailable client in the summary. */
export const missing = (name: string): string => row(name, ['unavailable']);

export const summaryHeader: string = row('client, deployment', [...columns, 'seconds', 'share']);

/** Formats the notes as lines such as `accepted: 3: no full-text search`, the most frequent reason first. */
function byReason(what: string, notes: readonly Note[]): string[] {
  const commonest = [...countEach(notes.map(({ reason }) => reason))].sort(([, a], [, b]) => b - a);
  return commonest.map(([reason, count]) => `${what}: ${count}: ${reason}`);
}

/** Returns skips and accepted failures by reason, and each failure on its own line. */
export const notesOf = (verdicts: readonly Verdict[]): readonly string[] => [
  ...byReason(
    'skipped by the peer',
    verdicts.flatMap(({ skipped }) => skipped),
  ),
  ...byReason(
    'accepted',
    verdicts.flatMap(({ accepted }) => accepted),
  ),
  ...verdicts.flatMap(({ failed }) => failed).map(({ title, reason }) => `failed: ${title}: ${reason}`),
];
