import type { Note } from '@tessera-tools/house';
import type { Accepted } from './accepted.js';
import type { TestResult } from './peer.js';

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
  /** How many of them passed on the outside engine that ours is compared with. */
  readonly outside?: number;
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
  const left = new Map(list.filter(({ id }) => id.startsWith(`${file}::`)).map(entry => [entry.id, entry]));
  const failed: Note[] = [];
  const accepted: Note[] = [];
  const skipped: Note[] = [];
  let passed = 0;
  for (const { id, outcome, reason } of results) {
    const excuse = left.get(id);
    left.delete(id);
    if (outcome === 'failed' && excuse !== undefined) accepted.push({ title: id, reason: excuse.reason });
    else if (outcome === 'failed') failed.push({ title: id, reason });
    else if (excuse !== undefined && excuse.varies !== true)
      failed.push(stale(id, outcome === 'passed' ? 'passes now' : `is skipped now (${reason})`));
    else if (outcome === 'skipped') skipped.push({ title: id, reason });
    else passed += 1;
  }
  if (whole) for (const id of left.keys()) failed.push(stale(id, 'is not there'));
  return { file, passed, failed, accepted, skipped };
}

/** The same tests were run on an outside engine: fewer may not pass on ours. */
export const compare = (verdict: Verdict, outside: readonly TestResult[], name: string): Verdict => {
  const count = outside.filter(({ outcome }) => outcome === 'passed').length;
  const { file, passed, failed } = verdict;
  const fewer = { title: file, reason: `${passed} pass, but ${count} on ${name}` };
  return { ...verdict, failed: passed < count ? [...failed, fewer] : failed, outside: count };
};
