import type { Document, Millis, Soon } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { ChangeStreamCursor } from '@tessera/operations';
import type { Call, Fetched } from '@tessera/operations';
import type { AggregateOptions } from './aggregation-cursor.js';
import type { Driver } from './assemble.js';
import type { ChangeStreamDocument, OperationTime, ResumeToken } from './change-stream-documents.js';
import { changeStreamKind } from './change-stream-kind.js';
import { convertError, isOfClosing } from './convert-error.js';
import { CursorIterator, lastStep, toStep } from './cursor-iterator.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import type { Registration } from './emitter.js';
import { MongoAPIError, MongoChangeStreamError, MongoRuntimeError } from './errors.js';
import type { Handle } from './handle.js';
import { MongoDBNamespace } from './namespace.js';
import { checkWait, prefetchOf } from './cursor-options.js';
import { checkOptions, checkPipeline, isGiven } from './operation-options.js';
import { asPromise, rejectWith, rethrow } from './stack-trace.js';
import { deadlineOf } from './time-limit.js';
import type { HostReadable } from './types/host.js';

/**
 * Options of `watch`. The server rejects read concerns other than `majority`. `timeoutMS` limits each call that waits
 * for a change, including the time to resume.
 */
export interface ChangeStreamOptions extends Omit<
  AggregateOptions,
  'writeConcern' | 'tailable' | 'awaitData' | 'noCursorTimeout' | 'timeoutMode' | 'prefetch'
> {
  /**
   * Adds the whole document to update events. `updateLookup` reads the current document. `whenAvailable` and `required`
   * use the stored post-image; without one, `required` fails. Default: none.
   */
  fullDocument?: string | undefined;
  /**
   * Adds the stored document before the change (the pre-image) to events: `whenAvailable`, `required`, which fails
   * without one, or `off`. Default: `off`.
   */
  fullDocumentBeforeChange?: string | undefined;
  /**
   * Resumes after the event with this token. At most one of `resumeAfter`, `startAfter` and `startAtOperationTime` may
   * be set.
   */
  resumeAfter?: ResumeToken | undefined;
  /** Like `resumeAfter`, but also accepts the token of an `invalidate` event. */
  startAfter?: ResumeToken | undefined;
  /** Starts at this operation time, such as the `operationTime` of a session. */
  startAtOperationTime?: OperationTime | undefined;
  /** Adds events of indexes, of `create` and `modify`, and of sharding. Requires MongoDB 6.0. Default: false. */
  showExpandedEvents?: boolean | undefined;
}

/** The events of a change stream. */
export type ChangeStreamEvents<
  Schema extends object = Document,
  Change extends object = ChangeStreamDocument<Schema>,
> = {
  /** The resume token has changed. */
  resumeTokenChanged(token: ResumeToken): void;
  /** The server opened the stream, or opened it again after a resumable error. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the reply has no type, as in the official driver
  init(response: any): void;
  /** The server returned another batch. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as for init
  more(response: any): void;
  /** The server returned a reply. Emitted after each `init` and `more`. */
  response(): void;
  /** The server ended the stream. */
  end(): void;
  /** The stream failed. Unless the stream can be read again, `close` follows. */
  error(error: Error): void;
  /** A change arrived. A listener for this event starts the stream. */
  change(change: Change): void;
  /** The stream was closed by `close`, by its end, or after an error. */
  close(): void;
};

/** The watched object and the handle that runs the commands. */
export interface Watched<Parent> {
  readonly parent: Parent;
  readonly handle: Handle;
  /** Watches every database of the deployment; the handle is that of `admin`. */
  readonly isCluster?: boolean | undefined;
}

/** A started stream, and its driver, which still converts errors after the client was closed. */
interface Begun {
  readonly cursor: ChangeStreamCursor;
  readonly driver: Driver;
}

const CLOSED = 'ChangeStream is closed';

