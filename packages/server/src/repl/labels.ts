import type { Version } from '@tessera/mql/engine';
import { isAtLeast } from '@tessera/mql/engine';
import type { Call, Command, ServerState } from '../commands/command.js';
import { endsTransaction } from '../txn/allowed.js';
import { isTransient } from '../txn/transient.js';
import { isRetryable, retryableWriteError } from './state-change.js';

export const transientTransactionError = 'TransientTransactionError';

export const noSuchTransaction = 251;

/** What a command is to whoever may try it again: a retryable write, a statement of a transaction, or its commit or abort. */
export type Attempted = 'write' | 'statement' | 'end';

/** Undefined: its errors have no labels. */
export const attemptedOf = (
  { txnNumber, transaction }: Pick<Call['generic'], 'txnNumber' | 'transaction'>,
  command: Command,
): Attempted | undefined => {
  if (transaction === undefined) return txnNumber === undefined ? undefined : 'write';
  return endsTransaction(command) ? 'end' : 'statement';
};

/** What went wrong: the command itself, its write concern, or both. */
export interface Trouble {
  readonly code: number | undefined;
  readonly concernCode: number | undefined;
}

const isBegunAnew = (attempted: Attempted, { code, concernCode }: Trouble): boolean => {
  if (attempted === 'write' || code === undefined) return false;
  if (isTransient(code)) return true;
  // What is not known may have been committed, if it is not certain that it cannot be taken back.
  if (attempted === 'end') return code === noSuchTransaction && concernCode === undefined;
  return code === noSuchTransaction || isRetryable(code);
};

const isTriedAgain = (attempted: Attempted, { code, concernCode }: Trouble): boolean =>
  attempted !== 'statement' && [code, concernCode].some(one => one !== undefined && isRetryable(one));

/**
 * The labels that a member of a set gives by itself. Rule: Retryable Writes, "RetryableWriteError Labels", which servers before 4.4
 * leave to the driver; Transactions, "TransientTransactionError".
 */
export const labelsFor = (attempted: Attempted | undefined, trouble: Trouble, version: Version): readonly string[] => {
  if (attempted === undefined) return [];
  return [
    ...(isBegunAnew(attempted, trouble) ? [transientTransactionError] : []),
    ...(isTriedAgain(attempted, trouble) && isAtLeast(version, '4.4') ? [retryableWriteError] : []),
  ];
};

/** A mongos has tried writes again itself, and standalones know neither. */
export const labelsBy = (
  { role, engine }: ServerState,
  attempted: Attempted | undefined,
  trouble: Trouble,
): readonly string[] => {
  if (role.kind === 'standalone') return [];
  const labels = labelsFor(attempted, trouble, engine.version);
  return role.kind === 'member' ? labels : labels.filter(label => label !== retryableWriteError);
};
