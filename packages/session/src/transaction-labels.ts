import { retryableWriteCodes, unsatisfiedConcernOf } from '@tessera/contracts';
import type { MongoError, OperationRole } from '@tessera/contracts';

export const transient = 'TransientTransactionError';
export const unknownResult = 'UnknownTransactionCommitResult';

/** Which label the driver itself adds to an error within a transaction. Rule: Transactions, "Error Labels". */
export const labelOf = (error: MongoError, role: OperationRole | undefined): string | undefined => {
  if (role === 'commitsTransaction') return leavesUnknown(error) ? unknownResult : undefined;
  return isUnanswered(error) ? transient : undefined;
};

/** No server was found, the connection failed, or the answer did not come in time; a cleared pool counts as well. */
const isUnanswered = ({ kind, cause }: MongoError): boolean => {
  switch (kind) {
    case 'network':
    case 'timeout':
    case 'selection':
      return true;
    case 'pool':
      // Without a cause it is closed, or was too busy.
      return cause !== undefined;
    case 'server':
    case 'protocol':
    case 'auth':
    case 'usage':
    case 'closed':
    case 'aborted':
      return false;
  }
};

const maxTimeExpired = 50;
/** UnsatisfiableWriteConcern and UnknownReplWriteConcern: no repetition satisfies them. */
const unsatisfiableCodes: ReadonlySet<number> = new Set([100, 79]);

/**
 * Also a pool that was too busy: as where no server is found, an attempt before may have been carried out, and another may tell.
 * Rule: Transactions, "UnknownTransactionCommitResult".
 */
const leavesUnknown = (error: MongoError): boolean => {
  if (isUnanswered(error) || error.kind === 'pool') return true;
  if (error.kind !== 'server') return false;
  const concern = unsatisfiedConcernOf(error.reply);
  if (concern !== undefined) return !unsatisfiableCodes.has(Number(concern['code']));
  return error.code === maxTimeExpired || error.labels.includes('RetryableWriteError') || isRetryableByCode(error);
};

/** Servers before 4.4 leave the labelling to drivers. Rule: Retryable Writes, "RetryableWriteError Labels". */
const isRetryableByCode = ({ code, origin }: MongoError): boolean => {
  const wireVersion = origin?.maxWireVersion;
  return code !== undefined && wireVersion !== undefined && wireVersion < 9 && retryableWriteCodes.has(code);
};