/**
 * The changes of a collection, a database or a deployment. Read them with `next`, `tryNext` or `for await`, or listen
 * for the event `change`, but not both. With a listener, the stream reads one batch at a time, calls the listeners
 * synchronously, and then requests the next batch. It ignores promises that listeners return. After a resumable error the stream resumes automatically; an aggregation with
 * `$changeStream` does not.
 *
 * To continue later, store {@link ChangeStream.resumeToken} after each change and after each `tryNext` that returned
 * null, or listen for `resumeTokenChanged`. The token also advances while no change matches.
 *
 * With `timeoutMS`, a call that takes too long throws a MongoOperationTimeoutError and the stream stays open: call
 * again, or close it. If no change has ever arrived, open another stream with a higher `timeoutMS`, because the server
 * may need more time to scan its oplog.
 */
export class ChangeStream<
  Schema extends object = Document,
  Change extends object = ChangeStreamDocument<Schema>,
> extends TypedEmitter<ChangeStreamEvents<Schema, Change>> {
  /** The name of the event `response`. */
  static readonly RESPONSE = 'response';
  /** The name of the event `more`. */
  static readonly MORE = 'more';
  /** The name of the event `init`. */
  static readonly INIT = 'init';
  /** The name of the event `close`. */
  static readonly CLOSE = 'close';
  /** The name of the event `change`. */
  static readonly CHANGE = 'change';
  /** The name of the event `end`. */
  static readonly END = 'end';
  /** The name of the event `error`. */
  static readonly ERROR = 'error';
  /** The name of the event `resumeTokenChanged`. */
  static readonly RESUME_TOKEN_CHANGED = 'resumeTokenChanged';

  readonly #parent: unknown;
  readonly #pipeline: readonly Document[];
  readonly #options: ChangeStreamOptions;
  readonly #handle: Handle;
  readonly #isCluster: boolean;
  #begun: Begun | undefined;
  #mode: 'iterator' | 'emitter' | undefined;
  #life: 'open' | 'ended' | 'closed' = 'open';
  #isFlowing = false;
  /** The number of calls that failed since a command last succeeded. */
  #failures = 0;
  #fetching: Promise<Fetched> | undefined;

  /**
   * Use the method `watch` of a client, database or collection instead.
   * @throws MongoInvalidArgumentError unless maxAwaitTimeMS is less than timeoutMS. Rule: Client Side Operations
   * Timeout.
   */
  constructor(
    { parent, handle, isCluster = false }: Watched<unknown>,
    pipeline: readonly Document[],
    options: ChangeStreamOptions,
  ) {
    super();
    checkPipeline(pipeline);
    checkOptions(options);
    prefetchOf(options, true);
    const { maxAwaitTimeMS, timeoutMS = handle.resolved.timeoutMS ?? 0 } = options;
    checkWait(maxAwaitTimeMS, timeoutMS);
    this.#parent = parent;
    this.#pipeline = pipeline;
    this.#options = { ...options };
    this.#handle = handle.with(options);
    this.#isCluster = isCluster;
  }

  /** The client, database or collection that created the stream. */
  get parent(): unknown {
    return this.#parent;
  }
  /** The stages after `$changeStream`. */
  get pipeline(): readonly Document[] {
    return this.#pipeline;
  }
  /** Whether the stream watches a collection, a database or a deployment. */
  get type(): symbol {
    return changeStreamKind(this.#handle.collection, this.#isCluster);
  }
  /** The options of the stream. */
  get options(): ChangeStreamOptions {
    return this.#options;
  }
  /** The collection or database of the stream, or `admin` for a deployment. */
  get namespace(): MongoDBNamespace {
    const { db, collection } = this.#handle;
    return new MongoDBNamespace(db, collection);
  }

  /**
   * The token from which the stream would resume now, or null if there is none. Pass it as `resumeAfter` to continue
   * later, or as `startAfter` after an `invalidate` event.
   */
  get resumeToken(): ResumeToken {
    const { startAfter, resumeAfter } = this.#options;
    const token = this.#begun === undefined ? (startAfter ?? resumeAfter) : this.#begun.cursor.token;
    return token ?? null;
  }

  /** Whether the stream was closed or has ended. */
  get closed(): boolean {
    return this.#life !== 'open';
  }

  /**
   * Returns the number of changes that the stream has received and the application has not read yet.
   * @example const count = stream.bufferedCount();
   */
  bufferedCount(): number {
    return this.#begun?.cursor.buffered ?? 0;
  }

  /**
   * Opens the stream on the server now, so that it includes every change from now on. Otherwise the first read opens it.
   * @throws MongoAPIError if the stream is closed
   * @example await stream.open();
   */
  open(): Promise<void> {
    return this.#step(async () => {
      const begun = this.#begin();
      if (!begun.cursor.opened) await this.#fetch(begun);
    });
  }

  /**
   * Waits for a change. Returns false if the stream is closed or the server has ended it.
   * @example while (await stream.hasNext()) console.log(await stream.next());
   */
  hasNext(): Promise<boolean> {
    return this.#iterate(() => this.#arrive(true));
  }

  /**
   * Waits for the next change.
   * @throws MongoAPIError if the stream is closed, also by another call while this call waits
   * @throws MongoRuntimeError if the server ends the stream, which closes it
   * @throws MongoChangeStreamError if the change has no resume token
   * @example const change = await stream.next();
   */
  next(): Promise<Change> {
    return Promise.resolve(this.#soon());
  }

  /**
   * Returns the next change, or null if the next batch is empty. After the server has ended the stream, the result is
   * null, and `closed` is true.
   * @throws MongoAPIError after `close`, or after an error that closed the stream
   * @example const change = await stream.tryNext();
   */
  tryNext(): Promise<Change | null> {
    return this.#iterate(async () => {
      if (this.#life === 'closed') throw this.#closedError();
      return (await this.#arrive(false)) ? (this.#take() ?? null) : null;
    });
  }

  /**
   * Iterates over the changes. Leaving the loop, or calling `return`, closes the stream and ends a pending `next`.
   * @example for await (const change of films.watch()) console.log(change.operationType);
   */
  [Symbol.asyncIterator](): AsyncGenerator<Change, void, void> {
    let isDone: boolean | undefined;
    const finish = async (): Promise<void> => {
      isDone = true;
      await this.close();
    };
    const settle = async (change: Promise<Change>): Promise<IteratorResult<Change, undefined>> => {
      try {
        return toStep(await change);
      } catch (error) {
        // `return` was called while this call was pending.
        if (isDone) return lastStep;
        await finish();
        return rethrow(error, settle);
      }
    };
    const next = (): Promise<IteratorResult<Change, undefined>> => {
      if ((isDone ??= this.closed)) return Promise.resolve(lastStep);
      const change = this.#soon();
      return change instanceof Promise ? settle(change) : Promise.resolve(toStep(change));
    };
    // A generator would run `return` only after its pending `next`, which may wait for a change that never comes.
    return new CursorIterator(next, finish);
  }

  /**
   * Returns a stream of the changes, on Node.js a `stream.Readable` in object mode. It resumes as the change stream
   * does.
   * @throws MongoChangeStreamError if the change stream is closed
   * @throws MongoAPIError if the change stream has a listener for `change`
   * @example for await (const change of films.watch().stream()) console.log(change);
   */
  stream(): HostReadable<Change> {
    if (this.closed) throw new MongoChangeStreamError(CLOSED);
    this.#use('iterator');
    const iterator: AsyncIterator<Change> = {
      next: async () =>
        (await this.hasNext()) ? { value: await this.next(), done: false } : { value: undefined, done: true },
      // A generator would close the stream only after the pending change has arrived.
      return: async () => {
        await this.close();
        return { value: undefined, done: true };
      },
    };
    const { streams } = this.#handle.origin.driver;
    const readsAhead = !isGiven(this.#options.session);
    const stream = streams.readable({ [Symbol.asyncIterator]: () => iterator }, { readsAhead });
    return stream as unknown as HostReadable<Change>;
  }

  /**
   * Closes the stream and its server cursor. A `next` that waits rejects with a MongoAPIError. A
   * waiting `hasNext` returns false, and a waiting `tryNext` null. Ignores errors of the server.
   * @param limit `timeoutMS` is the time limit of the command `killCursors` in milliseconds. Default: the timeoutMS of
   * the stream.
   * @throws MongoInvalidArgumentError for an invalid timeoutMS
   * @example await stream.close();
   */
  async close(limit?: { readonly timeoutMS?: number | undefined } | null): Promise<void> {
    const [timeoutMS, driver] = [limit?.timeoutMS, this.#begun?.driver];
    const isLimited = timeoutMS !== undefined && driver !== undefined;
    await this.#shut('closed', isLimited ? deadlineOf(driver, timeoutMS) : undefined);
  }

  /**
   * Closes the stream at the end of an `await using` block.
   * @example await using stream = films.watch();
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Adds a listener. A listener for `change` starts the stream. @throws MongoAPIError if the stream is already iterated */
  protected override add(name: string | symbol, one: Registration, place: 'first' | 'last'): this {
    if (name === 'change') this.#use('emitter');
    super.add(name, one, place);
    if (name === 'change') void this.#flow();
    return this;
  }

  #use(mode: 'iterator' | 'emitter'): void {
    if (this.#mode !== undefined && this.#mode !== mode)
      throw new MongoAPIError(
        mode === 'iterator'
          ? 'ChangeStream cannot be used as an iterator after being used as an EventEmitter'
          : 'ChangeStream cannot be used as an EventEmitter after being used as an iterator',
      );
    this.#mode = mode;
  }

  /** Returns a change that has arrived already, without the promises of waiting. Otherwise waits for the next change. */
  #soon(): Soon<Change> {
    const isReady = this.#mode === 'iterator' && this.#life === 'open' && this.#fetching === undefined;
    if (!isReady || this.bufferedCount() === 0 || isGiven(this.#options.session)) return this.#wait();
    try {
      // Throws if the client is closed.
      const { driver } = this.#handle.origin;
      return driver === this.#begun?.driver ? this.#take()! : this.#wait();
    } catch (error) {
      return this.#step(() => rejectWith(error));
    }
  }

  #wait(): Promise<Change> {
    return this.#iterate(async () => {
      while (await this.#arrive(true)) {
        // Another call may have waited for the same batch and taken all its changes.
        const change = this.#take();
        if (change !== undefined) return change;
      }
      throw this.#closedError();
    });
  }

  #iterate<T>(step: () => Promise<T>): Promise<T> {
    return asPromise(() => {
      this.#use('iterator');
      return this.#step(step);
    });
  }

  /** Converts errors to their public class, and closes the stream if its cursor is closed. */
  async #step<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (this.#begun?.cursor.closed !== false) await this.close();
      return rethrow(convertError(error), this.#step);
    }
  }

  /** Starts the stream if needed, and renews the deadline. Rule: Client Side Operations Timeout, "Change Streams". */
  #begin(): Begun {
    if (this.#life === 'closed') throw this.#closedError();
    const call = this.#handle.call(this.#options);
    const begun = (this.#begun ??= this.#create(call));
    begun.cursor.deadline = call.deadline ?? Infinity;
    return begun;
  }

  #create(call: Call): Begun {
    const { driver } = this.#handle.origin;
    const options = this.#isCluster ? { ...this.#options, allChangesForCluster: true } : this.#options;
    driver.started.add(this);
    return { driver, cursor: new ChangeStreamCursor(driver, this.#handle, this.#pipeline, options, call) };
  }

  /** Returns whether a change is buffered: false at the end, or, without `wait`, if one getMore brought none. */
  async #arrive(wait: boolean): Promise<boolean> {
    if (this.#life === 'closed') return false;
    const begun = this.#begin();
    const { cursor } = begun;
    while (cursor.buffered === 0) {
      const fetched = await this.#fetch(begun);
      if (fetched === 'ended') return false;
      if (fetched === 'more' && !wait) return cursor.buffered > 0;
    }
    return true;
  }

  /** Concurrent calls share one running command. */
  #fetch(begun: Begun): Promise<Fetched> {
    return (this.#fetching ??= this.#fetchOnce(begun).finally(() => (this.#fetching = undefined)));
  }

  async #fetchOnce({ cursor, driver }: Begun): Promise<Fetched> {
    const { token, deadline } = cursor;
    const { timeoutMS = this.#handle.resolved.timeoutMS } = this.#options;
    const called = { method: 'watch', namespace: this.#handle.namespace, call: { deadline, timeoutMS } };
    const fail = (error: unknown): never => driver.rethrow(error, called, fail);
    cursor.keepsAnswers = this.listenerCount('init') + this.listenerCount('more') > 0;
    const fetched = await cursor.fetch().catch(fail);
    this.#failures = 0;
    if (cursor.token !== token) emitSafely(this, this.#handle.origin, 'resumeTokenChanged', cursor.token);
    if (fetched === 'ended') await this.#shut('ended');
    else this.#emitAnswer(fetched, cursor.answer);
    return fetched;
  }

  /**
   * Returns a buffered change.
   * @throws MongoChangeStreamError if it has no resume token, which also closes the stream
   */
  #take(): Change | undefined {
    const cursor = this.#begun?.cursor;
    try {
      const change = cursor?.take() as Change | undefined;
      if (change !== undefined) emitSafely(this, this.#handle.origin, 'resumeTokenChanged', cursor?.token);
      return change;
    } catch (error) {
      if (!TesseraError.is(error) || error.kind !== 'usage') throw error;
      throw new MongoChangeStreamError(error.message, { from: error });
    }
  }

  /** Emits changes in a single loop, while there are listeners for `change`. */
  async #flow(): Promise<void> {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    while (this.#life === 'open' && this.listenerCount('change') > 0) {
      try {
        if (!(await this.#arrive(true))) break;
        this.#pour();
      } catch (error) {
        this.#failures++;
        const converted = convertError(error) as Error;
        const isClosing = this.#begun !== undefined && isOfClosing(converted);
        if (!isClosing) emitSafely(this, this.#handle.origin, 'error', converted);
        // A stream that cannot be reopened in time is closed, because it would fail forever.
        if (this.#failures > 1 || this.#begun?.cursor.closed !== false) await this.close();
      }
    }
    this.#isFlowing = false;
  }

  #pour(): void {
    while (this.listenerCount('change') > 0) {
      const change = this.#take();
      if (change === undefined) return;
      emitSafely(this, this.#handle.origin, 'change', change);
    }
  }

  #emitAnswer(fetched: 'opened' | 'more', answer: Document | undefined): void {
    if (answer !== undefined) emitSafely(this, this.#handle.origin, fetched === 'opened' ? 'init' : 'more', answer);
    emitSafely(this, this.#handle.origin, 'response');
  }

  async #shut(life: 'ended' | 'closed', deadline?: Millis): Promise<void> {
    if (this.#life === 'closed' || this.#life === life) return;
    const wasOpen = this.#life === 'open';
    this.#life = life;
    this.#begun?.driver.started.delete(this);
    await this.#begun?.cursor.close(deadline);
    if (!wasOpen) return;
    if (life === 'ended') emitSafely(this, this.#handle.origin, 'end');
    emitSafely(this, this.#handle.origin, 'close');
  }

  #closedError(): Error {
    return this.#life === 'ended' ? new MongoRuntimeError(CLOSED) : new MongoAPIError(CLOSED);
  }
}
