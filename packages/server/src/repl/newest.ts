import type { TimestampValue } from '@tessera/mql/engine';
import type { DatabaseValue } from '../engine/database.js';
import { isLater } from '../log/op-time.js';
import type { Member } from './member.js';
import type { Point } from './point.js';

/**
 * The last that a member has, with its data; undefined before the set is made. Members share their entries, and one that is ahead lets go
 * the values of those that are old to it, and that may be the newest of another.
 */
export const newestOf = ({ log: { last }, engine }: Member): Point | undefined =>
  last === undefined ? undefined : { at: last.at, wall: last.wall, value: last.value ?? engine.value };

/** The data as a member had it at that time; undefined if it is let go. */
export const valueAt = (member: Member, ts: TimestampValue): DatabaseValue | undefined => {
  const newest = newestOf(member);
  if (newest !== undefined && !isLater(newest.at.ts, ts)) return newest.value;
  return member.log.valueAt(ts, member.engine.clock.wallTime());
};
