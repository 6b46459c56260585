import type { Document, Raw } from '@tessera/contracts';
import { MongoError, unsatisfiedConcernOf } from '@tessera/contracts';
import { resplitErrorOf } from './resplit-error.js';
import { createRequest } from './request.js';
import type { Call, Dispatcher } from './request.js';
import type { MakeWrite, StatementError, WriteOptions, WriteReply } from './write.js';

/** What became of many statements, counted over all commands that it took. */
export interface WriteOutcome {
  readonly acknowledged: boolean;
  /** Statements that were sent and not refused, whatever they matched. */
  readonly n: number;
  readonly nModified: number;
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
  /** Indexes count from the first statement of all. */
  readonly errors: readonly StatementError[];
  /** The error that ended the writes early. */
  readonly failure: MongoError | undefined;
  /** Of commands whose writes were done, but not as safely as was asked. */
  readonly unsafe: readonly MongoError[];
}

const nothing: readonly never[] = [];

/** Adds the results of one command, whose indexes count from its own first statement. A reply may hold 100,000 of them. */
const addWithOffset = <T extends { readonly index: number }>(to: T[], all: readonly T[], by: number): void => {
  for (const one of all) to.push(by === 0 ? one : { ...one, index: one.index + by });
};

/** What is no number counts nothing. */
const countOf = (value: unknown): number => {
  const count = Number(value ?? 0);
  return Number.isNaN(count) ? 0 : count;
};

/** The counts that a write concern error bears: the writes were done. Of a command that was refused nothing was. */
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
 * Sends the statements in as few commands as the server's limits allow, one after another. An ordered run ends at the
 * first error; an unordered one goes on past errors of statements and of write concerns. What was done before an error is
 * counted: the outcome tells both. Rule: Server Write Commands; CRUD, "Bulk write operations".
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
