import { failedWhileConnecting, MongoError, retryableWriteCodes, writeConcernErrorOf } from '@tessera/contracts';
import type { Request } from '@tessera/contracts';

/**
 * Error codes after which a read may be retried. ReadConcernMajorityNotAvailableYet (134) applies only to reads.
 * Rule: Retryable Reads, "Retryable Error".
 */
const readCodes: ReadonlySet<number> = new Set([...retryableWriteCodes, 134]);

const retryableWriteLabel = 'RetryableWriteError';
/** The wire version of MongoDB 4.4, the first server version that adds the label itself. */
const serverLabelsSince = 9;

/** Returns whether the connection failed or timed out, while it was opened, in its handshake or later. */
const isNetworkFailure = (error: MongoError): boolean => {
  const { kind, origin } = error;
  if (failedWhileConnecting(error)) return kind === 'network' || kind === 'timeout';
  // A timeout before sending does not indicate a problem with the server.
  return origin?.phase === 'command' && (kind === 'network' || (kind === 'timeout' && origin.sent));
};

/**
 * Returns whether the checkout failed because the pool was cleared. Then the error has a cause, unlike other errors of the pool.
 * Rule: Connection Monitoring and Pooling, "PoolClearedError".
 */
const isPoolCleared = (error: MongoError): boolean => error.kind === 'pool' && MongoError.is(error.cause);

/** Returns whether a read may be retried after this error. Rule: Retryable Reads, "Retryable Error". */
export const isRetryableRead = (error: MongoError): boolean =>
  isNetworkFailure(error) || isPoolCleared(error) || (error.kind === 'server' && readCodes.has(Number(error.code)));

/** Returns whether a write may be retried: the error has the label RetryableWriteError, or the driver must add it. */
export const isRetryableWrite = (error: MongoError): boolean =>
  supportsRetryableWrites(error) && (error.labels.includes(retryableWriteLabel) || earnsWriteLabel(error));

/** Returns whether the driver must add the label RetryableWriteError, because the server does not. Rule: Retryable Writes, "RetryableWriteError Labels". */
const earnsWriteLabel = (error: MongoError): boolean => {
  if (!supportsRetryableWrites(error)) return false;
  if (isNetworkFailure(error) || isPoolCleared(error)) return true;
  const wireVersion = error.origin?.maxWireVersion;
  if (error.kind !== 'server' || wireVersion === undefined || wireVersion >= serverLabelsSince) return false;
  return hasWriteCode(error);
};

/** Returns whether the command failed with a retryable code. Includes write concern errors of a mongod; excludes write errors. */
const hasWriteCode = (error: MongoError): boolean => {
  const refused = Number(error.reply?.['ok'] ?? 0) !== 1;
  if (refused) return retryableWriteCodes.has(Number(error.code));
  if (error.origin?.serverType === 'Mongos') return false;
  return retryableWriteCodes.has(Number(writeConcernErrorOf(error.reply)?.['code']));
};

/** Returns whether the server supports retryable writes. Before the handshake, only the type of the selected server is known. */
const supportsRetryableWrites = (error: MongoError): boolean => {
  const { serverType, hasSessions } = error.origin ?? {};
  if (serverType === 'Standalone') return false;
  return hasSessions !== false || serverType === 'LoadBalancer';
};

/**
 * Adds the label RetryableWriteError to an error if the driver must do so. In a transaction, only errors of commitTransaction and
 * abortTransaction get it, and they get it regardless of retryWrites. Rule: Retryable Writes, "Retryable Writes Within Transactions".
 */
export const labelFailure = (
  { operation, session }: Request<unknown>,
  error: MongoError,
  retryWrites: boolean,
): void => {
  const isNumbered = operation.retryable === 'always' || (retryWrites && session?.inTransaction !== true);
  if (isNumbered && earnsWriteLabel(error)) error.addLabel(retryableWriteLabel);
};
