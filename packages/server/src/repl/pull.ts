import type { OpTime } from '@tessera/store';
import { compareOpTimes } from '@tessera/store';
import type { Entry } from '../log/entry.js';
import type { Log } from '../log/log.js';
import type { Member } from './member.js';
import type { Point } from './point.js';

const has = (log: Log, at: OpTime): boolean => {
  const entry = log.at(at.ts);
  return entry !== undefined && compareOpTimes(entry.at, at) === 0;
};

/** Returns the last entry that both logs have. Entries that a majority has are in both. */
const commonOf = (target: Member, source: Member): Entry | undefined => {
  let common = target.log.at(target.committed.at.ts) ?? target.log.oldest;
  if (common === undefined || !has(source.log, common.at)) return undefined;
  for (const entry of target.log.after(common.at.ts)) {
    if (!has(source.log, entry.at)) break;
    common = entry;
  }
  return common;
};

const upTo = function* (log: Log, from: OpTime | undefined, to: OpTime): Generator<Entry> {
  for (const entry of log.after(from?.ts)) {
    if (compareOpTimes(entry.at, to) > 0) return;
    yield entry;
  }
};

/**
 * Copies the entries of another member up to a point of its log. If the logs have diverged, and the target is behind,
 * the target first rolls back its entries after the common one.
 */
export const pull = (target: Member, source: Member, to: Point): void => {
  const { last, secondLast } = source.log;
  if (last?.at === to.at && secondLast !== undefined && secondLast === target.log.last) {
    target.follow([last], to);
    return;
  }
  if (!has(source.log, target.opTime)) {
    // The member with the later history waits until the other has caught up.
    if (compareOpTimes(source.opTime, target.opTime) <= 0) return;
    const common = commonOf(target, source);
    if (common === undefined) {
      target.resync(source, upTo(source.log, undefined, to.at), to);
      return;
    }
    target.rollBack(common.at, common.value ?? to.value);
  }
  if (compareOpTimes(target.opTime, to.at) < 0) target.follow(upTo(source.log, target.opTime, to.at), to);
};
