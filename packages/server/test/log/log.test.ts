import { describe, expect, test } from 'vitest';
import { BinaryValue, Doc, TimestampValue } from '@tessera/mql/engine';
import { emptyDatabase } from '@tessera/store';
import type { Entry } from '../../src/log/entry.js';
import { Log, logLimitsOf } from '../../src/log/log.js';
import type { LogLimits } from '../../src/log/log.js';
import type { Op } from '../../src/log/op.js';

const time = (i: number): TimestampValue => new TimestampValue(100, i);

const entryAt = (i: number, wall = 1_000): Entry => ({
  at: { ts: time(i), term: 1n },
  first: time(i),
  wall,
  ops: [{ kind: 'noop', message: String(i) }],
  author: undefined,
  transaction: false,
  batches: true,
  value: { ...emptyDatabase, at: { ts: time(i), term: 1n } },
});

/** The size that the log counts for an entry with one op without a document. */
const entryBytes = 1_280;

const logOf = (limits: Partial<LogLimits>, ...entries: readonly Entry[]): Log => {
  const log = new Log({ ...logLimitsOf(0x180_0000), ...limits });
  for (const entry of entries) log.append(entry);
  return log;
};

const places = (entries: Iterable<Entry>): readonly number[] => [...entries].map(({ at }) => at.ts.i);

describe('a log', () => {
  const five = [1, 3, 5, 7, 9].map(i => entryAt(i));

  test('finds the entry at a time, and the entries after it', () => {
    const log = logOf({}, ...five);
    expect([0, 1, 2, 9, 10].map(i => log.at(time(i))?.at.ts.i)).toEqual([undefined, 1, 1, 9, 9]);
    expect([0, 1, 8, 9].map(i => log.next(time(i))?.at.ts.i)).toEqual([1, 3, 9, undefined]);
    expect(places(log.after(undefined))).toEqual([1, 3, 5, 7, 9]);
    expect(places(log.after(time(4)))).toEqual([5, 7, 9]);
  });

  test('iterates into entries that are appended meanwhile', () => {
    const log = logOf({}, ...five);
    const walk = log.after(time(8));
    expect(walk.next().value?.at.ts.i).toBe(9);
    log.append(entryAt(11));
    expect(walk.next().value?.at.ts.i).toBe(11);
    expect(walk.next().done).toBe(true);
  });

  test('returns and removes the entries after an entry, oldest first, and continues from there', () => {
    const log = logOf({}, ...five);
    expect(places(log.truncateAfter(time(5)))).toEqual([7, 9]);
    log.append(entryAt(6));
    expect(places(log.after(undefined))).toEqual([1, 3, 5, 6]);
  });

  test('removes the oldest entries beyond its size limit, never the newest', () => {
    const log = logOf({ bytes: 3 * entryBytes }, ...five);
    expect([log.size, log.oldest?.at.ts.i, log.at(time(4))]).toEqual([3, 5, undefined]);
    expect([log.forgotten?.i, logOf({}, ...five).forgotten]).toEqual([3, undefined]);
    expect(logOf({ bytes: 3 * entryBytes - 1 }, ...five).size).toBe(2);
    expect(logOf({ bytes: 1 }, ...five).last?.at.ts.i).toBe(9);
  });

  test('counts the memory of a replaced or deleted document as three times its size, and of an inserted one once', () => {
    const doc = Doc.of([['text', 'x'.repeat(1_000)]]);
    const on = { ns: 'a.b', uuid: new BinaryValue(4, new Uint8Array(16)), imaged: false };
    const withOp = (i: number, op: Op): Entry => ({ ...entryAt(i), ops: [op] });
    const insert: Op = { ...on, kind: 'insert', doc };
    const removal: Op = { ...on, kind: 'delete', before: doc };
    const size = doc.byteLength;
    const sizeOf = (op: Op, bytes: number): number => logOf({ bytes }, withOp(1, op), withOp(3, op)).size;
    expect([sizeOf(insert, 2 * (entryBytes + size)), sizeOf(insert, 2 * (entryBytes + size) - 1)]).toEqual([2, 1]);
    expect([sizeOf(removal, 2 * (entryBytes + 3 * size)), sizeOf(removal, 2 * (entryBytes + 3 * size) - 1)]).toEqual([
      2, 1,
    ]);
  });

  test('drops old values, never the value of the newest entry', () => {
    const counted = logOf({ values: 2 }, ...[1, 3, 5].map(i => entryAt(i)));
    expect([1, 3, 5].map(i => counted.valueAt(time(i), 1_000)?.at?.ts.i)).toEqual([undefined, 3, 5]);
    const heavy = logOf({ valueBytes: 2 * entryBytes }, ...[1, 3, 5].map(i => entryAt(i)));
    expect([1, 3, 5].map(i => heavy.valueAt(time(i), 1_000)?.at?.ts.i)).toEqual([undefined, 3, 5]);
    const aged = logOf({}, entryAt(1, 1_000), entryAt(3, 2_000));
    expect(aged.valueAt(time(2), 301_999)?.at?.ts.i).toBe(1);
    expect(aged.valueAt(time(2), 302_000)).toBeUndefined();
    expect(aged.valueAt(time(3), 9_999_999)?.at?.ts.i).toBe(3);
  });

  test('continues to drop old values after it was truncated', () => {
    const log = logOf({ values: 2, bytes: 4 * entryBytes }, ...[1, 3, 5, 7].map(i => entryAt(i)));
    log.truncateAfter(time(5));
    for (const i of [6, 8, 10, 12]) log.append(entryAt(i));
    expect([5, 6, 8, 10, 12].map(i => log.valueAt(time(i), 1_000)?.at?.ts.i)).toEqual([
      undefined,
      undefined,
      undefined,
      10,
      12,
    ]);
    expect(log.size).toBe(4);
  });

  test('keeps its order over many entries', () => {
    const log = logOf({ bytes: 10 * entryBytes });
    for (let i = 1; i <= 5_000; i++) log.append(entryAt(i));
    expect(places(log.after(undefined))).toEqual([4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999, 5000]);
    expect(log.valueAt(time(4995), 1_000)?.at?.ts.i).toBe(4995);
  });
});
