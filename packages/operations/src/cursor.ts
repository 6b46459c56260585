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

/** The command that opens the cursor; its documents are taken by `take`. */
export type OpenCursor = <T>(take: TakeBatch<T>) => Operation<T>;

export interface CursorOptions extends Call {
  readonly more?: GetMoreOptions | undefined;
  /** Documents in all; 0 is no limit. */
  readonly limit?: number | undefined;
  /** An empty batch is no end: the server waits for documents. */
  readonly tailable?: boolean | undefined;
  /** The deadline is for each step, not for all of them. Rule: CSOT, "Cursors", `timeoutMode`. */
  readonly iteration?: boolean | undefined;
  /** Where several cursors are one operation. */
  readonly operationId?: number | undefined;
  /** Hears of every batch before it is read. */
  readonly onBatch?: TakeBatch<void> | undefined;
}

/**
 * Rule: Find, getMore and killCursors Commands. `idle`: no command was sent yet; `exhausted`: no more is to be asked for;
 * `closed`: by the caller, or by an error.
 */
type State = 'idle' | 'open' | 'exhausted' | 'closed';

/** Of what ends a cursor on the server, in place of timeoutMS anew. Rule: CSOT, "Cursors". */
type Limits = Pick<Call, 'deadline' | 'signal'>;

/**
 * How long `close` waits for the server to end the cursor. A command that was not sent by then, because every connection was
 * busy, is sent later in the background.
 */
const killLimit: Millis = 500;

/**
 * The documents of one command, batch by batch. A batch's bytes are kept and decoded document by document, so that one
 * that is never asked for is never built. Who asks while a command is under way waits for that same command.
 */
export class Cursor {
  /** Of the commands from now on. */
  deadline: Millis | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #target: Target;
  readonly #open: OpenCursor;
  readonly #options: CursorOptions;
  /** The caller's session, else one that ends with the server's cursor. */
  readonly #session: Session;
  readonly #operationId: number;
  #state: State = 'idle';
  #batch: Batch | undefined;
  #id: bigint | undefined;
  #namespace = '';
  #address: Address | undefined;
  /** Behind a load balancer: the one connection that leads to the server's cursor. */
  #lease: Lease | undefined;
  #left: number;
  /** The command under way. */
  #fetching: Promise<boolean> | undefined;
  #killing: 'no' | 'now' | 'done' = 'no';
  #isBroken = false;
  #ending: Promise<void> | undefined;

  constructor(dispatcher: Dispatcher, target: Target, opening: OpenCursor, options: CursorOptions) {
    // Before the session starts: a wrong limit must not leave a session behind.
    this.#left = limitOf(options.limit);
    this.#dispatcher = dispatcher;
    this.#target = target;
    this.#open = opening;
    this.#options = options;
    this.deadline = options.deadline;
    this.#session = options.session ?? dispatcher.implicitSession();
    this.#operationId = options.operationId ?? dispatcher.newOperationId();
  }

  /** The server's cursor: undefined before the first reply, 0n when it keeps none. */
  get id(): bigint | undefined {
    return this.#id;
  }

  /** `db.collection`, as the server said; empty before the first reply. */
  get namespace(): string {
    return this.#namespace;
  }

  get started(): boolean {
    return this.#state !== 'idle';
  }

  /** Nothing more will come from the server. */
  get closed(): boolean {
    return this.#state === 'exhausted' || this.#state === 'closed';
  }

  /** The server was told to end its cursor. */
  get killed(): boolean {
    return this.#killing !== 'no';
  }

  /** It was closed, or failed, while the server had more to tell: what came of it is not all. */
  get broken(): boolean {
    return this.#isBroken;
  }

