import type {
  Address,
  Attempt,
  Batch,
  Document,
  Lease,
  Millis,
  Operation,
  Pin,
  Session,
  Soon,
} from '@tessera/contracts';
import { MongoError, noLimit } from '@tessera/contracts';
import type { CursorReply, TakeBatch } from './find.js';
import { GetMore, KillCursors } from './get-more.js';
import type { GetMoreOptions } from './get-more.js';
import { createRequest } from './request.js';
import type { Call, Dispatcher } from './request.js';
import type { Target } from './target.js';

/** Returns the command that opens a cursor. `take` reads its first batch. */
export type OpenCursor = <T>(take: TakeBatch<T>) => Operation<T>;

/** Options of a cursor. */
export interface CursorOptions extends Call {
  /** Options of its getMore commands. */
  readonly more?: GetMoreOptions | undefined;
  /** The maximum number of documents; 0 means no limit. */
  readonly limit?: number | undefined;
  /** Whether the cursor is tailable: an empty batch does not end it. */
  readonly tailable?: boolean | undefined;
  /** Whether timeoutMS applies to each step instead of all together. Rule: Client Side Operations Timeout, "Cursors", `timeoutMode`. */
  readonly iteration?: boolean | undefined;
  /** Whether `fetch` requests the batch after the received one at once. Default: false. A session of the caller prevents it. */
  readonly prefetch?: boolean | undefined;
  /** The operation id for events, if several cursors belong to one operation. */
  readonly operationId?: number | undefined;
  /** Called with every batch before it is read. */
  readonly onBatch?: TakeBatch<void> | undefined;
}

/**
 * The state of a cursor. `idle`: no command was sent yet; `exhausted`: the last batch was received; `closed`: by the caller or by an
 * error. Rule: Find, getMore and killCursors Commands.
 */
type State = 'idle' | 'open' | 'exhausted' | 'closed';

/** A batch that was requested ahead, or the error of its command with its deadline. */
type Ahead = { readonly batch: Batch } | { readonly error: unknown; readonly deadline: Millis | undefined };

/** The limits of a killCursors command, instead of a new deadline. Rule: Client Side Operations Timeout, "Cursors". */
type Limits = Pick<Call, 'deadline' | 'signal'>;

/**
 * How long `close` waits for the killCursors command. If it was not sent by then, because every connection was in use, it is sent
 * later in the background.
 */
const killLimit: Millis = 500;

/**
 * Reads the documents of one command in batches. It keeps the bytes of a batch and decodes a document when it is taken. A `fetch`
 * during a running command waits for this command.
 */
export class Cursor {
  /** The deadline of the next commands. */
  deadline: Millis | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #open: OpenCursor;
  readonly #options: CursorOptions;
  /** The caller's session, or an implicit session that ends with the server's cursor. */
  readonly #session: Session;
  readonly #operationId: number;
  #state: State = 'idle';
  #batch: Batch | undefined;
  #id: bigint | undefined;
  #namespace = '';
  #address: Address | undefined;
  /** Behind a load balancer: the connection to the server that has the cursor. */
  #lease: Lease | undefined;
  #left: number;
  /** The running command that the caller waits for. */
  #fetching: Promise<boolean> | undefined;
  /** The result of the getMore after the buffered batch. */
  #ahead: Promise<Ahead> | undefined;
  /** Whether this getMore runs. */
  #runsAhead = false;
  #killing: 'no' | 'now' | 'done' = 'no';
  #isBroken = false;
  #ending: Promise<void> | undefined;

  constructor(dispatcher: Dispatcher, target: Target, opening: OpenCursor, options: CursorOptions) {
    // First, so that an invalid limit leaves no session.
    this.#left = limitOf(options.limit);
    this.#dispatcher = dispatcher;
    this.#target = target;
    this.#open = opening;
    this.#options = options;
    this.deadline = options.deadline;
    this.#session = options.session ?? dispatcher.implicitSession();
    this.#operationId = options.operationId ?? dispatcher.newOperationId();
  }

  /** The server's cursor id: undefined before the first reply, 0n if the server keeps no cursor. */
  get id(): bigint | undefined {
    return this.#id;
  }

