import type { Millis, Signal, Soon } from '@tessera/contracts';
import type { Waited } from '../engine/wait.js';
import { waitUntil } from '../engine/wait.js';
import type { OpTime } from '../log/op-time.js';
import { compareOpTimes } from '../log/op-time.js';
import type { Member } from './member.js';
import { writeMajority } from './set-config.js';
import type { Wanted } from './write-concern.js';
import { isFulfilled } from './write-concern.js';

/** What somebody waits for. */
export interface Awaited {
  readonly wanted: Wanted;
  /** What was written, and all before it. */
  readonly at: OpTime;
  /** Only what outlives a crash counts. */
  readonly journaled: boolean;
}

/** `changed`: the member is the primary no more, so that nobody knows what becomes of the write. */
export type Outcome = 'fulfilled' | 'timeout' | 'changed' | 'gone';

const isThere = (member: Member, { wanted, at, journaled }: Awaited): boolean => {
  const progress = member.progress();
  if (isFulfilled(wanted, { at, journaled }, progress, member.committed.at)) return true;
  // Without a journal a majority may have it, and lose it all the same.
  if (wanted.by !== 'majority' || journaled) return false;
  const voters = progress.filter(({ config, applied }) => config.votes === 1 && compareOpTimes(applied, at) >= 0);
  return voters.length >= writeMajority(member.config);
};

/** Waits until those who are wanted have what was written. @param within how long at most; `Infinity`: for ever */
export const awaitConcern = (member: Member, awaited: Awaited, within: Millis, signal: Signal): Soon<Outcome> => {
  if (awaited.journaled) member.flush();
  let outcome: Outcome | undefined;
  const isKnown = (): boolean => {
    // A later term has places of its own beyond that of a write which was taken back.
    if (!member.isPrimary || member.term !== awaited.at.term) outcome ??= 'changed';
    else if (isThere(member, awaited)) outcome ??= 'fulfilled';
    return outcome !== undefined;
  };
  // Mostly it is there already.
  if (isKnown()) return outcome!;
  const { clock } = member.engine;
  const once = (wake: () => void): (() => void) => member.onceMoved(wake);
  const waited = waitUntil(isKnown, { clock, signal, within, once });
  const told = (how: Waited): Outcome => (how === 'there' ? outcome! : how === 'late' ? 'timeout' : 'gone');
  return waited instanceof Promise ? waited.then(told) : told(waited);
};
