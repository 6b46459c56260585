import type { Note, Verdict } from './verdict.js';

/** How checks are counted, in the file that the environment variable TALLY names. */
export interface Tally {
  readonly passed: number;
  readonly failed: readonly Note[];
  readonly skipped: readonly Note[];
}

export const nothing: Tally = { passed: 0, failed: [], skipped: [] };

export const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failed: tallies.flatMap(({ failed }) => failed),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

/** Every test of the peer is one check; one that may fail, and does, counts as skipped. */
export function tallyOf(peer: string, verdicts: readonly Verdict[]): Tally {
  const entitled = (notes: readonly Note[]): Note[] =>
    notes.map(({ title, reason }) => ({ title: `${peer}: ${title}`, reason }));
  return {
    passed: verdicts.reduce((total, { passed }) => total + passed, 0),
    failed: entitled(verdicts.flatMap(({ failed }) => failed)),
    skipped: [
      ...entitled(verdicts.flatMap(({ accepted }) => accepted)),
      ...entitled(verdicts.flatMap(({ skipped }) => skipped)).map(({ title, reason }) => ({
        title,
        reason: `${peer} itself says: ${reason}`,
      })),
    ],
  };
}
