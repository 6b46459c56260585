import type { Note } from '@tessera-tools/house';
import type { Ran } from './report.js';

/** Policies with which the system must recover after the overload. The other policies may or may not recover. */
export const mustRecover: readonly string[] = ['no retries', 'the default', 'token bucket of 10'];

export const findingsOf = (ran: readonly Ran[]): readonly Note[] =>
  ran
    .filter(({ policy: { name }, figures: { recovery } }) => recovery === undefined && mustRecover.includes(name))
    .map(({ policy: { name } }) => ({
      title: `overload: ${name}`,
      reason: 'The system did not recover after the overload.',
    }));
