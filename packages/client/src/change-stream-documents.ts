/** The types of change stream events, under the official driver's names. Rule: Change Streams, "Response Format". */
import type { Binary, Document, Timestamp } from '@tessera/contracts';
import type { InferIdType } from './types/documents.js';

/** An opaque token. Store it and pass it as `resumeAfter` or `startAfter` to resume. */
export type ResumeToken = unknown;
export type OperationTime = Timestamp;

export interface ChangeStreamNameSpace {
  db: string;
  coll: string;
}

/** The position of a fragment in a large event that the stage `$changeStreamSplitLargeEvent` has split. */
export interface ChangeStreamSplitEvent {
  fragment: number;
  of: number;
}

export interface ChangeStreamDocumentCommon {
  _id: ResumeToken;
  /** The timestamp of the oplog entry. All changes of one transaction have the same timestamp. */
  clusterTime?: Timestamp;
  /** Only in a transaction. A Long if `promoteLongs` is false. */
  txnNumber?: number;
  /** Only in a transaction. */
  lsid?: { id: Binary };
  splitEvent?: ChangeStreamSplitEvent;
}

export interface ChangeStreamDocumentKey<Schema extends object = Document> {
  /** The `_id`, and in a sharded collection also the shard key. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a shard key's values may be anything
  documentKey: { _id: InferIdType<Schema>; [shardKey: string]: any };
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamDocumentCollectionUUID {
  /** A Buffer if `promoteBuffers` is true. */
  collectionUUID: Binary;
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamDocumentOperationDescription {
  operationDescription?: Document;
}

/** Since MongoDB 6.0. */
export interface ChangeStreamDocumentWallTime {
  wallTime?: Date;
}

export interface UpdateDescription<Schema extends object = Document> {
  updatedFields?: Partial<Schema>;
  removedFields?: string[];
  truncatedArrays?: { field: string; newSize: number }[];
  /**
   * The components of each path with a numeric or dotted field name. Array indexes are numbers, and field names are
   * strings.
   */
  disambiguatedPaths?: Document;
}

interface Pictured<Schema> {
  /** The document before the change, if `fullDocumentBeforeChange` requests it and the server has it. */
  fullDocumentBeforeChange?: Schema;
}

export interface ChangeStreamInsertDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime {
  operationType: 'insert';
  fullDocument: Schema;
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamUpdateDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime,
    Pictured<Schema> {
  operationType: 'update';
  /** The document after the change, if the option `fullDocument` requests it. */
  fullDocument?: Schema;
  updateDescription: UpdateDescription<Schema>;
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamReplaceDocument<Schema extends object = Document>
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentKey<Schema>, ChangeStreamDocumentWallTime, Pictured<Schema> {
  operationType: 'replace';
  fullDocument: Schema;
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamDeleteDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime,
    Pictured<Schema> {
  operationType: 'delete';
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamDropDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  operationType: 'drop';
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamRenameDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  operationType: 'rename';
  /** The new name. */
  to: ChangeStreamNameSpace;
  /** The old name. */
  ns: ChangeStreamNameSpace;
}

export interface ChangeStreamDropDatabaseDocument extends ChangeStreamDocumentCommon, ChangeStreamDocumentWallTime {
  operationType: 'dropDatabase';
  ns: { db: string };
}

/** The watched collection or database was dropped or renamed. The server ends the stream after this event. */
export interface ChangeStreamInvalidateDocument extends ChangeStreamDocumentCommon, ChangeStreamDocumentWallTime {
  operationType: 'invalidate';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamCreateDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  operationType: 'create';
  /** Since MongoDB 8.1. */
  nsType?: 'collection' | 'timeseries' | 'view';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamCollModDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  operationType: 'modify';
}

interface Described
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentOperationDescription,
    ChangeStreamDocumentWallTime {}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamCreateIndexDocument extends Described {
  operationType: 'createIndexes';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamDropIndexDocument extends Described {
  operationType: 'dropIndexes';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamShardCollectionDocument extends Described {
  operationType: 'shardCollection';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamReshardCollectionDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentOperationDescription {
  operationType: 'reshardCollection';
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamRefineCollectionShardKeyDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentOperationDescription {
  operationType: 'refineCollectionShardKey';
}

/**
 * Any change event. Newer servers may send an `operationType` that is not listed here; the driver returns such an event
 * unchanged.
 */
export type ChangeStreamDocument<Schema extends object = Document> =
  | ChangeStreamInsertDocument<Schema>
  | ChangeStreamUpdateDocument<Schema>
  | ChangeStreamReplaceDocument<Schema>
  | ChangeStreamDeleteDocument<Schema>
  | ChangeStreamDropDocument
  | ChangeStreamRenameDocument
  | ChangeStreamDropDatabaseDocument
  | ChangeStreamInvalidateDocument
  | ChangeStreamCreateIndexDocument
  | ChangeStreamCreateDocument
  | ChangeStreamCollModDocument
  | ChangeStreamDropIndexDocument
  | ChangeStreamShardCollectionDocument
  | ChangeStreamReshardCollectionDocument
  | ChangeStreamRefineCollectionShardKeyDocument;
