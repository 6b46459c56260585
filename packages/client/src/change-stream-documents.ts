/** The types of change stream events, under the official driver's names. Rule: Change Streams, "Response Format". */
import type { Binary, Document, Timestamp } from '@tessera/contracts';
import type { InferIdType, ServerSessionId } from './types/documents.js';

/** An opaque token. Store it and pass it as `resumeAfter` or `startAfter` to resume. */
export type ResumeToken = unknown;
/** The logical time of an operation in a replica set or sharded cluster. */
export type OperationTime = Timestamp;

/** The collection that a change concerns. */
export interface ChangeStreamNameSpace {
  /** The name of the database. */
  db: string;
  /** The name of the collection. */
  coll: string;
}

/** The position of a fragment in a large event that the stage `$changeStreamSplitLargeEvent` has split. */
export interface ChangeStreamSplitEvent {
  /** The number of the fragment, starting at 1. */
  fragment: number;
  /** The number of fragments. */
  of: number;
}

/** Fields of every change. */
export interface ChangeStreamDocumentCommon {
  /** The resume token of the change. */
  _id: ResumeToken;
  /** The timestamp of the oplog entry. All changes of one transaction have the same timestamp. */
  clusterTime?: Timestamp;
  /** Only in a transaction. A Long if `promoteLongs` is false. */
  txnNumber?: number;
  /** Only in a transaction. */
  lsid?: ServerSessionId;
  /** The position of this fragment, if the event was split. */
  splitEvent?: ChangeStreamSplitEvent;
}

/** Fields of every change of one document. */
export interface ChangeStreamDocumentKey<Schema extends object = Document> {
  /** The `_id`, and in a sharded collection also the shard key. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a shard key's values may be anything
  documentKey: { _id: InferIdType<Schema>; [shardKey: string]: any };
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamDocumentCollectionUUID {
  /** A Buffer if `promoteBuffers` is true. */
  collectionUUID: Binary;
}

/** Only with `showExpandedEvents`. */
export interface ChangeStreamDocumentOperationDescription {
  /** Details of the operation, such as the keys of an index. */
  operationDescription?: Document;
}

/** Since MongoDB 6.0. */
export interface ChangeStreamDocumentWallTime {
  /** The server's date and time of the change. */
  wallTime?: Date;
}

/** The fields that an update changed. */
export interface UpdateDescription<Schema extends object = Document> {
  /** The new values by the dotted path of each changed field. */
  updatedFields?: Partial<Schema>;
  /** The dotted paths of removed fields. */
  removedFields?: string[];
  /** The dotted paths and new lengths of shortened arrays. */
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

/** A document was inserted. */
export interface ChangeStreamInsertDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'insert';
  /** The inserted document. */
  fullDocument: Schema;
  /** The collection of the document. */
  ns: ChangeStreamNameSpace;
}

/** A document was updated. */
export interface ChangeStreamUpdateDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime,
    Pictured<Schema> {
  /** The type of the change. */
  operationType: 'update';
  /** The document after the change, if the option `fullDocument` requests it. */
  fullDocument?: Schema;
  /** The fields that the update changed. */
  updateDescription: UpdateDescription<Schema>;
  /** The collection of the document. */
  ns: ChangeStreamNameSpace;
}

/** A document was replaced. */
export interface ChangeStreamReplaceDocument<Schema extends object = Document>
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentKey<Schema>, ChangeStreamDocumentWallTime, Pictured<Schema> {
  /** The type of the change. */
  operationType: 'replace';
  /** The new document. */
  fullDocument: Schema;
  /** The collection of the document. */
  ns: ChangeStreamNameSpace;
}

/** A document was deleted. */
export interface ChangeStreamDeleteDocument<Schema extends object = Document>
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentKey<Schema>,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentWallTime,
    Pictured<Schema> {
  /** The type of the change. */
  operationType: 'delete';
  /** The collection of the document. */
  ns: ChangeStreamNameSpace;
}

/** A collection was dropped. */
export interface ChangeStreamDropDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'drop';
  /** The dropped collection. */
  ns: ChangeStreamNameSpace;
}

/** A collection was renamed. */
export interface ChangeStreamRenameDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'rename';
  /** The new name. */
  to: ChangeStreamNameSpace;
  /** The old name. */
  ns: ChangeStreamNameSpace;
}

/** A database was dropped. */
export interface ChangeStreamDropDatabaseDocument extends ChangeStreamDocumentCommon, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'dropDatabase';
  /** The dropped database. */
  ns: { db: string };
}

/** The watched collection or database was dropped or renamed. The server ends the stream after this event. */
export interface ChangeStreamInvalidateDocument extends ChangeStreamDocumentCommon, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'invalidate';
}

/** A collection or a view was created. Only with `showExpandedEvents`. */
export interface ChangeStreamCreateDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'create';
  /** Since MongoDB 8.1. */
  nsType?: 'collection' | 'timeseries' | 'view';
}

/** The options of a collection were modified. Only with `showExpandedEvents`. */
export interface ChangeStreamCollModDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentWallTime {
  /** The type of the change. */
  operationType: 'modify';
}

interface Described
  extends
    ChangeStreamDocumentCommon,
    ChangeStreamDocumentCollectionUUID,
    ChangeStreamDocumentOperationDescription,
    ChangeStreamDocumentWallTime {}

/** An index was created. Only with `showExpandedEvents`. */
export interface ChangeStreamCreateIndexDocument extends Described {
  /** The type of the change. */
  operationType: 'createIndexes';
}

/** An index was dropped. Only with `showExpandedEvents`. */
export interface ChangeStreamDropIndexDocument extends Described {
  /** The type of the change. */
  operationType: 'dropIndexes';
}

/** A collection was sharded. Only with `showExpandedEvents`. */
export interface ChangeStreamShardCollectionDocument extends Described {
  /** The type of the change. */
  operationType: 'shardCollection';
}

/** The shard key of a collection was replaced. Only with `showExpandedEvents`. */
export interface ChangeStreamReshardCollectionDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentOperationDescription {
  /** The type of the change. */
  operationType: 'reshardCollection';
}

/** Fields were added to the shard key of a collection. Only with `showExpandedEvents`. */
export interface ChangeStreamRefineCollectionShardKeyDocument
  extends ChangeStreamDocumentCommon, ChangeStreamDocumentCollectionUUID, ChangeStreamDocumentOperationDescription {
  /** The type of the change. */
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
