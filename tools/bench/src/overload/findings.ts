import type { Note } from '@tessera-tools/house';
import type { Ran } from './report.js';

/** With these the system must be well again when the overload is over; with the others it may be or not. */
export const mustRecover: readonly string[] = ['no retries', 'the default', 'token bucket of 10'];

export const findingsOf = (ran: readonly Ran[]): readonly Note[] =>
  ran
    .filter(({ policy: { name }, figures: { recovery } }) => recovery === undefined && mustRecover.includes(name))
    .map(({ policy: { name } }) => ({
      title: `overload: ${name}`,
      reason: 'the system stays down after the overload',
    }));
