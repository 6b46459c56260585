import type { Address, Attempt, Batch, Document, MongoError as Failure, Operation, Session } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { CursorReply, TakeBatch } from './find.js';
import { GetMore, KillCursors } from './get-more.js';
import type { GetMoreOptions } from './get-more.js';
import { createRequest } from './request.js';
import type { Call, Dispatcher } from './request.js';
import type { Target } from './target.js';

/** The command that opens the cursor; its documents are taken by `take`. */
export type OpenCursor = <T>(take: TakeBatch<T>) => Operation<T>;

export interface CursorOptions extends Call {
  readonly more?: GetMoreOptions | undefined;
  /** Documents in all; 0 is no limit. */
  readonly limit?: number | undefined;
  /** An empty batch is no end: the server waits for documents. */
  readonly tailable?: boolean | undefined;
}

/** Rule: Find, getMore and killCursors Commands. `idle`: no command was sent yet. */
type State = { readonly is: 'idle' } | { readonly is: 'open' } | { readonly is: 'closed' };

const idle: State = { is: 'idle' };
const open: State = { is: 'open' };
const closed: State = { is: 'closed' };

/**
 * The documents of one command, batch by batch. A batch's bytes are kept and decoded document by document, so that one
 * that is never asked for is never built. One call at a time: a second `next` while one is under way is an error.
 */
export class Cursor {
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #open: OpenCursor;
  readonly #options: CursorOptions;
  /** The caller's session, else one that ends with the server's cursor. */
  readonly #session: Session;
  readonly #operationId: number;
  #state: State = idle;
  #batch: Batch | undefined;
  #id = 0n;
  #namespace = '';
  #address: Address | undefined;
  #left: number;
  #fetching = false;

  constructor(dispatcher: Dispatcher, target: Target, opening: OpenCursor, options: CursorOptions) {
    this.#dispatcher = dispatcher;
    this.#target = target;
    this.#open = opening;
    this.#options = options;
    this.#session = options.session ?? dispatcher.implicitSession();
    this.#operationId = dispatcher.newOperationId();
    const limit = Math.abs(options.limit ?? 0);
    this.#left = limit === 0 ? Infinity : limit;
  }

  /** The server's cursor, undefined when it keeps none. */
  get id(): bigint | undefined {
    return this.#id === 0n ? undefined : this.#id;
  }

  /** `db.collection`, as the server said; empty before the first reply. */
  get namespace(): string {
    return this.#namespace;
  }

  get started(): boolean {
    return this.#state !== idle;
  }

  /** Nothing more will come from the server. */
  get closed(): boolean {
    return this.#state === closed;
  }

  /** Documents that have come and were not asked for yet. */
  get buffered(): number {
    return Math.min(this.#batch?.length ?? 0, this.#left);
  }

  /** A document that has come already. */
  take(): Document | undefined {
    if (this.#left <= 0) return undefined;
    const document = this.#batch?.next(this.#target.documents);
    if (document === undefined) this.#batch = undefined;
    else this.#left--;
    return document;
  }

  /**
   * One more command, if there is more to come: after it, `buffered` tells what came (a tailable cursor's batch may be
   * empty). Answers false when there is no more.
   */
  fetch(): Promise<boolean> {
    if (this.#fetching)
      return Promise.reject(
        new MongoError(
          'usage',
          `The cursor on ${this.#where()} is waiting for the server already; await each call before the next.`,
        ),
      );
    if (this.#state === closed) return no;
    if (this.#left <= 0) return this.close().then(() => false);
    this.#fetching = true;
    return this.#send(this.#keep).then(this.#came, this.#failed);
  }

  /** Every document that is left, decoded where it lies in the receive buffer. */
  async toArray(): Promise<Document[]> {
    const all: Document[] = [];
    for (let document = this.take(); document !== undefined; document = this.take()) all.push(document);
    const decode: TakeBatch<void> = (reply, attempt) => {
      this.#learn(reply, attempt);
      const shape = this.#target.documents;
      for (let document = reply.batch.next(shape); document !== undefined; document = reply.batch.next(shape)) {
        if (this.#left <= 0) break;
        this.#left--;
        all.push(document);
      }
    };
    while (this.#state !== closed && this.#left > 0) {
      try {
        await this.#send(decode);
      } catch (error) {
        return this.#failed(error as Failure);
      }
    }
    await this.close();
    return all;
  }

  /** Ends the server's cursor, if it has one, and the session, if it is the cursor's own. Never fails. */
  async close(): Promise<void> {
    this.#state = closed;
    this.#batch = undefined;
    this.#left = 0;
    const id = this.#id;
    this.#id = 0n;
    if (id !== 0n) {
      const kill = new KillCursors(this.#target, this.#collection(), id);
      const call: Call = { session: this.#session };
      // A cursor that cannot be killed times out on the server; the caller has nothing to mend.
      await this.#dispatcher.dispatch(createRequest(kill, this.#operationId, call, this.#pin())).catch(() => undefined);
    }
    this.#release();
  }

  #release(): void {
    if (this.#options.session === undefined) this.#session.end();
  }

  #send<T>(take: TakeBatch<T>): Promise<T> {
    const { signal, deadline } = this.#options;
    const call: Call = { session: this.#session, signal, deadline };
    const first = this.#state === idle;
    this.#state = open;
    const operation: Operation<T> = first
      ? this.#open(take)
      : new GetMore(this.#target, this.#id, this.#collection(), this.#moreOptions(), take);
    return this.#dispatcher.dispatch(
      createRequest(operation, this.#operationId, call, first ? undefined : this.#pin()),
    );
  }

  /** No getMore asks for more than the limit leaves. */
  #moreOptions(): GetMoreOptions {
    const more = this.#options.more ?? {};
    if (this.#left === Infinity) return more;
    const { batchSize = 0, maxTimeMS, comment } = more;
    return { batchSize: batchSize === 0 ? this.#left : Math.min(Math.abs(batchSize), this.#left), maxTimeMS, comment };
  }

  readonly #keep: TakeBatch<void> = (reply, attempt) => {
    this.#learn(reply, attempt);
    this.#batch = reply.batch.keep();
  };

  #learn(reply: CursorReply, attempt: Attempt): void {
    this.#id = reply.id;
    this.#address = attempt.server.address;
    if (reply.namespace !== '') this.#namespace = reply.namespace;
    if (reply.id === 0n) {
      this.#state = closed;
      this.#release();
    }
  }

  readonly #came = (): boolean => {
    this.#fetching = false;
    return this.buffered > 0 || this.#state !== closed;
  };

  readonly #failed = async (error: Failure): Promise<never> => {
    this.#fetching = false;
    // The server has forgotten a cursor that it does not find, and a lost connection took it along only sometimes.
    if (MongoError.is(error) && error.code === 43) this.#id = 0n;
    await this.close();
    throw error;
  };

  #pin(): { readonly address: Address } | undefined {
    return this.#address === undefined ? undefined : { address: this.#address };
  }

  /** The server's own name for it: it differs for commands on a whole database. */
  #collection(): string {
    const dot = this.#namespace.indexOf('.');
    return dot < 0 ? this.#target.collection : this.#namespace.slice(dot + 1);
  }

  #where(): string {
    return this.#namespace === '' ? `${this.#target.db}.${this.#target.collection}` : this.#namespace;
  }
}

const no: Promise<boolean> = Promise.resolve(false);
