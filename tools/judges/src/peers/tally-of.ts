import type { Note, Tally } from '@tessera-tools/house';
import type { Verdict } from './verdict.js';

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
