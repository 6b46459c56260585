export { createBucket } from './bucket.js';
export type { Bucket, BucketDeps, Source } from './bucket.js';
export type {
  CollectionOptions,
  Deleted,
  FindOptions,
  GridFSCollection,
  GridFSCursor,
  GridFSDatabase,
  OperationOptions,
  Updated,
} from './database.js';
export type { Failure, FailureReason } from './failure.js';
export type { GridFSChunk, GridFSFile } from './file.js';
export { defaults } from './options.js';
export type { BucketOptions, DownloadByNameOptions, DownloadStreamOptions, UploadStreamOptions } from './options.js';
export { isReadStream, isWriteStream } from './streams.js';
export type { GridFSReadStream, GridFSWriteStream, WriteStreamState } from './streams.js';
