import type { Attempt, BodyWriter, Elements, Millis, Operation, Reply, Selection } from '@tessera/contracts';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import { isTimed } from './target.js';
import type { Target } from './target.js';

/** Options of a getMore command. */
export interface GetMoreOptions {
  /** The number of documents of the next batch. */
  readonly batchSize?: number | undefined;
  /** How long the server waits for documents. Only for a tailable cursor with awaitData. */
  readonly maxTimeMS?: number | undefined;
  /** A value for the server's logs and profiler. */
  readonly comment?: unknown;
}

/** Reads the next batch of a cursor. Never retried. Rule: Find, getMore and killCursors Commands, "getMore". */
export class GetMore<T> implements Operation<T> {
  readonly name = 'getMore';
  readonly kind = 'read';
  readonly retryable = false;
  readonly answer = 'one';
  readonly role = 'continuesCursor';
  readonly readConcern = 'none';
  readonly db: string;
  readonly selection: Selection;
  /** `none` unless the server waits for documents. Rule: Client Side Operations Timeout, "Cursors". */
  readonly maxTime: Millis | 'none';
  readonly database: Elements;
  readonly #id: bigint;
  readonly #collection: string;
  readonly #options: GetMoreOptions;
  readonly #take: TakeBatch<T>;

  constructor(target: Target, id: bigint, collection: string, options: GetMoreOptions, take: TakeBatch<T>) {
    this.db = target.db;
    this.selection = target.selection;
    this.maxTime = options.maxTimeMS ?? 'none';
    this.database = target.database;
    this.#id = id;
    this.#collection = collection;
    this.#options = options;
    this.#take = take;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const { batchSize, maxTimeMS, comment } = this.#options;
    writer.int64('getMore', this.#id);
    writer.value('collection', this.#collection);
    if (batchSize !== undefined && batchSize !== 0) writer.value('batchSize', Math.abs(batchSize));
    if (maxTimeMS !== undefined && !isTimed(attempt)) writer.value('maxTimeMS', maxTimeMS);
    // Servers before 4.4 reject the field.
    if (comment !== undefined && attempt.connection.hello.maxWireVersion >= 9) writer.value('comment', comment);
  }

  read(reply: Reply, attempt: Attempt): T {
    return this.#take(readCursor(reply, 'nextBatch'), attempt);
  }
}

/** Kills cursors. Rule: Find, getMore and killCursors Commands, "killCursors". */
export class KillCursors implements Operation<void> {
  readonly name = 'killCursors';
  readonly kind = 'either';
  readonly retryable = false;
  readonly answer = 'one';
  readonly role = 'killsCursor';
  readonly readConcern = 'none';
  /** All of the remaining time. */
  readonly maxTime: Millis = Infinity;
  readonly db: string;
  readonly selection: Selection;
  readonly database: Elements;
  readonly #collection: string;
  readonly #ids: readonly bigint[];

  constructor(
    { db, selection, database }: Pick<Target, 'db' | 'selection' | 'database'>,
    collection: string,
    ...ids: readonly bigint[]
  ) {
    this.db = db;
    this.selection = selection;
    this.database = database;
    this.#collection = collection;
    this.#ids = ids;
  }

  body(writer: BodyWriter): void {
    writer.value('killCursors', this.#collection);
    writer.open('cursors', 'array');
    for (const [index, id] of this.#ids.entries()) writer.int64(String(index), id);
    writer.close();
  }

  read(): void {
    // The reply is ignored: a cursor that no longer exists needs no action.
  }
}
