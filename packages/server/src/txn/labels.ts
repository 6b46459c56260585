import { isRetryable } from '../repl/state-change.js';

export const transientTransactionError = 'TransientTransactionError';

/**
 * LockTimeout, WriteConflict, SnapshotTooOld, SnapshotUnavailable, PreparedTransactionInProgress, StaleChunkHistory,
 * MigrationConflict: the same transaction may
 * succeed if it begins anew.
 */
const transient: ReadonlySet<number> = new Set([24, 112, 239, 246, 267, 282, 283]);

const noSuchTransaction = 251;

/** Whether a statement that fails so may succeed in another transaction. */
export const isTransient = (code: number): boolean => transient.has(code);

/**
 * Whether a command of a transaction that fails so has the label. A commit or abort has it only where nothing can have been
 * committed. Rule: Transactions, "TransientTransactionError".
 */
export const isTransientFor = (code: number, ends: boolean): boolean => {
  if (isTransient(code) || code === noSuchTransaction) return true;
  return !ends && isRetryable(code);
};