  /** `db.collection`, from the first reply; empty before. */
  get namespace(): string {
    return this.#namespace;
  }

  /** Whether the first batch was requested. */
  get started(): boolean {
    return this.#state !== 'idle';
  }

  /** Whether no more batches follow. */
  get closed(): boolean {
    return this.#state === 'exhausted' || this.#state === 'closed';
  }

  /** Whether no more batches follow and every received document was taken. */
  get drained(): boolean {
    return this.closed && this.buffered === 0 && this.#ahead === undefined;
  }

  /** Whether killCursors was sent or is being sent. */
  get killed(): boolean {
    return this.#killing !== 'no';
  }

  /** Whether it was closed or failed before the last batch, so that the result is incomplete. */
  get broken(): boolean {
    return this.#isBroken;
  }

  /** Whether it keeps a connection, behind a load balancer. */
  get pinned(): boolean {
    return this.#lease !== undefined;
  }

  /** The number of received documents that were not taken yet. */
  get buffered(): number {
    return Math.min(this.#batch?.length ?? 0, this.#left);
  }

  /** Returns the next received document, or undefined. */
  take(): Document | undefined {
    if (this.#left <= 0) return undefined;
    const document = this.#batch?.next(this.#target.documents);
    if (document === undefined) this.#batch = undefined;
    else this.#left--;
    return document;
  }

  /** Starts a step. With `iteration` it gets a new deadline. */
  step(): void {
    if (this.#options.iteration === true) this.deadline = this.#options.renew?.();
  }

  /**
   * Runs the next command, unless the cursor is at its end. Afterwards `buffered` is the number of received documents, which may be 0 for
   * a tailable cursor. Resolves to false at the end. A pinned cursor that fails keeps its connection until it is closed.
   */
  fetch(): Promise<boolean> {
    if (this.#fetching !== undefined) return this.#fetching;
    if (this.#ahead !== undefined) return this.#reach(this.#ahead, this.#failedStep);
    return this.closed ? no : this.#fetch(this.#keep, this.#fetchedStep, this.#failedStep);
  }

  /** Returns all remaining documents. Decodes them inside the receive buffer. */
  async toArray(): Promise<Document[]> {
    const all: Document[] = [];
    const decode: TakeBatch<void> = (reply, attempt) => {
      const most = this.#left;
      this.#readState(reply, attempt);
      const shape = this.#target.documents;
      for (let count = 0; count < most; count++) {
        const document = reply.batch.next(shape);
        if (document === undefined) break;
        this.#left--;
        all.push(document);
      }
    };
    for (;;) {
      while (this.#fetching !== undefined) await this.#fetching;
      for (let document = this.take(); document !== undefined; document = this.take()) all.push(document);
      if (this.#ahead !== undefined) {
        await this.#reach(this.#ahead, this.#failed);
        continue;
      }
      if (this.closed) return all;
      this.step();
      await this.#fetch(decode, this.#fetched, this.#failed);
    }
  }

  /**
   * Kills the server's cursor and ends an implicit session. Never rejects.
   * @param deadline replaces the new deadline of timeoutMS. Rule: Client Side Operations Timeout, "Cursors".
   */
  async close(deadline?: Millis): Promise<void> {
    this.#shut();
    await this.#finish({ deadline });
  }

  #shut(): void {
    if (this.#state === 'open' && this.#id !== undefined && this.#id !== 0n) this.#isBroken = true;
    this.#state = 'closed';
    this.#batch = undefined;
    this.#ahead = undefined;
    this.#left = 0;
  }

  /** Kills the server's cursor and releases resources, after the last batch. Before the first reply there is no cursor to kill. */
  #finish(limits: Limits = {}): Soon<void> {
    if (this.#killing === 'now') return this.#ending;
    if (this.#id === undefined || this.#id === 0n) return this.#release();
    return (this.#ending = this.#kill(this.#id, limits));
  }

  async #kill(id: bigint, { deadline, signal }: Limits): Promise<void> {
    this.#id = 0n;
    this.#killing = 'now';
    // The cursor of a lost connection is gone. Rule: Load Balancers, "Behaviour With Cursors".
    const isReachable = this.#lease === undefined || (await this.#lease.connection.detach(cursorClosed()));
    if (isReachable) {
      const { dispatch, clock } = this.#dispatcher;
      const kill = new KillCursors(this.#target, this.#collection(), id);
      const { exchanges, renew } = this.#options;
      const until = deadline ?? renew?.() ?? Infinity;
      const by = until < noLimit ? until : clock.now() + killLimit;
      const call: Call = { session: this.#session, signal, deadline: by, exchanges };
      // Ignore errors. A command that was not sent is sent later in the background.
      await dispatch(createRequest(kill, this.#operationId, call, this.#pin())).catch((error: unknown) => {
        const wasSent = MongoError.is(error) && error.origin?.sent === true;
        if (!wasSent && this.#lease === undefined && this.#address !== undefined)
          this.#dispatcher.killLater(this.#address, this.#namespace, id);
      });
    }
    this.#killing = 'done';
    this.#release();
  }

  /** Releases the session and connection after the cursor's last command. */
  #release(): void {
    if (this.#fetching !== undefined || this.#runsAhead || this.#killing === 'now') return;
    const lease = this.#lease;
    this.#lease = undefined;
    lease?.release();
    if (this.#options.session === undefined) this.#session.end();
  }

  /** After a command: not earlier, because its connection was in use. */
  #freed(): void {
    if (this.closed) void this.#finish();
  }

  #fetch(take: TakeBatch<void>, fetched: () => boolean, failed: (error: unknown) => Soon<boolean>): Promise<boolean> {
    return (this.#fetching = this.#sent(take).then(fetched, failed));
  }

  /** Sends the next command. A command that cannot be built ends the cursor and its session, like a failed command. */
  #sent<T>(take: TakeBatch<T>): Promise<T> {
    try {
      return this.#send(take);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Requests the batch after the buffered one. The promise never rejects, because the caller may never reach that batch. */
  #fetchAhead(): void {
    this.step();
    this.#runsAhead = true;
    const { deadline } = this;
    const ended = (ahead: Ahead): Ahead => {
      this.#runsAhead = false;
      this.#freed();
      return ahead;
    };
    const take: TakeBatch<Batch> = (reply, attempt) => {
      this.#readState(reply, attempt);
      return reply.batch.keep();
    };
    this.#ahead = this.#sent(take).then(
      batch => ended({ batch }),
      (error: unknown) => ended({ error, deadline }),
    );
  }

  /** Makes the batch that was requested ahead the buffered one, or fails with its error. */
  #reach(ahead: Promise<Ahead>, failed: (error: unknown) => Soon<boolean>): Promise<boolean> {
    return (this.#fetching = ahead.then(result => {
      if (this.#ahead !== ahead) return this.#fetched();
      this.#ahead = undefined;
      if (!('batch' in result)) {
        // The caller's step may have renewed it since.
        this.deadline = result.deadline;
        return failed(result.error);
      }
      this.#batch = result.batch;
      return this.#fetchedStep();
    }));
  }

  #send<T>(take: TakeBatch<T>): Promise<T> {
    const { signal, exchanges } = this.#options;
    const call: Call = { session: this.#session, signal, deadline: this.deadline, exchanges };
    const first = this.#state === 'idle';
    this.#state = 'open';
    const operation: Operation<T> = first
      ? this.#open(take)
      : new GetMore(this.#target, this.#id ?? 0n, this.#collection(), this.#moreOptions(), take);
    return this.#dispatcher.dispatch(
      createRequest(operation, this.#operationId, call, first ? undefined : this.#pin()),
    );
  }

  /** The number of documents within the limit that were not received yet. */
  get #wanted(): number {
    return this.#left - (this.#batch?.length ?? 0);
  }

  /** Returns the options of getMore, with a batchSize of at most the remaining limit. */
  #moreOptions(): GetMoreOptions {
    const more = this.#options.more ?? {};
    const wanted = this.#wanted;
    if (wanted === Infinity) return more;
    const { batchSize = 0, maxTimeMS, comment } = more;
    return { batchSize: batchSize === 0 ? wanted : Math.min(Math.abs(batchSize), wanted), maxTimeMS, comment };
  }

  readonly #keep: TakeBatch<void> = (reply, attempt) => {
    this.#readState(reply, attempt);
    this.#batch = reply.batch.keep();
  };

  /**
   * Reads the state of the cursor from a reply. Since MongoDB 5.0 the server may keep a cursor whose limit is reached.
   * Rule: Find, getMore and killCursors Commands, "Behavior of Limit".
   */
  #readState(reply: CursorReply, attempt: Attempt): void {
    this.#id = this.killed ? 0n : reply.id;
    if (this.#state === 'closed' && reply.id !== 0n) this.#isBroken = true;
    this.#address = attempt.server.address;
    if (reply.id !== 0n && this.#lease === undefined && mustHold(attempt)) this.#lease = attempt.hold('cursor');
    const { namespace } = reply;
    if (namespace !== '') this.#namespace = namespace;
    this.#options.onBatch?.(reply, attempt);
    if (this.#state === 'open' && (reply.id === 0n || reply.batch.length >= this.#wanted)) this.#state = 'exhausted';
  }

  readonly #fetched = (): boolean => {
    this.#fetching = undefined;
    this.#freed();
    return this.buffered > 0 || !this.closed;
  };

  readonly #fetchedStep = (): boolean => {
    const continues = this.#fetched();
    if (this.#options.prefetch === true && this.#options.session === undefined && !this.closed) this.#fetchAhead();
    return continues;
  };

  /**
   * Ends the cursor after an error. If the server replied with the error, kills the cursor before it rejects, within the deadline and
   * unless the signal aborts. Otherwise the server may not respond, and the caller does not wait for the kill.
   */
  readonly #failed = (error: unknown): Soon<boolean> => {
    const wasClosed = this.#state === 'closed';
    this.#stop(error);
    const isServerError = !wasClosed && MongoError.is(error) && error.kind === 'server';
    const ending = this.#finish(isServerError ? { deadline: this.deadline, signal: this.#options.signal } : {});
    if (wasClosed) return false;
    if (ending === undefined || !isServerError) throw error;
    return ending.then(() => {
      throw error;
    });
  };

  /** Ends the cursor after an error of a step, but keeps a pinned connection until `close`. Rule: Load Balancers, "Behaviour With Cursors". */
  readonly #failedStep = (error: unknown): Soon<boolean> => {
    if (!this.pinned || this.#state === 'closed') return this.#failed(error);
    this.#stop(error);
    throw error;
  };

  #stop(error: unknown): void {
    this.#fetching = undefined;
    this.#shut();
    // CursorNotFound: there is nothing to kill.
    if (MongoError.is(error) && error.code === 43) this.#id = 0n;
  }

  #pin(): Pin | undefined {
    if (this.#lease !== undefined) return { lease: this.#lease };
    return this.#address === undefined ? undefined : { address: this.#address };
  }

  /** Returns the collection from the server's namespace, which differs from the target's for commands on a database. */
  #collection(): string {
    const dot = this.#namespace.indexOf('.');
    return dot < 0 ? this.#target.collection : this.#namespace.slice(dot + 1);
  }
}

/**
 * Returns the maximum number of documents.
 * @throws MongoError `usage` if the limit is not a whole number
 */
const limitOf = (limit: number | undefined): number => {
  const most = limit ?? 0;
  if (!Number.isSafeInteger(most))
    throw new MongoError('usage', `The option "limit" must be a whole number, but is ${String(most)}.`);
  return most === 0 ? Infinity : Math.abs(most);
};

/** Returns whether a cursor must keep its connection: behind a load balancer, unless a transaction keeps it. Rule: Load Balancers, "Connection Pinning". */
const mustHold = ({ topology, session }: Attempt): boolean =>
  topology === 'LoadBalanced' && (session?.pin === undefined || !('lease' in session.pin));

/** Returns the error for a running getMore on a pinned connection that is needed for killCursors. */
const cursorClosed = (): MongoError =>
  new MongoError('aborted', 'The cursor was closed while it waited for more documents.');

const no: Promise<boolean> = Promise.resolve(false);
