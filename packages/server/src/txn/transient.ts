/**
 * LockTimeout, WriteConflict, SnapshotTooOld, SnapshotUnavailable, PreparedTransactionInProgress, StaleChunkHistory,
 * MigrationConflict: the same transaction may succeed if it begins anew.
 */
const transient: ReadonlySet<number> = new Set([24, 112, 239, 246, 267, 282, 283]);

/** Whether a statement that fails so may succeed in another transaction. */
export const isTransient = (code: number): boolean => transient.has(code);
