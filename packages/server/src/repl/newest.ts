import type { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { isLater } from '@tessera/store';
import type { Member } from './member.js';
import type { Point } from './point.js';

/**
 * Returns the last entry of a member with its data, or undefined before the set is initiated. Members share entry
 * objects. A member that is ahead may have released the value of an entry that is the newest of another, which then is
 * the engine's value.
 */
export const newestOf = ({ log: { last }, engine }: Member): Point | undefined =>
  last === undefined ? undefined : { at: last.at, wall: last.wall, value: last.value ?? engine.value };

/** Returns the data of a member as of a time, or undefined if it was released. */
export const valueAt = (member: Member, ts: TimestampValue): DatabaseValue | undefined => {
  const newest = newestOf(member);
  if (newest !== undefined && !isLater(newest.at.ts, ts)) return newest.value;
  return member.log.valueAt(ts, member.engine.clock.wallTime());
};
