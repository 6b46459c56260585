// Constants under the names that programs written for the official driver use.

/** The versions of the Stable API. */
export const ServerApiVersion = { v1: '1' } as const;
/** A version of the Stable API. */
export type ServerApiVersion = (typeof ServerApiVersion)[keyof typeof ServerApiVersion];

/** The values of the option `returnDocument`. */
export const ReturnDocument = { BEFORE: 'before', AFTER: 'after' } as const;
/** A value of the option `returnDocument`. */
export type ReturnDocument = (typeof ReturnDocument)[keyof typeof ReturnDocument];

/** The names of the compressors of OP_COMPRESSED. */
export type CompressorName = 'none' | 'snappy' | 'zlib' | 'zstd';

/** The kinds of writes in a batch of a bulk operation. */
export const BatchType = { INSERT: 1, UPDATE: 2, DELETE: 3 } as const;
/** The kind of writes in a batch of a bulk operation. */
export type BatchType = (typeof BatchType)[keyof typeof BatchType];

/** The levels of read concerns. */
export const ReadConcernLevel = {
  local: 'local',
  majority: 'majority',
  linearizable: 'linearizable',
  available: 'available',
  snapshot: 'snapshot',
} as const;
/** A level of a read concern. */
export type ReadConcernLevel = keyof typeof ReadConcernLevel;

/** The modes of read preferences. */
export const ReadPreferenceMode = {
  primary: 'primary',
  primaryPreferred: 'primaryPreferred',
  secondary: 'secondary',
  secondaryPreferred: 'secondaryPreferred',
  nearest: 'nearest',
} as const;
/** A mode of a read preference. */
export type ReadPreferenceMode = keyof typeof ReadPreferenceMode;

/** Error labels that the specifications define, and the official driver's own labels, which this driver does not add. */
export const MongoErrorLabel = {
  RetryableWriteError: 'RetryableWriteError',
  TransientTransactionError: 'TransientTransactionError',
  UnknownTransactionCommitResult: 'UnknownTransactionCommitResult',
  ResumableChangeStreamError: 'ResumableChangeStreamError',
  NoWritesPerformed: 'NoWritesPerformed',
  RetryableError: 'RetryableError',
  SystemOverloadedError: 'SystemOverloadedError',
  HandshakeError: 'HandshakeError',
  ResetPool: 'ResetPool',
  InterruptInUseConnections: 'InterruptInUseConnections',
  PoolRequestedRetry: 'PoolRequestedRetry',
} as const;
/** An error label that the specifications define. */
export type MongoErrorLabel = keyof typeof MongoErrorLabel;

/** The operations that a database's profiler records. */
export const ProfilingLevel: Readonly<{ off: 'off'; slowOnly: 'slow_only'; all: 'all' }> = Object.freeze({
  off: 'off',
  slowOnly: 'slow_only',
  all: 'all',
});
/** A level of the profiler: no operations, slow ones, or all. */
export type ProfilingLevel = 'off' | 'slow_only' | 'all';
