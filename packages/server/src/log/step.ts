import { TimestampValue } from '@tessera/mql/engine';
import type { Entry } from './entry.js';
import type { Op } from './op.js';

/** The operations that share a time in the log. mongod writes several operations of one time as `applyOps`. */
export interface Step {
  readonly ts: TimestampValue;
  readonly ops: readonly Op[];
}

/** The maximum number of documents that mongod inserts at once. */
const mostInserts = 500;
/** The maximum number of bytes that mongod inserts at once. */
const mostBytes = 262_144;

/** Returns the end of a batch of consecutive inserts into one collection, which happen at once from 8.0 on. */
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

/** Returns the end of the step that starts at an operation. */
const endOf = ({ ops, transaction, batches }: Pick<Entry, 'ops' | 'transaction' | 'batches'>, from: number): number => {
  if (transaction) return ops.length;
  return batches ? batchEnd(ops, from) : from + 1;
};

/** Returns the number of steps of a commit. */
export const stepCount = (done: Pick<Entry, 'ops' | 'transaction' | 'batches'>): number => {
  if (done.ops.length === 1) return 1;
  let count = 0;
  for (let from = 0; from < done.ops.length; from = endOf(done, from)) count += 1;
  return Math.max(1, count);
};

/**
 * Returns the steps of an entry with consecutive times. The first has the entry's first time, and the last has the time
 * of the entry.
 */
export const stepsOf = function* (entry: Entry): Generator<Step> {
  let { i } = entry.first;
  for (let from = 0; from < entry.ops.length; i++) {
    const to = endOf(entry, from);
    yield { ts: new TimestampValue(entry.first.t, i), ops: entry.ops.slice(from, to) };
    from = to;
  }
};