  /** Behind a load balancer it keeps a connection for itself. */
  get pinned(): boolean {
    return this.#lease !== undefined;
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

  /** A step begins: under `iteration` it has the whole time. */
  step(): void {
    if (this.#options.iteration === true) this.deadline = this.#options.renew?.();
  }

  /**
   * One more command, if there is more to come: after it, `buffered` tells what came (a tailable cursor's batch may be
   * empty). Answers false when there is no more. A pinned cursor that fails keeps its connection until it is closed.
   */
  fetch(): Promise<boolean> {
    if (this.#fetching !== undefined) return this.#fetching;
    return this.closed ? no : this.#fetch(this.#keep, this.#failedStep);
  }

  /** Every document that is left, decoded where it lies in the receive buffer. */
  async toArray(): Promise<Document[]> {
    const all: Document[] = [];
    const decode: TakeBatch<void> = (reply, attempt) => {
      const most = this.#left;
      this.#learn(reply, attempt);
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
      if (this.closed) return all;
      this.step();
      await this.#fetch(decode, this.#failed);
    }
  }

  /**
   * Ends the server's cursor, if it has one, and the session, if it is the cursor's own. Never fails.
   * @param deadline of that, in place of timeoutMS anew. Rule: CSOT, "Cursors"
   */
  async close(deadline?: Millis): Promise<void> {
    this.#shut();
    await this.#finish({ deadline });
  }

  #shut(): void {
    if (this.#state === 'open' && this.#id !== undefined && this.#id !== 0n) this.#isBroken = true;
    this.#state = 'closed';
    this.#batch = undefined;
    this.#left = 0;
  }

  /** Once no more will come. Where the first reply is still on its way there is nothing to kill yet. */
  #finish(limits: Limits = {}): Soon<void> {
    if (this.#killing === 'now') return this.#ending;
    if (this.#id === undefined || this.#id === 0n) return this.#release();
    return (this.#ending = this.#kill(this.#id, limits));
  }

  async #kill(id: bigint, { deadline, signal }: Limits): Promise<void> {
    this.#id = 0n;
    this.#killing = 'now';
    // A connection that is lost has taken the cursor along. Rule: Load Balancers, "Behaviour With Cursors".
    const isReachable = this.#lease === undefined || (await this.#lease.connection.detach(cursorClosed()));
    if (isReachable) {
      const { dispatch, clock } = this.#dispatcher;
      const kill = new KillCursors(this.#target, this.#collection(), id);
      const { exchanges, renew } = this.#options;
      const until = deadline ?? renew?.() ?? Infinity;
      const by = until < noLimit ? until : clock.now() + killLimit;
      const call: Call = { session: this.#session, signal, deadline: by, exchanges };
      // The caller has nothing to mend when a kill fails: a command that was not sent is sent later, in the background.
      await dispatch(createRequest(kill, this.#operationId, call, this.#pin())).catch((error: unknown) => {
        const wasSent = MongoError.is(error) && error.origin?.sent === true;
        if (!wasSent && this.#lease === undefined && this.#address !== undefined)
          this.#dispatcher.killLater(this.#address, this.#namespace, id);
      });
    }
    this.#killing = 'done';
    this.#release();
  }

  /** Gives session and connection back once no command of this cursor uses them. */
  #release(): void {
    if (this.#fetching !== undefined || this.#killing === 'now') return;
    const lease = this.#lease;
    this.#lease = undefined;
    lease?.release();
    if (this.#options.session === undefined) this.#session.end();
  }

  #fetch(take: TakeBatch<void>, failed: (error: unknown) => Soon<boolean>): Promise<boolean> {
    let sent: Promise<void>;
    try {
      sent = this.#send(take);
    } catch (error) {
      // A command that cannot be built ends the cursor and its session, as a failed command does.
      sent = Promise.reject(error);
    }
    return (this.#fetching = sent.then(this.#fetched, failed));
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

  /** Since MongoDB 5.0 the server keeps a cursor whose limit is reached. Rule: the same, "Behavior of Limit". */
  #learn(reply: CursorReply, attempt: Attempt): void {
    this.#id = this.killed ? 0n : reply.id;
    if (this.#state === 'closed' && reply.id !== 0n) this.#isBroken = true;
    this.#address = attempt.server.address;
    if (reply.id !== 0n && this.#lease === undefined && mustHold(attempt)) this.#lease = attempt.hold('cursor');
    if (reply.namespace !== '') this.#namespace = reply.namespace;
    this.#options.onBatch?.(reply, attempt);
    if (this.#state === 'open' && (reply.id === 0n || reply.batch.length >= this.#left)) this.#state = 'exhausted';
  }

  readonly #fetched = (): boolean => {
    this.#fetching = undefined;
    // Only now: before, the command's own connection was not free.
    if (this.closed) void this.#finish();
    return this.buffered > 0 || !this.closed;
  };

  /**
   * A server that answers ends its cursor at once, and then the caller is told, within the time that it has and unless it aborts;
   * for one that does not answer nobody waits.
   */
  readonly #failed = (error: unknown): Soon<boolean> => {
    const wasClosed = this.#state === 'closed';
    this.#stop(error);
    const isRefusal = !wasClosed && MongoError.is(error) && error.kind === 'server';
    const ending = this.#finish(isRefusal ? { deadline: this.deadline, signal: this.#options.signal } : {});
    if (wasClosed) return false;
    if (ending === undefined || !isRefusal) throw error;
    return ending.then(() => {
      throw error;
    });
  };

  /** Rule: Load Balancers, "Behaviour With Cursors": the connection stays until the cursor is closed. */
  readonly #failedStep = (error: unknown): Soon<boolean> => {
    if (!this.pinned || this.#state === 'closed') return this.#failed(error);
    this.#stop(error);
    throw error;
  };

  #stop(error: unknown): void {
    this.#fetching = undefined;
    this.#shut();
    // The server has forgotten a cursor that it does not find, and a lost connection took it along only sometimes.
    if (MongoError.is(error) && error.code === 43) this.#id = 0n;
  }

  #pin(): Pin | undefined {
    if (this.#lease !== undefined) return { lease: this.#lease };
    return this.#address === undefined ? undefined : { address: this.#address };
  }

  /** The server's own name for it: it differs for commands on a whole database. */
  #collection(): string {
    const dot = this.#namespace.indexOf('.');
    return dot < 0 ? this.#target.collection : this.#namespace.slice(dot + 1);
  }
}

/** @throws MongoError `usage` for a limit that no count of documents reaches. */
const limitOf = (limit: number | undefined): number => {
  const most = limit ?? 0;
  if (!Number.isSafeInteger(most))
    throw new MongoError('usage', `The option "limit" must be a whole number, but is ${String(most)}.`);
  return most === 0 ? Infinity : Math.abs(most);
};

/** Unless a transaction holds it. Rule: Load Balancers, "Connection Pinning". */
const mustHold = ({ topology, session }: Attempt): boolean =>
  topology === 'LoadBalanced' && (session?.pin === undefined || !('lease' in session.pin));

/** Fails the getMore that is under way on the connection on which the cursor must be ended. */
const cursorClosed = (): MongoError =>
  new MongoError('aborted', 'The cursor was closed while it waited for more documents.');

const no: Promise<boolean> = Promise.resolve(false);
