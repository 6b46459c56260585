export { Admin } from './admin.js';
export type { ListDatabasesOptions, ListDatabasesResult, ValidateCollectionOptions } from './admin.js';
export { AggregationCursor } from './aggregation-cursor.js';
export type { AggregateOptions } from './aggregation-cursor.js';
export { assemble, defaultParts } from './assemble.js';
export type { Driver, InnerParts, Parts } from './assemble.js';
export {
  MongoBatchReExecutionError,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoClientBulkWriteExecutionError,
} from './bulk-errors.js';
export type { ClientBulkWriteError } from './bulk-errors.js';
export {
  Batch,
  BulkOperationBase,
  FindOperators,
  OrderedBulkOperation,
  UnorderedBulkOperation,
} from './bulk-operation.js';
export type { BulkWriteOptions } from './bulk-write.js';
export { BulkWriteResult, WriteConcernError, WriteError } from './bulk-write-result.js';
export type { BulkResult, BulkWriteOperationError, WriteConcernErrorData } from './bulk-write-result.js';
export { ChangeStream } from './change-stream.js';
export type { ChangeStreamEvents, ChangeStreamOptions } from './change-stream.js';
export type * from './change-stream-documents.js';
export type { ClientBulkWriteOptions } from './client-bulk-write.js';
export { Collection } from './collection.js';
export type { IndexedCollection } from './indexed-collection.js';
export type { CollectionOptions } from './collection.js';
export type { StrictCollection, StrictFindCursor } from './strict-collection.js';
export type * from './types/strict.js';
export type { FieldPath, FieldValues, UpdateValues } from './types/strict-paths.js';
export type { DropIndexesOptions, IndexGiven } from './collection-indexes.js';
export type {
  CountDocumentsOptions,
  CountOptions,
  DeleteOptions,
  DeleteResult,
  DistinctOptions,
  EstimatedDocumentCountOptions,
  FindOneAndDeleteOptions,
  FindOneAndReplaceOptions,
  FindOneAndUpdateOptions,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  ModifyResult,
  RenameOptions,
  ReplaceOptions,
  UpdateOptions,
  UpdateResult,
} from './collection-types.js';
export { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
export type {
  ReadConcernLike,
  ReadPreferenceFromOptions,
  ReadPreferenceLike,
  ReadPreferenceLikeOptions,
  ReadPreferenceOptions,
  W,
  WriteConcernOptions,
  WriteConcernSettings,
} from './concerns.js';
export { AbstractCursor } from './cursor.js';
export { CursorTimeoutMode } from './cursor-options.js';
export type { AbstractCursorEvents, AbstractCursorOptions, PrefetchOptions } from './cursor-options.js';
export { Db } from './db.js';
export type {
  ClusteredCollectionOptions,
  CreateCollectionOptions,
  DbOptions,
  TimeSeriesCollectionOptions,
} from './db.js';
export { TypedEmitter } from './emitter.js';
export type { TypedEmitter as TypedEventEmitter } from './emitter.js';
export type { CommonEvents, EventsDescription, GenericListener, MongoClientEvents } from './emitter.js';
export { ServerDescription, TopologyDescription } from './descriptions.js';
export type { MonitoringTimes } from './descriptions.js';
export * from './event-classes.js';
export * from './monitoring-event-classes.js';
export { HostAddress } from './host-address.js';
export type { ClientState, MongoCredentials, MongoOptions } from './mongo-options.js';
export { ServerSession } from './server-session.js';
export { Topology } from './topology.js';
export {
  MongoAPIError,
  MongoChangeStreamError,
  MongoClientClosedError,
  MongoCompatibilityError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoDriverError,
  MongoError,
  MongoExpiredSessionError,
  MongoTransactionError,
  MongoGridFSChunkError,
  MongoGridFSStreamError,
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
} from './errors.js';
export type { ErrorInit, TimeoutPhase, TopologyVersion } from './errors.js';
export { ExplainVerbosity } from './explain-verbosity.js';
export type { Explainable, ExplainCommandOptions, ExplainVerbosityLike } from './explain-verbosity.js';
export { ExplainableCursor } from './explainable-cursor.js';
export { FindCursor } from './find-cursor.js';
export type { FindOptions } from './find-cursor.js';
export { GridFSBucket } from './gridfs.js';
export type {
  GridFSBucketEvents,
  GridFSBucketOptions,
  GridFSBucketWriteStream,
  GridFSBucketWriteStreamOptions,
} from './gridfs.js';
export type { CommandOptions, OperationOptions } from './handle.js';
export type { HandleOptions, InheritedOptions, PkFactory } from './resolved-options.js';
export type { UndefinedInFilters } from './undefined-in-filters.js';
export { ListCollectionsCursor, ListIndexesCursor, ListSearchIndexesCursor } from './list-cursors.js';
export type {
  CollectionInfo,
  IndexInformationOptions,
  ListCollectionsOptions,
  ListIndexesOptions,
  ListSearchIndexesOptions,
} from './list-cursors.js';
export { MongoClient } from './mongo-client.js';
export type { ClientRuntime } from './mongo-client.js';
export type {
  DownloadByNameOptions as GridFSBucketReadStreamOptionsWithRevision,
  DownloadStreamOptions as GridFSBucketReadStreamOptions,
  GridFSChunk,
  GridFSFile,
  GridFSReadStream as GridFSBucketReadStream,
} from '@tessera/gridfs';
export { isReadStream, isWriteStream } from '@tessera/gridfs';
export type {
  AuthMechanismProperties,
  AwsCredentialProvider as AWSCredentialProvider,
  AwsCredentials as AWSCredentials,
  IdpInfo as IdPInfo,
  OidcCallback as OIDCCallbackFunction,
  OidcCallbackParams as OIDCCallbackParams,
  OidcResponse as OIDCResponse,
  OidcResponse as IdPServerResponse,
} from '@tessera/auth';
export type { Settings } from '@tessera/uri';
export type {
  AddToSetOperators,
  AlternativeType,
  ArrayOperator,
  BitwiseFilter,
  BSONTypeAlias,
  Condition,
  DriverInfo,
  Filter,
  FilterOperations,
  FilterOperators,
  IntegerType,
  MatchKeysAndValues,
  NonObjectIdLikeDocument,
  NumericType,
  OnlyFieldsOfType,
  PullAllOperator,
  PullOperator,
  PushOperator,
  RegExpOrString,
  RootFilterOperators,
  SetFields,
  SortDirection,
  UpdateFilter,
} from '@tessera/contracts';
export type { MongoClientOptions, ServerApi } from './options.js';
export { ClientSession } from './session.js';
export type { ClientSessionEvents, ClientSessionOptions, EndSessionOptions, SessionOwner } from './session.js';
export { Transaction } from './transaction-options.js';
export type { TransactionOptions } from './transaction-options.js';
export type { Sort } from './sort.js';
export * from './named-values.js';
export type { MongoDBCollectionNamespace, MongoDBNamespace } from './namespace.js';
export { RunCommandCursor } from './run-command-cursor.js';
export type { RunCursorCommandOptions } from './run-command-cursor.js';
export type * from './types/bulk.js';
export type * from './types/client-bulk.js';
export type * from './types/documents.js';
export type * from './types/host.js';
export type * from './types/indexes.js';
export type * from './types/official-names.js';
export type * from './types/paths.js';
