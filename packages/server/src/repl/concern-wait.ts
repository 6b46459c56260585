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
  const { term } = member;
  if (awaited.journaled) member.flush();
  const outcome = (): Outcome | undefined => {
    if (isThere(member, awaited)) return 'fulfilled';
    return member.isPrimary && member.term === term ? undefined : 'changed';
  };
  // Mostly it is there already.
  const now = outcome();
  if (now !== undefined) return now;
  const { clock } = member.engine;
  const once = (wake: () => void): (() => void) => member.onceMoved(wake);
  const waited = waitUntil(() => outcome() !== undefined, { clock, signal, within, once });
  const told = (how: Waited): Outcome => (how === 'there' ? outcome()! : how === 'late' ? 'timeout' : 'gone');
  return waited instanceof Promise ? waited.then(told) : told(waited);
};
