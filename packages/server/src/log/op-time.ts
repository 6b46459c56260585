import { Doc, TimestampValue } from '@tessera/mql/engine';

/** A place in the history of the set: when, and in which primary's term. */
export interface OpTime {
  readonly ts: TimestampValue;
  readonly term: bigint;
}

/** Below 0 if the first is earlier. */
export const compareTimes = (a: TimestampValue, b: TimestampValue): number => a.t - b.t || a.i - b.i;

export const isLater = (a: TimestampValue, b: TimestampValue): boolean => compareTimes(a, b) > 0;

const mostIncrement = 0xffff_ffff;

/** The first of so many times that follow in one second: the next one, if this has no room for them. */
export const timeAfter = ({ t, i }: TimestampValue, steps: number): TimestampValue =>
  i + steps > mostIncrement ? new TimestampValue(t + 1, 1) : new TimestampValue(t, i + 1);

/** Below 0 if the first is earlier: of an earlier term, or of the same one and an earlier time. */
export const compareOpTimes = (a: OpTime, b: OpTime): number =>
  a.term === b.term ? compareTimes(a.ts, b.ts) : a.term < b.term ? -1 : 1;

export const opTimeDoc = ({ ts, term }: OpTime): Doc =>
  Doc.of([
    ['ts', ts],
    ['t', term],
  ]);
