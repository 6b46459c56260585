import type { Document } from '@tessera/contracts';
import { MongoError, unsatisfiedConcernOf } from '@tessera/contracts';
import { ClientBulkWrite, UnansweredClientBulkWrite } from './client-bulk-write.js';
import type {
  ClientBulkWriteCounts,
  ClientBulkWriteOptions,
  ClientBulkWriteReply,
  ClientWrite,
} from './client-bulk-write.js';
import { resplitErrorOf } from './resplit-error.js';
import { Cursor } from './cursor.js';
import type { OpenCursor } from './cursor.js';
import type { CursorReply } from './find.js';
import { GetMore } from './get-more.js';
import { createRequest } from './request.js';
import type { Call, Dispatcher } from './request.js';
import { isAcknowledged } from './target.js';
import type { Target } from './target.js';

/** The result of one write. The index counts over all commands. */
export interface ClientWriteResult {
  /** The index of the write in the list of all writes. */
  readonly index: number;
  /** Whether the write succeeded. */
  readonly ok: boolean;
  /** The number of inserted, matched or deleted documents. */
  readonly n: number;
  /** The number of changed documents. */
  readonly nModified: number;
  /** The `_id` of the document that an upsert inserted. */
  readonly upserted: { readonly _id: unknown } | undefined;
  /** The error code. Undefined: the write succeeded. */
  readonly code: number | undefined;
  /** The error message. */
  readonly errmsg: string | undefined;
  /** Details of the error, such as a failed validation's. */
  readonly errInfo: Document | undefined;
}

/** The result of all commands. */
export interface ClientBulkWriteOutcome extends Omit<ClientBulkWriteCounts, 'nErrors'> {
  /** False: the write concern was `w: 0`, and the counts are unknown. */
  readonly acknowledged: boolean;
  /** The results of failed writes, and of all others if `verboseResults` is true. */
  readonly results: readonly ClientWriteResult[];
  /** The write concern errors of all batches. */
  readonly writeConcernErrors: readonly Document[];
  /** Whether at least one write was certainly applied. */
  readonly didWrite: boolean;
  /** The error that ended the run early, unless it was a write error. */
  readonly failure: MongoError | undefined;
}

const counted = ['nInserted', 'nUpserted', 'nMatched', 'nModified', 'nDeleted'] as const;

/** Adds up the results of several commands. */
class Tally {
  nInserted = 0;
  nUpserted = 0;
  nMatched = 0;
  nModified = 0;
  nDeleted = 0;
  readonly results: ClientWriteResult[] = [];
  readonly writeConcernErrors: Document[] = [];
  didWrite = false;
  failure: MongoError | undefined;

  /**
   * Adds the result of one write.
   * @throws MongoError `protocol` if it lacks the index of the write
   */
  note(document: Document | null, from: number): ClientWriteResult {
    const index = Number(document?.['idx'] ?? NaN);
    if (document === null || Number.isNaN(index)) throw missingIndex();
    const result: ClientWriteResult = {
      index: from + index,
      ok: Number(document['ok']) === 1,
      n: Number(document['n'] ?? 0),
      nModified: Number(document['nModified'] ?? 0),
      upserted: document['upserted'] as ClientWriteResult['upserted'],
      code: document['code'] === undefined ? undefined : Number(document['code']),
      errmsg: document['errmsg'] as string | undefined,
      errInfo: document['errInfo'] as Document | undefined,
    };
    this.results.push(result);
    return result;
  }

  /** Adds the counts of a reply. Rule: Bulk Write, "Handling the bulkWrite Server Response". */
  add({ counts, writeConcernError: unsafe, taken }: ClientBulkWriteReply, ordered: boolean, from: number): void {
    if (unsafe !== undefined) this.writeConcernErrors.push(unsafe);
    for (const name of counted) this[name] += counts[name];
    if (counts.nErrors === 0) this.didWrite ||= taken > 0;
    else if (ordered) this.didWrite ||= this.results.some(({ ok, index }) => !ok && index > from);
    else this.didWrite ||= counts.nErrors < taken;
  }
}

/**
 * Sends the writes in as few commands as the server's limits allow, one after another, and reads all results of each. An ordered run
 * ends at the first write error. Write concern errors do not end a run, all other errors do.
 * Rule: Bulk Write.
 */
export const clientBulkWrite = async (
  dispatcher: Dispatcher,
  target: Target,
  writes: readonly ClientWrite[],
  options: ClientBulkWriteOptions,
  call: Call,
): Promise<ClientBulkWriteOutcome> => {
  const id = dispatcher.newOperationId();
  const acknowledged = isAcknowledged(target.writeConcern);
  const tally = new Tally();
  for (let from = 0; from < writes.length;) {
    const batch = new BatchRun(dispatcher, target, call, id, tally, from);
    const taken = acknowledged
      ? await batch.run(writes, options)
      : await batch.send(new UnansweredClientBulkWrite(target, writes, from, options));
    if (taken === undefined) break;
    from += taken;
  }
  const { nInserted, nUpserted, nMatched, nModified, nDeleted, results, writeConcernErrors, didWrite, failure } = tally;
  return {
    acknowledged,
    ...{ nInserted, nUpserted, nMatched, nModified, nDeleted },
    ...{ results, writeConcernErrors, didWrite, failure },
  };
};

