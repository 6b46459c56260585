export { Aggregate } from './aggregate.js';
export type { AggregateOptions } from './aggregate.js';
export { ChangeStreamCursor } from './change-stream.js';
export type { ChangeStreamOptions, Fetched } from './change-stream.js';
export { ClientBulkWrite } from './client-bulk-write.js';
export type {
  ClientBulkWriteCounts,
  ClientBulkWriteOptions,
  ClientBulkWriteReply,
  ClientWrite,
} from './client-bulk-write.js';
export { clientBulkWrite } from './client-bulk-write-run.js';
export type { ClientBulkWriteOutcome, ClientWriteResult } from './client-bulk-write-run.js';
export {
  Command,
  count,
  createCollection,
  createIndexes,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  dropUser,
  indexName,
  listCollections,
  listDatabases,
  listIndexes,
  renameCollection,
  runCommand,
} from './command.js';
export type { CommandTraits } from './command.js';
export { Cursor } from './cursor.js';
export type { CursorOptions, OpenCursor } from './cursor.js';
export { explain, explainAsCursor } from './explain.js';
export type { ExplainOptions } from './explain.js';
export { createFindOne, find } from './find.js';
export type { CursorReply, FindFields, MakeFindOne, TakeBatch } from './find.js';
export { FindAndModify } from './find-and-modify.js';
export type { FindAndModifyOptions, FindAndModifyReply } from './find-and-modify.js';
export { GetMore, KillCursors } from './get-more.js';
export type { GetMoreOptions } from './get-more.js';
export { createMaxTime } from './max-time.js';
export { Kills } from './kills.js';
export { createRequest, run } from './request.js';
export type { Call, Dispatcher } from './request.js';
export { runCursorCommand } from './run-cursor-command.js';
export { createSearchIndexes, dropSearchIndex, updateSearchIndex } from './search-indexes.js';
export { createTarget, isAcknowledged, writable } from './target.js';
export type { Target } from './target.js';
export { createWrite } from './write.js';
export type { MakeWrite, NewId, StatementError, WriteCommand, WriteOptions, WriteReply } from './write.js';
export { writeMany } from './write-many.js';
export type { WriteOutcome } from './write-many.js';
