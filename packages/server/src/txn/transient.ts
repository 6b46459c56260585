/**
 * The codes after which a retry of the transaction may succeed: LockTimeout, WriteConflict, SnapshotTooOld,
 * SnapshotUnavailable, PreparedTransactionInProgress, StaleChunkHistory, MigrationConflict.
 */
const transient: ReadonlySet<number> = new Set([24, 112, 239, 246, 267, 282, 283]);

/** Whether a statement that failed with this code may succeed in another transaction. */
export const isTransient = (code: number): boolean => transient.has(code);
