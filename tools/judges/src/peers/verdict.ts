import type { Note } from '@tessera-tools/house';
import type { Accepted } from './accepted.js';
import type { TestResult } from './peer.js';

/** The results of one file. */
export interface Verdict {
  readonly file: string;
  readonly passed: number;
  /** Failures that are not accepted, and stale entries of the list. */
  readonly failed: readonly Note[];
  /** Failures that are accepted. */
  readonly accepted: readonly Note[];
  /** Tests that the peer itself skipped, with its reasons. */
  readonly skipped: readonly Note[];
  /** The number of tests that passed on the other engine, if the file ran there. */
  readonly outside?: number;
}

const stale = (id: string, what: string): Note => ({
  title: id,
  reason: `${what}, but is listed as an accepted failure: remove it from the list`,
});

/**
 * Compares the results of one file with the list of accepted failures.
 * @param whole whether the whole file ran, so that an entry without a result is stale
 */
export function judge(
  file: string,
  results: readonly TestResult[],
  list: readonly Accepted[],
  whole: boolean,
): Verdict {
  const left = new Map(list.filter(({ id }) => id.startsWith(`${file}::`)).map(entry => [entry.id, entry]));
  const failed: Note[] = [];
  const accepted: Note[] = [];
  const skipped: Note[] = [];
  let passed = 0;
  for (const { id, outcome, reason } of results) {
    const entry = left.get(id);
    left.delete(id);
    if (outcome === 'failed' && entry !== undefined) accepted.push({ title: id, reason: entry.reason });
    else if (outcome === 'failed') failed.push({ title: id, reason });
    else if (entry !== undefined && entry.varies !== true)
      failed.push(stale(id, outcome === 'passed' ? 'passes now' : `is skipped now (${reason})`));
    else if (outcome === 'skipped') skipped.push({ title: id, reason });
    else passed += 1;
  }
  if (whole) for (const id of left.keys()) failed.push(stale(id, 'does not exist'));
  return { file, passed, failed, accepted, skipped };
}

/** Fails if fewer tests of a file passed than on another engine. */
export const compare = (verdict: Verdict, outside: readonly TestResult[], name: string): Verdict => {
  const count = outside.filter(({ outcome }) => outcome === 'passed').length;
  const { file, passed, failed } = verdict;
  const fewer = { title: file, reason: `${passed} pass, but ${count} on ${name}` };
  return { ...verdict, failed: passed < count ? [...failed, fewer] : failed, outside: count };
};
