import type { Version } from '@tessera/mql/engine';
import { isAtLeast } from '@tessera/mql/engine';
import type { Call, Command, ServerState } from '../commands/command.js';
import { endsTransaction } from '../txn/allowed.js';
import { isTransient } from '../txn/transient.js';
import { isRetryable, retryableWriteError } from './state-change.js';

export const transientTransactionError = 'TransientTransactionError';

export const noSuchTransaction = 251;

/**
 * The part of an operation that a command is: a retryable write, a statement of a transaction, or the end of one.
 */
export type Attempted = 'write' | 'statement' | 'end';

/** Returns the kind of a command, or undefined if its errors have no labels. */
export const attemptedOf = (
  { txnNumber, transaction }: Pick<Call['generic'], 'txnNumber' | 'transaction'>,
  command: Command,
): Attempted | undefined => {
  if (transaction === undefined) return txnNumber === undefined ? undefined : 'write';
  return endsTransaction(command) ? 'end' : 'statement';
};

/** The error codes of the command, of its write concern, or of both. */
export interface Trouble {
  readonly code: number | undefined;
  readonly concernCode: number | undefined;
}

const isTransientFor = (attempted: Attempted, { code, concernCode }: Trouble): boolean => {
  if (attempted === 'write' || code === undefined) return false;
  if (isTransient(code)) return true;
  // An unknown transaction may have been committed, unless this reply cannot be rolled back.
  if (attempted === 'end') return code === noSuchTransaction && concernCode === undefined;
  return code === noSuchTransaction || isRetryable(code);
};

const isRetryableFor = (attempted: Attempted, { code, concernCode }: Trouble): boolean =>
  attempted !== 'statement' && [code, concernCode].some(one => one !== undefined && isRetryable(one));

/**
 * Returns the labels that a replica set member adds. Rule: Retryable Writes, "RetryableWriteError Labels", which
 * drivers add for servers before 4.4; Transactions, "TransientTransactionError".
 */
export const labelsFor = (attempted: Attempted | undefined, trouble: Trouble, version: Version): readonly string[] => {
  if (attempted === undefined) return [];
  return [
    ...(isTransientFor(attempted, trouble) ? [transientTransactionError] : []),
    ...(isRetryableFor(attempted, trouble) && isAtLeast(version, '4.4') ? [retryableWriteError] : []),
  ];
};

/**
 * Returns the labels that a server adds. A standalone adds none. A mongos retries writes itself, so it adds only labels
 * of transactions.
 */
export const labelsBy = (
  { role, engine }: ServerState,
  attempted: Attempted | undefined,
  trouble: Trouble,
): readonly string[] => {
  if (role.kind === 'standalone') return [];
  const labels = labelsFor(attempted, trouble, engine.version);
  return role.kind === 'member' ? labels : labels.filter(label => label !== retryableWriteError);
};
