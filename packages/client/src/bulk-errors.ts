import type { Document } from '@tessera/contracts';
import type { BulkWriteResult, WriteConcernError, WriteError } from './bulk-write-result.js';
import { MongoAPIError, MongoRuntimeError, MongoServerError } from './errors.js';
import type { ErrorInit, From } from './errors.js';
import type { ClientBulkWriteResult } from './types/client-bulk.js';

/** Some statements of many failed; `result` tells what became of the others. */
export class MongoBulkWriteError extends MongoServerError {
  readonly result: BulkWriteResult;
  readonly writeErrors: readonly WriteError[];
  /** The writes were done, but not as safely as was asked. */
  declare readonly err?: WriteConcernError;

  constructor(message: ErrorInit, result: BulkWriteResult, options: From = {}) {
    super(message, options);
    this.result = result;
    this.writeErrors = result.getWriteErrors();
    const unsafe = result.getWriteConcernError();
    if (unsafe !== undefined) Object.defineProperty(this, 'err', { value: unsafe, enumerable: true });
  }

  get insertedCount(): number {
    return this.result.insertedCount;
  }
  get matchedCount(): number {
    return this.result.matchedCount;
  }
  get modifiedCount(): number {
    return this.result.modifiedCount;
  }
  get deletedCount(): number {
    return this.result.deletedCount;
  }
  get upsertedCount(): number {
    return this.result.upsertedCount;
  }
  get insertedIds(): Record<number, unknown> {
    return this.result.insertedIds;
  }
  get upsertedIds(): Record<number, unknown> {
    return this.result.upsertedIds;
  }

  override get name(): string {
    return 'MongoBulkWriteError';
  }
}

/** One write of `MongoClient.bulkWrite`, or its write concern, that failed. */
export interface ClientBulkWriteError {
  readonly code: number;
  readonly message: string;
  /** What the server says of it beside. */
  readonly details?: Document;
}

/** What went wrong in a client's bulk write; an error that ended it is the `cause`. */
interface ClientBulkWriteFailure {
  readonly writeErrors: ReadonlyMap<number, ClientBulkWriteError>;
  readonly writeConcernErrors: readonly ClientBulkWriteError[];
  readonly partialResult: ClientBulkWriteResult | undefined;
}

/** Rule: Bulk Write, "Exception". */
export class MongoClientBulkWriteError extends MongoServerError {
  /** By the places of the writes among all that were given; at most one if they were ordered. */
  readonly writeErrors: ReadonlyMap<number, ClientBulkWriteError>;
  /** One for each command that was not done as safely as was asked. */
  readonly writeConcernErrors: readonly ClientBulkWriteError[];
  /** What was done; undefined unless something was for certain. */
  readonly partialResult: ClientBulkWriteResult | undefined;

  constructor(message: ErrorInit, failure: ClientBulkWriteFailure, options: From = {}) {
    super(message, options);
    this.writeErrors = failure.writeErrors;
    this.writeConcernErrors = failure.writeConcernErrors;
    this.partialResult = failure.partialResult;
  }

  override get name(): string {
    return 'MongoClientBulkWriteError';
  }
}

/** A client's bulk write has nothing to do. */
export class MongoClientBulkWriteExecutionError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoClientBulkWriteExecutionError';
  }
}

/** A bulk operation is executed once. */
export class MongoBatchReExecutionError extends MongoAPIError {
  override get name(): string {
    return 'MongoBatchReExecutionError';
  }
}
