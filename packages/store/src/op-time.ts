import { Doc, TimestampValue } from '@tessera/mql/engine';

/** A position in the oplog of a set: a time, and the term of the primary that wrote the entry. */
export interface OpTime {
  readonly ts: TimestampValue;
  readonly term: bigint;
}

/** Returns a negative number if the first time is earlier. */
export const compareTimes = (a: TimestampValue, b: TimestampValue): number => a.t - b.t || a.i - b.i;

export const isLater = (a: TimestampValue, b: TimestampValue): boolean => compareTimes(a, b) > 0;

const mostIncrement = 0xffff_ffff;

/**
 * Returns the first of `steps` consecutive times after a time, all in the same second: the next second if the current
 * one has no room for them.
 */
export const timeAfter = ({ t, i }: TimestampValue, steps: number): TimestampValue =>
  i + steps > mostIncrement ? new TimestampValue(t + 1, 1) : new TimestampValue(t, i + 1);

/**
 * Returns a negative number if the first optime is earlier: its term is lower, or the terms are equal and its time is
 * earlier.
 */
export const compareOpTimes = (a: OpTime, b: OpTime): number =>
  a.term === b.term ? compareTimes(a.ts, b.ts) : a.term < b.term ? -1 : 1;

export const opTimeDoc = ({ ts, term }: OpTime): Doc =>
  Doc.of([
    ['ts', ts],
    ['t', term],
  ]);
