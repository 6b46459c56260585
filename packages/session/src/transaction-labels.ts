import { retryableWriteCodes, unsatisfiedConcernOf } from '@tessera/contracts';
import type { MongoError, OperationRole } from '@tessera/contracts';

export const transient = 'TransientTransactionError';
export const unknownResult = 'UnknownTransactionCommitResult';

/** Returns the label that the driver must add to an error in a transaction, or undefined. Rule: Transactions, "Error Labels". */
export const labelOf = (error: MongoError, role: OperationRole | undefined): string | undefined => {
  if (role === 'commitsTransaction') return leavesUnknown(error) ? unknownResult : undefined;
  return isUnanswered(error) ? transient : undefined;
};

/** Returns whether no server replied: the selection, connection or time limit failed, or the pool was cleared. */
const isUnanswered = ({ kind, cause }: MongoError): boolean => {
  switch (kind) {
    case 'network':
    case 'timeout':
    case 'selection':
      return true;
    case 'pool':
      // Without a cause, the pool is closed or the checkout timed out.
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
/** UnsatisfiableWriteConcern and UnknownReplWriteConcern, which a retry cannot satisfy. */
const unsatisfiableCodes: ReadonlySet<number> = new Set([100, 79]);

/**
 * Returns whether the result of a commit is unknown. Includes a checkout timeout, like a failed server selection: an earlier attempt
 * may have succeeded. Rule: Transactions, "UnknownTransactionCommitResult".
 */
const leavesUnknown = (error: MongoError): boolean => {
  if (isUnanswered(error) || error.kind === 'pool') return true;
  if (error.kind !== 'server') return false;
  const concern = unsatisfiedConcernOf(error.reply);
  if (concern !== undefined) return !unsatisfiableCodes.has(Number(concern['code']));
  return error.code === maxTimeExpired || error.labels.includes('RetryableWriteError') || isRetryableByCode(error);
};

/** Returns whether a server before MongoDB 4.4 returned a retryable code; such servers add no labels. Rule: Retryable Writes, "RetryableWriteError Labels". */
const isRetryableByCode = ({ code, origin }: MongoError): boolean => {
  const wireVersion = origin?.maxWireVersion;
  return wireVersion !== undefined && wireVersion < 9 && retryableWriteCodes.has(Number(code));
};
