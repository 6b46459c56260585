import type { Document } from '@tessera/contracts';
import type { BulkWriteResult, WriteConcernError, WriteError } from './bulk-write-result.js';
import { MongoAPIError, MongoRuntimeError, MongoServerError } from './errors.js';
import type { ErrorInit, From } from './errors.js';
import type { ClientBulkWriteResult } from './types/client-bulk.js';

/**
 * Some writes of a bulk write failed, the write concern was not satisfied, or an error such as a lost connection ended
 * the bulk write. `result` has the outcome of the writes that the server confirmed.
 */
export class MongoBulkWriteError extends MongoServerError {
  /** The result of the writes that succeeded. */
  readonly result: BulkWriteResult;
  /** The errors of the writes that failed: at most one if ordered, and none if only another error ended the bulk write. */
  readonly writeErrors: readonly WriteError[];
  /** The server applied the writes, but did not satisfy their write concern. */
  declare readonly err?: WriteConcernError;

  /**
   * Creates an error. Applications create errors only in tests, with results that may have only some members.
   * @param message an error, or its fields, with `writeErrors` if the result has none
   */
  constructor(message: ErrorInit | Error, result: BulkWriteResult, options: From = {}) {
    super(message as ErrorInit, options);
    this.result = result;
    const { getWriteErrors, getWriteConcernError } = result as Partial<BulkWriteResult>;
    const failed = getWriteErrors?.call(result) ?? [];
    const given = (message as { readonly writeErrors?: readonly WriteError[] }).writeErrors ?? [];
    this.writeErrors = failed.length > 0 ? failed : given;
    const unsafe = getWriteConcernError?.call(result);
    if (unsafe !== undefined) Object.defineProperty(this, 'err', { value: unsafe, enumerable: true });
  }

  /** The number of inserted documents. */
  get insertedCount(): number {
    return this.result.insertedCount;
  }
  /** The number of documents that updates matched. */
  get matchedCount(): number {
    return this.result.matchedCount;
  }
  /** The number of documents that updates changed. */
  get modifiedCount(): number {
    return this.result.modifiedCount;
  }
  /** The number of deleted documents. */
  get deletedCount(): number {
    return this.result.deletedCount;
  }
  /** The number of documents that upserts inserted. */
  get upsertedCount(): number {
    return this.result.upsertedCount;
  }
  /** The `_id` of each inserted document by its index in the given list. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: ids without a schema
  get insertedIds(): Record<number, any> {
    return this.result.insertedIds;
  }
  /** The `_id` of each upserted document by its index in the given list. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: ids without a schema
  get upsertedIds(): Record<number, any> {
    return this.result.upsertedIds;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoBulkWriteError';
  }
}

/** A failed write of `MongoClient.bulkWrite`, or a failed write concern. */
export interface ClientBulkWriteError {
  /** The server's code. */
  code: number;
  /** The server's message. */
  message: string;
  /** Additional information of the server. */
  details?: Document;
}

/** The failures of `MongoClient.bulkWrite`. An error that ended it is the `cause`. */
interface ClientBulkWriteFailure {
  readonly writeErrors: ReadonlyMap<number, ClientBulkWriteError>;
  readonly writeConcernErrors: readonly ClientBulkWriteError[];
  readonly partialResult: ClientBulkWriteResult | undefined;
}

/**
 * Some writes of `MongoClient.bulkWrite` failed, a write concern was not satisfied, or another error ended the bulk write after
 * some writes. That error is the `cause`, and both lists of errors may be empty. Rule: Bulk Write, "Exception".
 */
export class MongoClientBulkWriteError extends MongoServerError {
  /** The errors by the index of the write in the given list. An ordered bulk write has at most one. */
  readonly writeErrors: ReadonlyMap<number, ClientBulkWriteError>;
  /** One error for each command whose write concern was not satisfied. */
  readonly writeConcernErrors: readonly ClientBulkWriteError[];
  /** The result of the successful writes; undefined if none is known to have succeeded. */
  readonly partialResult: ClientBulkWriteResult | undefined;

  /** Creates an error. Applications create errors only in tests. */
  constructor(message: ErrorInit, failure?: ClientBulkWriteFailure, options: From = {}) {
    super(message, options);
    this.writeErrors = failure?.writeErrors ?? new Map();
    this.writeConcernErrors = failure?.writeConcernErrors ?? [];
    this.partialResult = failure?.partialResult;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoClientBulkWriteError';
  }
}

/** `MongoClient.bulkWrite` was called without writes. */
export class MongoClientBulkWriteExecutionError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoClientBulkWriteExecutionError';
  }
}

/** A bulk operation was executed a second time. */
export class MongoBatchReExecutionError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoBatchReExecutionError';
  }
}
