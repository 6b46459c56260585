import type { Document, Raw } from '@tessera/contracts';
import { MongoError, unsatisfiedConcernOf } from '@tessera/contracts';
import { resplitErrorOf } from './resplit-error.js';
import { createRequest } from './request.js';
import type { Call, Dispatcher } from './request.js';
import type { MakeWrite, StatementError, WriteOptions, WriteReply } from './write.js';

/** The result of many statements, over all commands. */
export interface WriteOutcome {
  /** False: the write concern was `w: 0`, and the counts are unknown. */
  readonly acknowledged: boolean;
  /** The number of matched, inserted or deleted documents. */
  readonly n: number;
  /** The number of documents that updates changed. */
  readonly nModified: number;
  /** The `_id` of each document that an upsert inserted, with the index of its statement. */
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
  /** Write errors. Their indexes count over all statements. */
  readonly errors: readonly StatementError[];
  /** The error that ended the writes early. */
  readonly failure: MongoError | undefined;
  /** Write concern errors, whose writes were applied. */
  readonly unsafe: readonly MongoError[];
}

const nothing: readonly never[] = [];

/** Appends results of one command, with an offset added to their indexes. A loop, because a reply may contain 100,000 results. */
const addWithOffset = <T extends { readonly index: number }>(to: T[], all: readonly T[], by: number): void => {
  for (const one of all) to.push(by === 0 ? one : { ...one, index: one.index + by });
};

/** Returns a count as a number; 0 for other values. */
const countOf = (value: unknown): number => {
  const count = Number(value ?? 0);
  return Number.isNaN(count) ? 0 : count;
};

/** Returns the counts in the reply of a write concern error, whose writes were applied. Undefined for other errors. */
const replyOf = (error: MongoError): WriteReply | undefined => {
  const reply = error.reply;
  const taken = error.origin?.statements;
  if (reply === undefined || taken === undefined || unsatisfiedConcernOf(reply) === undefined) return undefined;
  return {
    acknowledged: true,
    n: countOf(reply['n']),
    nModified: countOf(reply['nModified']),
    upserted: (reply['upserted'] ?? nothing) as WriteReply['upserted'],
    errors: (reply['writeErrors'] ?? nothing) as WriteReply['errors'],
    taken,
  };
};

/**
 * Sends the statements in as few commands as the server's limits allow, one after another. An ordered run ends at the first error.
 * An unordered run continues after write errors and write concern errors. The outcome includes the writes before an error. Rule: Server Write Commands; CRUD, "Bulk write operations".
 */
export const writeMany = async (
  { dispatch, newOperationId }: Dispatcher,
  write: MakeWrite,
  statements: readonly (Document | Raw)[],
  options: WriteOptions,
  call: Call,
): Promise<WriteOutcome> => {
  const id = newOperationId();
  const ordered = options.ordered !== false;
  let n = 0;
  let nModified = 0;
  const upserted: { readonly index: number; readonly _id: unknown }[] = [];
  const errors: StatementError[] = [];
  const unsafe: MongoError[] = [];
  let failure: MongoError | undefined;
  let acknowledged = true;
  let until: number | undefined;
  for (let from = 0; from < statements.length;) {
    const operation = write(statements, from, options, until);
    let reply: WriteReply | undefined;
    try {
      reply = await dispatch(createRequest(operation, id, call));
    } catch (error) {
      until = resplitErrorOf(error)?.end;
      if (until !== undefined) continue;
      if (!MongoError.is(error)) throw error;
      reply = replyOf(error);
      if (reply === undefined) {
        failure = error;
        break;
      }
      unsafe.push(error);
    }
    if (!reply.acknowledged) acknowledged = false;
    n += reply.n;
    nModified += reply.nModified;
    addWithOffset(upserted, reply.upserted, from);
    addWithOffset(errors, reply.errors, from);
    if (ordered && errors.length + unsafe.length > 0) break;
    from += reply.taken;
    until = undefined;
  }
  return { acknowledged, n, nModified, upserted, errors, failure, unsafe };
};
