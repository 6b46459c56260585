import type { Note } from '@tessera-tools/tally';
import type { Ran } from './report.js';

/** What must hold: without retries and with the default the system recovers. */
export const mustRecover: readonly string[] = ['no retries', 'the default', 'token bucket', 'token bucket of 10'];

export const findingsOf = (ran: readonly Ran[]): readonly Note[] =>
  ran
    .filter(({ policy: { name }, figures: { recovery } }) => recovery === undefined && mustRecover.includes(name))
    .map(({ policy: { name } }) => ({
      title: `overload: ${name}`,
      reason: 'the system stays down after the overload',
    }));
