import { isRetryableOverload } from '@tessera/contracts';
import type { ErrorKind, MongoError, Operation, Request } from '@tessera/contracts';
import { isRetryableRead, isRetryableWrite } from './classify.js';
import type { retryFlagDefaults, RetryFlags } from './options.js';

/** Whether an error permits a retry, regardless of the number of retries, and the reason as a sentence. */
export interface Retryability {
  readonly isRetryable: boolean;
  readonly because: string;
}

const retryable = (because: string): Retryability => ({ isRetryable: true, because });
const notRetryable = (because: string): Retryability => ({ isRetryable: false, because });

/**
 * Returns whether a request may be retried after this error.
 * Rule: Retryable Reads; Retryable Writes; Client Backpressure, "Overload retry policy".
 */
export const retryabilityOf = (
  request: Request<unknown>,
  error: MongoError,
  flags: typeof retryFlagDefaults,
): Retryability => {
  const { operation, session } = request;
  const { name, kind, answer } = operation;
  if (isClientError(error))
    return notRetryable('Not retried: the driver rejected the operation, or the caller ended it.');
  if (answer === 'none' && error.origin?.sent !== false)
    return notRetryable(`Not retried: ${name} is unacknowledged and may have been executed.`);

  const disabled = disablingFlag(operation, flags);
  if (isRetryableOverload(error)) {
    if (disabled !== undefined) return notRetryable(`Not retried: the server is overloaded, but ${disabled} is false.`);
    return retryable('The server is overloaded and has not started the command.');
  }

  if (operation.retryable === false || kind === 'either')
    return notRetryable(`Not retried: ${name} is not retryable, because it could be executed twice.`);
  if (session?.inTransaction === true && operation.retryable !== 'always')
    return notRetryable(`Not retried: ${name} is part of a transaction, which can only be retried as a whole.`);
  if (answer === 'none') return notRetryable(`Not retried: ${name} is unacknowledged.`);
  if (disabled !== undefined) return notRetryable(`Not retried: ${disabled} is false.`);

  const isRetryable = kind === 'read' ? isRetryableRead(error) : isRetryableWrite(error);
  return isRetryable
    ? retryable(`${describeRetryable(error)}, which may be temporary.`)
    : notRetryable(`Not retried: ${describeNotRetryable(error)}.`);
};

const isClientError = ({ kind }: MongoError): boolean => kind === 'usage' || kind === 'aborted' || kind === 'closed';

/** Returns the option that turns retries of this operation off. A command of the user may be a read or a write. */
const disablingFlag = (
  { kind, retryable }: Operation<unknown>,
  flags: typeof retryFlagDefaults,
): keyof RetryFlags | undefined => {
  if (retryable === 'always') return undefined;
  if (kind !== 'write' && !flags.retryReads) return 'retryReads';
  return kind !== 'read' && !flags.retryWrites ? 'retryWrites' : undefined;
};

/** Descriptions of retryable errors, by their kind. */
const temporary: Readonly<Partial<Record<ErrorKind, string>>> = {
  timeout: 'The server did not answer in time',
  pool: 'The pool was cleared by the failure of another operation',
};

const describeRetryable = (error: MongoError): string =>
  error.kind === 'server'
    ? `The server answered with ${codeOf(error)}`
    : (temporary[error.kind] ?? 'The connection failed');

/** Descriptions of errors that are not retryable, by their kind. */
const permanent: Readonly<Partial<Record<ErrorKind, string>>> = {
  selection: 'server selection had reached its time limit',
  pool: 'the wait had reached its time limit',
  timeout: 'the wait had reached its time limit',
  network: 'the server does not support retryable writes',
};

const describeNotRetryable = (error: MongoError): string =>
  error.kind === 'server'
    ? `${codeOf(error)} is not a retryable error`
    : (permanent[error.kind] ?? 'a retry would fail in the same way');

const codeOf = ({ code, codeName }: MongoError): string => {
  if (code === undefined) return 'an error without a code';
  return codeName === undefined ? `code ${code}` : `code ${code} (${codeName})`;
};
