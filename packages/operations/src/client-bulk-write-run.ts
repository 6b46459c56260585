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

/** What became of one write; the index counts over all commands. */
export interface ClientWriteResult {
  readonly index: number;
  readonly ok: boolean;
  readonly n: number;
  readonly nModified: number;
  readonly upserted: { readonly _id: unknown } | undefined;
  readonly code: number | undefined;
  readonly errmsg: string | undefined;
  readonly errInfo: Document | undefined;
}

/** Of all commands together. */
export interface ClientBulkWriteOutcome extends Omit<ClientBulkWriteCounts, 'nErrors'> {
  readonly acknowledged: boolean;
  /** Those of writes that failed; of the others only if they were asked for. */
  readonly results: readonly ClientWriteResult[];
  readonly writeConcernErrors: readonly Document[];
  /** At least one write was done for certain. */
  readonly didWrite: boolean;
  /** What ended the run early, if it was no error of a write. */
  readonly failure: MongoError | undefined;
}

const counted = ['nInserted', 'nUpserted', 'nMatched', 'nModified', 'nDeleted'] as const;

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

  /** @throws MongoError `protocol` unless it says which write it is of. */
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

  /** Rule: Bulk Write, "Handling the bulkWrite Server Response". */
  add({ counts, writeConcernError: unsafe, taken }: ClientBulkWriteReply, ordered: boolean, from: number): void {
    if (unsafe !== undefined) this.writeConcernErrors.push(unsafe);
    for (const name of counted) this[name] += counts[name];
    if (counts.nErrors === 0) this.didWrite ||= taken > 0;
    else if (ordered) this.didWrite ||= this.results.some(({ ok, index }) => !ok && index > from);
    else this.didWrite ||= counts.nErrors < taken;
  }
}

/**
 * Sends the writes in as few commands as the server's limits allow, one after another, and reads the results of each to
 * their end. An ordered run ends at the first write that fails; errors of write concerns end none, all others do.
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
  new MongoError('protocol', 'The server answered bulkWrite with a result that does not say which write it is of.');

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

  /** Unacknowledged: how many writes were sent, or undefined after an error. */
  async send(operation: UnansweredClientBulkWrite): Promise<number | undefined> {
    try {
      return await this.#dispatcher.dispatch(createRequest(operation, this.#id, this.#call));
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Answers how many writes are behind it, or undefined if no further command is to be sent. */
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
      // What is left to do at the server after an error does not concern the caller.
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

  /** False after the error that ends an ordered run. */
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
   * The writes were done, but not as safely as was asked, which ends nothing, although it was to be tried again. The
   * results lie in the error's own reply, and behind it if they are many.
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
