import { MongoError, retryableWriteCodes, writeConcernErrorOf } from '@tessera/contracts';
import type { Request } from '@tessera/contracts';

/** Rule: Retryable Reads, "Retryable Error". ReadConcernMajorityNotAvailableYet is retried for reads only. */
const readCodes: ReadonlySet<number> = new Set([...retryableWriteCodes, 134]);

const retryableWriteLabel = 'RetryableWriteError';
/** The wire version of MongoDB 4.4, since which the server adds the label itself. */
const serverLabelsSince = 9;

/** The connection broke, could not be established, or did not answer in time, in the handshake or after it. */
const isNetworkFailure = (error: MongoError): boolean => {
  switch (error.origin?.phase) {
    case 'resolve':
    case 'proxy':
    case 'connect':
    case 'tls':
    case 'hello':
    case 'auth':
      return error.kind === 'network' || error.kind === 'timeout';
    case 'command':
      // A command that was not sent in time says nothing about the server.
      return error.kind === 'network' || (error.kind === 'timeout' && error.origin.sent);
    case 'select':
    case 'checkOut':
    case 'backoff':
    case undefined:
      return false;
  }
};

/**
 * The pool was cleared because of another failure, which is the cause; other refusals of the pool have none.
 * Rule: CMAP, "PoolClearedError".
 */
const isPoolCleared = (error: MongoError): boolean => error.kind === 'pool' && MongoError.is(error.cause);

export const isRetryableRead = (error: MongoError): boolean =>
  isNetworkFailure(error) || isPoolCleared(error) || (error.kind === 'server' && readCodes.has(Number(error.code)));

/** Whether the error has the label RetryableWriteError, or the driver has to add it. */
export const isRetryableWrite = (error: MongoError): boolean =>
  supportsRetryableWrites(error) && (error.labels.includes(retryableWriteLabel) || earnsWriteLabel(error));

/** Whether the driver, not the server, has to label it. Rule: Retryable Writes, "RetryableWriteError Labels". */
const earnsWriteLabel = (error: MongoError): boolean => {
  if (!supportsRetryableWrites(error)) return false;
  if (isNetworkFailure(error) || isPoolCleared(error)) return true;
  const wireVersion = error.origin?.maxWireVersion;
  if (error.kind !== 'server' || wireVersion === undefined || wireVersion >= serverLabelsSince) return false;
  return hasWriteCode(error);
};

/** Reads the code of the command, and that of its write concern error from a mongod; never those of write errors. */
const hasWriteCode = (error: MongoError): boolean => {
  const refused = Number(error.reply?.['ok'] ?? 0) !== 1;
  if (refused) return retryableWriteCodes.has(Number(error.code));
  if (error.origin?.serverType === 'Mongos') return false;
  return retryableWriteCodes.has(Number(writeConcernErrorOf(error.reply)?.['code']));
};

/** As far as is known: before there was a handshake, only what the deployment said of the server counts. */
const supportsRetryableWrites = (error: MongoError): boolean => {
  const { serverType, hasSessions } = error.origin ?? {};
  if (serverType === 'Standalone') return false;
  return hasSessions !== false || serverType === 'LoadBalancer';
};

/**
 * Labels what the driver has to label, for users and for the next policy. In a transaction only the commands that end it,
 * and those whatever retryWrites says. Rule: Retryable Writes, "Retryable Writes Within Transactions".
 */
export const labelFailure = (
  { operation, session }: Request<unknown>,
  error: MongoError,
  retryWrites: boolean,
): void => {
  const isNumbered = operation.retryable === 'always' || (retryWrites && session?.inTransaction !== true);
  if (isNumbered && earnsWriteLabel(error)) error.addLabel(retryableWriteLabel);
};
