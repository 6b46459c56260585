export { Aggregate } from './aggregate.js';
export type { AggregateOptions } from './aggregate.js';
export {
  Command,
  count,
  createCollection,
  createIndexes,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  indexName,
  listCollections,
  listDatabases,
  listIndexes,
  runCommand,
} from './command.js';
export type { CommandTraits } from './command.js';
export { isAcknowledged } from './concerns.js';
export { Cursor } from './cursor.js';
export type { CursorOptions, OpenCursor } from './cursor.js';
export { createFind, createFindOne } from './find.js';
export type { CursorReply, FindOptions, MakeFind, MakeFindOne, TakeBatch } from './find.js';
export { FindAndModify } from './find-and-modify.js';
export type { FindAndModifyOptions, FindAndModifyReply } from './find-and-modify.js';
export { GetMore, KillCursors } from './get-more.js';
export type { GetMoreOptions } from './get-more.js';
export { createRequest, run } from './request.js';
export type { Call, Dispatcher } from './request.js';
export { createTarget, writable } from './target.js';
export type { Target, TargetOptions } from './target.js';
export { createWrite } from './write.js';
export type { MakeWrite, StatementError, WriteCommand, WriteOptions, WriteReply } from './write.js';
export { writeMany } from './write-many.js';
export type { WriteOutcome } from './write-many.js';