const missingIndex = (): MongoError =>
  new MongoError('protocol', 'The server answered bulkWrite with a result that lacks the index of its write.');

/** One command and its results. */
class BatchRun {
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #call: Call;
  readonly #id: number;
  readonly #tally: Tally;
  readonly #from: number;
  /** The newest reply. */
  #outcome: ClientBulkWriteReply | undefined;

  constructor(dispatcher: Dispatcher, target: Target, call: Call, id: number, tally: Tally, from: number) {
    this.#dispatcher = dispatcher;
    this.#target = target;
    this.#call = call;
    this.#id = id;
    this.#tally = tally;
    this.#from = from;
  }

  /** Sends an unacknowledged command. Resolves to the number of its writes, or undefined after an error. */
  async send(operation: UnansweredClientBulkWrite): Promise<number | undefined> {
    try {
      return await this.#dispatcher.dispatch(createRequest(operation, this.#id, this.#call));
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Runs a command and reads its results. Resolves to the number of its writes, or undefined if the run ends. */
  async run(
    writes: readonly ClientWrite[],
    options: ClientBulkWriteOptions,
    until: number = writes.length,
  ): Promise<number | undefined> {
    const ordered = options.ordered !== false;
    const own = this.#call.session === undefined ? this.#dispatcher.implicitSession() : undefined;
    const call: Call = own === undefined ? this.#call : { ...this.#call, session: own };
    const open: OpenCursor = take =>
      new ClientBulkWrite(this.#target, writes, this.#from, options, take, this.#onReply, until);
    const cursor = new Cursor(this.#dispatcher, this.#target, open, { ...call, operationId: this.#id });
    let continues: boolean;
    try {
      continues = await this.#drain(cursor, ordered);
    } catch (error) {
      const resplit = resplitErrorOf(error);
      if (resplit !== undefined) return await this.run(writes, options, resplit.end);
      continues = await this.#afterWriteConcernError(error, call, ordered);
    } finally {
      // The caller does not wait for the kill of the cursor after an error.
      if (own !== undefined)
        void cursor.close().then(() => {
          own.end();
        });
    }
    const outcome = this.#outcome;
    if (outcome === undefined) return undefined;
    this.#tally.add(outcome, ordered, this.#from);
    return continues ? outcome.taken : undefined;
  }

  readonly #onReply = (outcome: ClientBulkWriteReply): void => {
    this.#outcome = outcome;
  };

  /** Reads all results. Resolves to false after a write error that ends an ordered run. */
  async #drain(cursor: Cursor, ordered: boolean): Promise<boolean> {
    const closed = async (error: unknown): Promise<never> => {
      await cursor.close();
      throw error;
    };
    do {
      for (let document = cursor.take(); document !== undefined; document = cursor.take())
        if (!this.#tally.note(document, this.#from).ok && ordered) {
          await cursor.close();
          return false;
        }
    } while (await cursor.fetch().catch(closed));
    return true;
  }

  /**
   * Continues after a retryable write concern error, whose writes were applied. Reads the results from the error's reply and, if there
   * are more, from its cursor.
   */
  async #afterWriteConcernError(error: unknown, call: Call, ordered: boolean): Promise<boolean> {
    const reply = MongoError.is(error) ? error.reply : undefined;
    if (reply === undefined || unsatisfiedConcernOf(reply) === undefined) return this.#failed(error);
    const { id, ns, firstBatch } = reply['cursor'] as { id: unknown; ns: unknown; firstBatch: Document[] };
    const address = (error as MongoError).origin?.address;
    const pin = address === undefined ? undefined : { address };
    const namespace = typeof ns === 'string' ? ns : '';
    const collection = namespace.slice(namespace.indexOf('.') + 1);
    let left = BigInt(String(id));
    let continues: boolean;
    try {
      continues = this.#noteAll(firstBatch, ordered);
      while (continues && left !== 0n) {
        const more = new GetMore(this.#target, left, collection, {}, reply => {
          left = reply.id;
          return [...this.#documents(reply)];
        });
        continues = this.#noteAll(await this.#dispatcher.dispatch(createRequest(more, this.#id, call, pin)), ordered);
      }
    } catch (failure) {
      return this.#failed(failure);
    }
    return continues;
  }

  *#documents({ batch }: CursorReply): Iterable<Document> {
    const shape = this.#target.documents;
    for (let document = batch.next(shape); document !== undefined; document = batch.next(shape)) yield document;
  }

  #noteAll(documents: readonly Document[], ordered: boolean): boolean {
    for (const document of documents) if (!this.#tally.note(document, this.#from).ok && ordered) return false;
    return true;
  }

  #failed(error: unknown): false {
    if (!MongoError.is(error)) throw error;
    this.#tally.failure = error;
    return false;
  }
}
