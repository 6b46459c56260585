// A file of its own in the published package, which is loaded for the first call of `MongoClient.bulkWrite`.
import type { Document, MongoError } from '@tessera/contracts';
import { clientBulkWrite } from '@tessera/operations';
import type {
  Call,
  ClientBulkWriteOptions,
  ClientBulkWriteOutcome,
  ClientWrite,
  Dispatcher,
  Target,
} from '@tessera/operations';
import type { ClientBulkWriteError } from './bulk-errors.js';
import type {
  ClientBulkWriteResult,
  ClientDeleteResult,
  ClientInsertOneResult,
  ClientUpdateResult,
} from './types/client-bulk.js';

/** The outcome of all writes. */
interface SentWrites {
  readonly result: ClientBulkWriteResult;
  /** The failed writes by index. */
  readonly writeErrors: ReadonlyMap<number, ClientBulkWriteError>;
  readonly writeConcernErrors: readonly ClientBulkWriteError[];
  /** The error that ended the run early, unless it was a write error. */
  readonly failure: MongoError | undefined;
  /** Whether at least one write was certainly applied. */
  readonly didWrite: boolean;
}

const resultOf = (
  outcome: ClientBulkWriteOutcome,
  writes: readonly ClientWrite[],
  verbose: boolean,
): ClientBulkWriteResult => {
  const insertResults = new Map<number, ClientInsertOneResult>();
  const updateResults = new Map<number, ClientUpdateResult>();
  const deleteResults = new Map<number, ClientDeleteResult>();
  for (const { ok, index, n, nModified, upserted } of verbose ? outcome.results : []) {
    const write = writes[index];
    if (!ok || write === undefined) continue;
    if (write.kind === 'insert')
      insertResults.set(index, { insertedId: (write.op['document'] as Document)['_id'] as unknown });
    else if (write.kind === 'delete') deleteResults.set(index, { deletedCount: n });
    else {
      const result = { matchedCount: n, modifiedCount: nModified, didUpsert: upserted !== undefined };
      updateResults.set(index, upserted === undefined ? result : { ...result, upsertedId: upserted._id });
    }
  }
  return {
    acknowledged: outcome.acknowledged,
    insertedCount: outcome.nInserted,
    upsertedCount: outcome.nUpserted,
    matchedCount: outcome.nMatched,
    modifiedCount: outcome.nModified,
    deletedCount: outcome.nDeleted,
    insertResults: verbose ? insertResults : undefined,
    updateResults: verbose ? updateResults : undefined,
    deleteResults: verbose ? deleteResults : undefined,
  };
};

const errorOf = (code: unknown, errmsg: string | undefined, errInfo: unknown): ClientBulkWriteError => ({
  code: Number(code ?? 0),
  message: errmsg ?? 'the server gave no message',
  ...(errInfo === undefined ? {} : { details: errInfo as Document }),
});

/** Returns the message of the error, with the number of failed writes. */
export const messageOf = (
  writes: number,
  { writeErrors, writeConcernErrors }: Pick<SentWrites, 'writeErrors' | 'writeConcernErrors'>,
): string => {
  const [first] = writeErrors;
  if (first !== undefined)
    return `${writeErrors.size} of ${writes} writes failed. The first error is at index ${first[0]}: ${first[1].message}`;
  return `The write concern was not satisfied: ${writeConcernErrors[0]?.message ?? ''}`;
};

/** Sends the writes in as few commands as possible. */
export const sendWrites = async (
  dispatcher: Dispatcher,
  target: Target,
  writes: readonly ClientWrite[],
  options: ClientBulkWriteOptions,
  call: Call,
  verbose: boolean,
): Promise<SentWrites> => {
  const outcome = await clientBulkWrite(dispatcher, target, writes, options, call);
  const { failure, didWrite } = outcome;
  const writeErrors = new Map(
    outcome.results
      .filter(({ ok }) => !ok)
      .map(({ index, code, errmsg, errInfo }) => [index, errorOf(code, errmsg, errInfo)]),
  );
  const writeConcernErrors = outcome.writeConcernErrors.map(({ code, errmsg, errInfo }) =>
    errorOf(code, errmsg as string | undefined, errInfo),
  );
  return { result: resultOf(outcome, writes, verbose), writeErrors, writeConcernErrors, failure, didWrite };
};
