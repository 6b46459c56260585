import { named } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import type { Verdict } from './verdict.js';

/** Counts every test of the peer as one check. An accepted failure counts as skipped. */
export function tallyOf(peer: string, verdicts: readonly Verdict[]): Tally {
  const skipped = verdicts.flatMap(verdict => verdict.skipped);
  return named(peer, {
    passed: verdicts.reduce((total, { passed }) => total + passed, 0),
    failed: verdicts.flatMap(({ failed }) => failed),
    skipped: [
      ...verdicts.flatMap(({ accepted }) => accepted),
      ...skipped.map(({ title, reason }) => ({ title, reason: `skipped by ${peer}: ${reason}` })),
    ],
  });
}
