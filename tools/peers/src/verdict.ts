import type { Note } from '@tessera-tools/tally';
import type { Accepted } from './accepted.js';
import type { TestResult } from './test-result.js';

/** What the tests of one file came to. */
export interface Verdict {
  readonly file: string;
  readonly passed: number;
  /** Failures that are not accepted, and entries of the list that are wrong now. */
  readonly failed: readonly Note[];
  /** Failures that are accepted. */
  readonly accepted: readonly Note[];
  /** What the peer itself passed over, with its own reason. */
  readonly skipped: readonly Note[];
}

const stale = (id: string, what: string): Note => ({
  title: id,
  reason: `${what}, but is listed as an accepted failure: take it off the list`,
});

/**
 * Compares what happened in one file with what is accepted there.
 * @param whole whether all of the file was run, so that what is missing is not there at all
 */
export function judge(
  file: string,
  results: readonly TestResult[],
  list: readonly Accepted[],
  whole: boolean,
): Verdict {
  const reasons = new Map(list.filter(({ id }) => id.startsWith(`${file}::`)).map(({ id, reason }) => [id, reason]));
  const failed: Note[] = [];
  const accepted: Note[] = [];
  const skipped: Note[] = [];
  let passed = 0;
  for (const { id, outcome, reason } of results) {
    const excuse = reasons.get(id);
    reasons.delete(id);
    if (outcome === 'failed' && excuse !== undefined) accepted.push({ title: id, reason: excuse });
    else if (outcome === 'failed') failed.push({ title: id, reason });
    else if (excuse !== undefined)
      failed.push(stale(id, outcome === 'passed' ? 'passes now' : `is skipped now (${reason})`));
    else if (outcome === 'skipped') skipped.push({ title: id, reason });
    else passed += 1;
  }
  if (whole) for (const id of reasons.keys()) failed.push(stale(id, 'is not there'));
  return { file, passed, failed, accepted, skipped };
}
