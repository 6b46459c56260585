import { named } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import type { Verdict } from './verdict.js';

/** Every test of the peer is one check; one that may fail, and does, counts as skipped. */
export function tallyOf(peer: string, verdicts: readonly Verdict[]): Tally {
  const skipped = verdicts.flatMap(verdict => verdict.skipped);
  return named(peer, {
    passed: verdicts.reduce((total, { passed }) => total + passed, 0),
    failed: verdicts.flatMap(({ failed }) => failed),
    skipped: [
      ...verdicts.flatMap(({ accepted }) => accepted),
      ...skipped.map(({ title, reason }) => ({ title, reason: `${peer} itself says: ${reason}` })),
    ],
  });
}
