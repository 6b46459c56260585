export { Admin } from './admin.js';
export type { ListDatabasesOptions, ListDatabasesResult } from './admin.js';
export { AggregationCursor } from './aggregation-cursor.js';
export type { AggregateOptions } from './aggregation-cursor.js';
export { assemble, defaultParts } from './assemble.js';
export type { Driver, Parts } from './assemble.js';
export type { BulkWriteOptions, BulkWriteResult } from './bulk-write.js';
export { Collection } from './collection.js';
export type { CollectionOptions } from './collection.js';
export type {
  CountOptions,
  DeleteOptions,
  DeleteResult,
  DistinctOptions,
  FindOneAndDeleteOptions,
  FindOneAndReplaceOptions,
  FindOneAndUpdateOptions,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  ModifyResult,
  ReplaceOptions,
  UpdateOptions,
  UpdateResult,
} from './collection-types.js';
export { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
export type { ReadConcernLevel, ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
export { AbstractCursor } from './cursor.js';
export type { AbstractCursorOptions } from './cursor.js';
export { Db } from './db.js';
export type { CreateCollectionOptions, DbOptions } from './db.js';
export { TypedEmitter } from './emitter.js';
export type { MongoClientEvents } from './emitter.js';
export {
  MongoAPIError,
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoCompatibilityError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoDriverError,
  MongoError,
  MongoExpiredSessionError,
  MongoTransactionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoParseError,
  MongoPoolClearedError,
  MongoPoolClosedError,
  MongoRuntimeError,
  MongoServerError,
  MongoServerSelectionError,
  MongoSystemError,
  MongoTailableCursorError,
  MongoUnexpectedServerResponseError,
  MongoWaitQueueTimeoutError,
  MongoWriteConcernError,
  WriteError,
} from './errors.js';
export type { ErrorInit } from './errors.js';
export { FindCursor } from './find-cursor.js';
export type { FindOptions } from './find-cursor.js';
export type { CommandOptions, InheritedOptions, OperationOptions } from './handle.js';
export { ListCollectionsCursor, ListIndexesCursor } from './list-cursors.js';
export type { CollectionInfo, IndexInfo, ListCollectionsOptions } from './list-cursors.js';
export { MongoClient } from './mongo-client.js';
export type { ClientRuntime } from './mongo-client.js';
export type { Settings } from '@tessera/uri';
export type { DriverInfo, MongoClientOptions } from './options.js';
export { ClientSession } from './session.js';
export type { ClientSessionOptions, SessionOwner } from './session.js';
export type { Transaction, TransactionOptions } from './transaction-options.js';
export type { Sort, SortDirection } from './sort.js';
export type * from './types/bulk.js';
export type * from './types/documents.js';
export type * from './types/filter.js';
export type * from './types/indexes.js';
export type * from './types/update.js';
