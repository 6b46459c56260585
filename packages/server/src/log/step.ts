import { TimestampValue } from '@tessera/mql/engine';
import type { Entry } from './entry.js';
import type { Op } from './op.js';

/** What has a place of its own in the log: one thing that was done, or several at once, which mongod writes down as `applyOps`. */
export interface Step {
  readonly ts: TimestampValue;
  readonly ops: readonly Op[];
}

/** mongod inserts so many documents of a command at once, */
const mostInserts = 500;
/** and no more than so many bytes. */
const mostBytes = 262_144;

/** Inserts of one command into one collection, one after the other, which are done at once from 8.0 on. */
const batchEnd = (ops: readonly Op[], from: number): number => {
  const first = ops[from]!;
  let bytes = 0;
  let end = from;
  for (; end < ops.length && end - from < mostInserts && bytes < mostBytes; end++) {
    const op = ops[end]!;
    if (op.kind !== 'insert' || first.kind !== 'insert' || op.ns !== first.ns) break;
    bytes += op.doc.byteLength;
  }
  return Math.max(end, from + 1);
};

/** Where the step ends that begins there. */
const endOf = ({ ops, transaction, batches }: Pick<Entry, 'ops' | 'transaction' | 'batches'>, from: number): number => {
  if (transaction) return ops.length;
  return batches ? batchEnd(ops, from) : from + 1;
};

/** In how many steps it was done. */
export const stepCount = (done: Pick<Entry, 'ops' | 'transaction' | 'batches'>): number => {
  if (done.ops.length === 1) return 1;
  let count = 0;
  for (let from = 0; from < done.ops.length; from = endOf(done, from)) count += 1;
  return Math.max(1, count);
};

/** One has the time of the entry's beginning, each after it the next, and the last that of the entry. */
export const stepsOf = function* (entry: Entry): Generator<Step> {
  let { i } = entry.first;
  for (let from = 0; from < entry.ops.length; i++) {
    const to = endOf(entry, from);
    yield { ts: new TimestampValue(entry.first.t, i), ops: entry.ops.slice(from, to) };
    from = to;
  }
};
