/** Codes that report a state change of the member. The error contains the new topologyVersion, as in mongod. */
const stateChanges: ReadonlySet<number> = new Set([189, 10107, 11602, 13435, 13436]);

/** Codes of a shutdown. mongod adds the topologyVersion to them in quiesce mode only. */
const shutdowns: readonly number[] = [91, 11600];

export const isStateChange = (code: number, quiesces: boolean): boolean =>
  stateChanges.has(code) || (quiesces && shutdowns.includes(code));

/** Rule: Retryable Writes, "RetryableWriteError Labels". */
const retryableCodes: ReadonlySet<number> = new Set([6, 7, 89, 262, 9001, ...stateChanges, ...shutdowns]);

export const retryableWriteError = 'RetryableWriteError';

export const isRetryable = (code: number): boolean => retryableCodes.has(code);
