import type { Millis, Signal, Soon } from '@tessera/contracts';
import type { OpTime } from '@tessera/store';
import { compareOpTimes } from '@tessera/store';
import type { Waited } from '../engine/wait.js';
import { waitUntil } from '../engine/wait.js';
import type { Member } from './member.js';
import { writeMajority } from './set-config.js';
import type { Wanted } from './write-concern.js';
import { isFulfilled } from './write-concern.js';

/** A write, and the write concern to wait for. */
export interface Awaited {
  readonly wanted: Wanted;
  /** The optime of the write. */
  readonly at: OpTime;
  /** Whether only durable writes count. */
  readonly journaled: boolean;
}

/** `changed`: the member is no longer the primary, so the outcome of the write is unknown. */
export type Outcome = 'fulfilled' | 'timeout' | 'changed' | 'gone';

const isThere = (member: Member, { wanted, at, journaled }: Awaited): boolean => {
  const progress = member.progress();
  if (isFulfilled(wanted, { at, journaled }, progress, member.committed.at)) return true;
  // Without journaling, a majority may have the write and still lose it.
  if (wanted.by !== 'majority' || journaled) return false;
  const voters = progress.filter(({ config, applied }) => config.votes === 1 && compareOpTimes(applied, at) >= 0);
  return voters.length >= writeMajority(member.config);
};

/** Waits until enough members have a write. @param within the maximum time in milliseconds; `Infinity` for no limit */
export const awaitConcern = (member: Member, awaited: Awaited, within: Millis, signal: Signal): Soon<Outcome> => {
  if (awaited.journaled) member.flush();
  let outcome: Outcome | undefined;
  const isKnown = (): boolean => {
    // In a later term, entries after a rolled-back write may have later times, so compare terms too.
    if (!member.isPrimary || member.term !== awaited.at.term) outcome ??= 'changed';
    else if (isThere(member, awaited)) outcome ??= 'fulfilled';
    return outcome !== undefined;
  };
  // Usually the condition holds at once.
  if (isKnown()) return outcome!;
  const { clock } = member.engine;
  const once = (wake: () => void): (() => void) => member.onceMoved(wake);
  const waited = waitUntil(isKnown, { clock, signal, within, once });
  const outcomeOf = (how: Waited): Outcome => (how === 'there' ? outcome! : how === 'late' ? 'timeout' : 'gone');
  return waited instanceof Promise ? waited.then(outcomeOf) : outcomeOf(waited);
};
