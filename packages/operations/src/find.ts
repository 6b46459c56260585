import type {
  Attempt,
  Batch,
  BodyWriter,
  Document,
  Elements,
  Operation,
  Reply,
  Selection,
  View,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { writeRawData } from './raw-data.js';
import { writeOptions } from './target.js';
import type { Target } from './target.js';

/** The fields of a find command apart from its filter, with the official driver's names. Rule: Find, getMore and killCursors Commands. */
export interface FindFields {
  /** The order of the documents: fields with directions. Default: no defined order. */
  sort?: Document | undefined;
  /** The fields to return: `{ title: 1 }` selects, `{ plot: 0 }` omits. Default: all. */
  projection?: Document | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: unknown;
  /** The number of documents to skip. Default: 0. */
  skip?: number | undefined;
  /** The maximum number of documents. 0 means no limit; a negative number returns a single batch. Default: 0. */
  limit?: number | undefined;
  /** The maximum number of documents per batch. Default: the server's default, at first 101. */
  batchSize?: number | undefined;
  /** Closes the cursor after the first batch. Default: false. */
  singleBatch?: boolean | undefined;
  /** A comment that the server writes to its logs and profiler. */
  comment?: unknown;
  /** The time in milliseconds that the server may spend on the command. Default: no limit. */
  maxTimeMS?: number | undefined;
  /** The exclusive upper bound of index keys. Requires `hint`. */
  max?: Document | undefined;
  /** The inclusive lower bound of index keys. Requires `hint`. */
  min?: Document | undefined;
  /** Returns only the index keys of the documents. Default: false. */
  returnKey?: boolean | undefined;
  /** Adds the record id to each document as `$recordId`. Default: false. */
  showRecordId?: boolean | undefined;
  /** Keeps the cursor of a capped collection open at the end, for documents that are inserted later. Default: false. */
  tailable?: boolean | undefined;
  /** Keeps an idle cursor open on the server. Default: false; the server closes it after 10 minutes. */
  noCursorTimeout?: boolean | undefined;
  /** Lets the server wait for new documents before it returns an empty batch. Requires `tailable`. Default: false. */
  awaitData?: boolean | undefined;
  /** Returns the documents of available shards if others are unavailable, instead of an error. Default: false. */
  allowPartialResults?: boolean | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: Document | undefined;
  /** Lets the server write temporary files if a sort needs more than 100 MB. Default: true since MongoDB 6.0. */
  allowDiskUse?: boolean | undefined;
  /** Used by servers before 4.4 only. @deprecated Newer servers ignore it. */
  oplogReplay?: boolean | undefined;
  /** Variables that expressions in the filter read as `$$name`. Since MongoDB 5.0. */
  let?: Document | undefined;
  /**
   * Returns documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. Rule: CRUD,
   * "rawData".
   */
  rawData?: boolean | undefined;
}

const plain: ReadonlySet<string> = new Set([
  'sort',
  'projection',
  'hint',
  'skip',
  'comment',
  'maxTimeMS',
  'max',
  'min',
  'returnKey',
  'showRecordId',
  'tailable',
  'noCursorTimeout',
  'awaitData',
  'allowPartialResults',
  'collation',
  'allowDiskUse',
  'oplogReplay',
  'let',
]);

/** The cursor in a reply: the data for getMore, and the documents. */
export interface CursorReply {
  /** The server's cursor id. 0n: the server keeps no cursor. */
  readonly id: bigint;
  /** The namespace for getMore, such as `shop.films`. Only valid during the call. */
  readonly namespace: string;
  /** In the receive buffer, and only valid during the call, unless it is kept. */
  readonly batch: Batch;
  /** The whole reply. */
  readonly reply: Reply;
}

/**
 * Reads the cursor of a reply.
 * @throws MongoError `protocol` if the reply has no cursor
 */
export const readCursor = (reply: Reply, batch: 'firstBatch' | 'nextBatch'): CursorReply => {
  const cursor: View | undefined = reply.view('cursor');
  const id = cursor?.long('id');
  const documents = cursor?.batch(batch);
  if (cursor === undefined || id === undefined || documents === undefined)
    throw new MongoError('protocol', `The server answered without a cursor that has an id and a ${batch}.`);
  return new ReadCursor(cursor, id, documents, reply);
};

/** Decodes the namespace only for cursors that stay open. */
class ReadCursor implements CursorReply {
  readonly #cursor: View;
  readonly id: bigint;
  readonly batch: Batch;
  readonly reply: Reply;

  constructor(cursor: View, id: bigint, batch: Batch, reply: Reply) {
    this.#cursor = cursor;
    this.id = id;
    this.batch = batch;
    this.reply = reply;
  }

  get namespace(): string {
    return this.#cursor.text('ns') ?? '';
  }
}

/** Reads a batch of a cursor. The reply is only valid during the call. */
export type TakeBatch<T> = (reply: CursorReply, attempt: Attempt) => T;

/**
 * Writes `limit`, `batchSize` and `singleBatch`. A negative limit or batchSize requests a single batch. If batchSize equals the limit,
 * writes a batchSize that is larger by one, so that the server closes the cursor with the first batch.
 * Rule: Find, getMore and killCursors Commands, "Mapping OP_QUERY Behavior to the find Command Limit and batchSize Fields".
 */
const writeBatching = (writer: BodyWriter, options: FindFields): void => {
  const limit = options.limit ?? 0;
  const batchSize = options.batchSize ?? undefined;
  if (limit !== 0) writer.value('limit', Math.abs(limit));
  if (batchSize !== undefined) {
    const size = Math.abs(batchSize);
    writer.value('batchSize', size !== 0 && size === Math.abs(limit) ? size + 1 : size);
  }
  if (options.singleBatch === true || limit < 0 || (batchSize ?? 0) < 0) writer.value('singleBatch', true);
};

class Find<T> implements Operation<T> {
  readonly name = 'find';
  readonly kind = 'read';
  readonly retryable = true;
  readonly answer = 'one';
  readonly db: string;
  readonly selection: Selection;
  readonly #target: Target;
  readonly #filter: Document;
  readonly #options: FindFields;
  readonly #take: TakeBatch<T>;
  /** Encoded `limit` and `singleBatch` of findOne. */
  readonly #fixed: Elements | undefined;

  constructor(target: Target, filter: Document, options: FindFields, take: TakeBatch<T>, fixed?: Elements) {
    this.db = target.db;
    this.selection = target.selection;
    this.#target = target;
    this.#filter = filter;
    this.#options = options;
    this.#take = take;
    this.#fixed = fixed;
  }

  get readConcern(): Document | undefined {
    return this.#target.readConcern;
  }
  get database(): Elements {
    return this.#target.database;
  }
  get role(): 'opensCursor' | undefined {
    const { limit = 0, batchSize, singleBatch } = this.#options;
    const isOneBatch = this.#fixed !== undefined || singleBatch === true || limit < 0 || (batchSize ?? 0) < 0;
    return isOneBatch ? undefined : 'opensCursor';
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const target = this.#target;
    const options = this.#options;
    writer.elements(target.head('find'));
    writer.value('filter', this.#filter, target.arguments);
    if (options !== none) {
      if (this.#fixed === undefined) writeBatching(writer, options);
      writeOptions(writer, plain, options as Readonly<Record<string, unknown>>, target.arguments, attempt);
      writeRawData(writer, options.rawData, attempt);
    }
    if (this.#fixed !== undefined) writer.elements(this.#fixed);
  }

  read(reply: Reply, attempt: Attempt): T {
    return this.#take(readCursor(reply, 'firstBatch'), attempt);
  }
}

const none: FindFields = {};

/** Returns a find operation. `take` reads the documents of its batch. */
export const find = <T>(
  target: Target,
  filter: Document,
  fields: FindFields | undefined,
  take: TakeBatch<T>,
): Operation<T> => new Find(target, filter, fields ?? none, take);

/** Returns a find operation for one document. */
export type MakeFindOne = (filter: Document, fields: FindFields | undefined) => Operation<Document | null>;

/**
 * Prepares `find` operations for one document of a target. The result is null if no document matches. The fields `limit`, `batchSize`
 * and `singleBatch` are ignored.
 */
export const createFindOne = (target: Target): MakeFindOne => {
  const one = target.bson.elements({ limit: 1, singleBatch: true });
  const first: TakeBatch<Document | null> = ({ batch }) => batch.next(target.documents) ?? null;
  return (filter, fields) => new Find(target, filter, fields ?? none, first, one);
};
