export * from '@tessera/client';
export { GridFSBucket, GridFSBucketReadStream, GridFSBucketWriteStream } from './gridfs.js';
export { MongoClient } from './mongo-client.js';
export type { MongoClientOptions } from './mongo-client.js';
export * from './selection-events.js';
export * from './unraised.js';
export * from './unused.js';
export type * from './internal-types.js';
export type * from './node-types.js';
export {
  AuthMechanism,
  Compressor,
  CURSOR_FLAGS,
  GSSAPICanonicalizationValue,
  MongoLoggableComponent,
  ServerType,
  SeverityLevel,
  TopologyType,
} from './values.js';
export type { CursorFlag } from './values.js';
export {
  Binary,
  BSONRegExp,
  BSONSymbol,
  BSONType,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
export { BSON } from './bson.js';
