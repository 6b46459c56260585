/** Constants under the names that programs written for the official driver use. */

export const ServerApiVersion = { v1: '1' } as const;
export type ServerApiVersion = (typeof ServerApiVersion)[keyof typeof ServerApiVersion];

export const ReturnDocument = { BEFORE: 'before', AFTER: 'after' } as const;
export type ReturnDocument = (typeof ReturnDocument)[keyof typeof ReturnDocument];

export const BatchType = { INSERT: 1, UPDATE: 2, DELETE: 3 } as const;
export type BatchType = (typeof BatchType)[keyof typeof BatchType];

export const ReadConcernLevel = {
  local: 'local',
  majority: 'majority',
  linearizable: 'linearizable',
  available: 'available',
  snapshot: 'snapshot',
} as const;
export type ReadConcernLevel = keyof typeof ReadConcernLevel;

export const ReadPreferenceMode = {
  primary: 'primary',
  primaryPreferred: 'primaryPreferred',
  secondary: 'secondary',
  secondaryPreferred: 'secondaryPreferred',
  nearest: 'nearest',
} as const;
export type ReadPreferenceMode = keyof typeof ReadPreferenceMode;

/** Error labels that the specifications define. */
export const MongoErrorLabel = {
  RetryableWriteError: 'RetryableWriteError',
  TransientTransactionError: 'TransientTransactionError',
  UnknownTransactionCommitResult: 'UnknownTransactionCommitResult',
  ResumableChangeStreamError: 'ResumableChangeStreamError',
  NoWritesPerformed: 'NoWritesPerformed',
  RetryableError: 'RetryableError',
  SystemOverloadedError: 'SystemOverloadedError',
} as const;
export type MongoErrorLabel = keyof typeof MongoErrorLabel;

/** The operations that a database's profiler records. */
export const ProfilingLevel: Readonly<{ off: 'off'; slowOnly: 'slow_only'; all: 'all' }> = Object.freeze({
  off: 'off',
  slowOnly: 'slow_only',
  all: 'all',
});
export type ProfilingLevel = 'off' | 'slow_only' | 'all';
