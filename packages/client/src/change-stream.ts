import type { Document, Millis } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { ChangeStreamCursor } from '@tessera/operations';
import type { Call, Fetched } from '@tessera/operations';
import type { AggregateOptions } from './aggregation-cursor.js';
import type { Driver } from './assemble.js';
import type { ChangeStreamDocument, OperationTime, ResumeToken } from './change-stream-documents.js';
import { convertError } from './convert-error.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import type { Registration } from './emitter.js';
import {
  MongoAPIError,
  MongoChangeStreamError,
  MongoClientClosedError,
  MongoInvalidArgumentError,
  MongoRuntimeError,
} from './errors.js';
import type { Handle } from './handle.js';
import { checkOptions, checkPipeline, isGiven } from './operation-options.js';
import { asPromise, rejectWith, rethrow } from './stack-trace.js';
import { checkTimeoutMS, deadlineOf } from './time-limit.js';

/**
 * The server wants the read concern `majority`, or none, for a change stream. `timeoutMS` is the time of each call for
 * changes, resumption included.
 */
export interface ChangeStreamOptions extends Omit<
  AggregateOptions,
  'writeConcern' | 'tailable' | 'awaitData' | 'noCursorTimeout' | 'timeoutMode'
> {
  /** `updateLookup`, `whenAvailable`, `required`: with an update comes the document after it. */
  readonly fullDocument?: string | undefined;
  /** `whenAvailable`, `required`, `off`: with a change comes the document before it. */
  readonly fullDocumentBeforeChange?: string | undefined;
  /** Changes after the one of this token. Only one of these three may be given: the server refuses more. */
  readonly resumeAfter?: ResumeToken | undefined;
  /** The same, also after the event `invalidate`. */
  readonly startAfter?: ResumeToken | undefined;
  readonly startAtOperationTime?: OperationTime | undefined;
  /** Events of indexes, of `create`, `modify` and of sharding, too. Since MongoDB 6.0. */
  readonly showExpandedEvents?: boolean | undefined;
}

export interface ChangeStreamEvents<
  Schema extends object = Document,
  Change extends object = ChangeStreamDocument<Schema>,
> {
  readonly resumeTokenChanged: (token: ResumeToken) => void;
  /** The server's answer to the aggregate, also when the stream is resumed. */
  readonly init: (response: Document) => void;
  /** The server's answer to a getMore. */
  readonly more: (response: Document) => void;
  /** After each of both. */
  readonly response: () => void;
  /** The server ended the stream. */
  readonly end: () => void;
  readonly error: (error: Error) => void;
  readonly change: (change: Change) => void;
  readonly close: () => void;
}

/** What a stream watches, and on whose behalf. */
export interface Watched<Parent> {
  readonly parent: Parent;
  readonly handle: Handle;
  /** Every database of the deployment; the handle is that of `admin`. */
  readonly isCluster?: boolean | undefined;
}

/** A stream that has begun, and the driver of that moment: it says what an error means also after the client was closed. */
interface Begun {
  readonly cursor: ChangeStreamCursor;
  readonly driver: Driver;
}

const CLOSED = 'ChangeStream is closed';
const lastStep: IteratorReturnResult<undefined> = { value: undefined, done: true };

/**
 * The changes of a collection, a database or a deployment, by calls or by events, but not both: listening for `change`
 * makes them flow, one batch at a time, and no more is asked for before the listeners have returned. It goes on by itself
 * after errors that pass; preferable therefore to an aggregation with `$changeStream`.
 *
 * To store where it stands, take {@link ChangeStream.resumeToken} after each change, and after each `tryNext` that brought
 * none, or listen for `resumeTokenChanged`: the token moves on although nothing matches.
 *
 * With `timeoutMS`, a call that takes too long fails with a MongoOperationTimeoutError and leaves the stream as it is: call
 * again, or close it. If no change has come yet, close it and open another one with more time: the server may never get
 * through its log in so little.
 */
export class ChangeStream<
  Schema extends object = Document,
  Change extends object = ChangeStreamDocument<Schema>,
> extends TypedEmitter<ChangeStreamEvents<Schema, Change>> {
  static readonly RESPONSE = 'response';
  static readonly MORE = 'more';
  static readonly INIT = 'init';
  static readonly CLOSE = 'close';
  static readonly CHANGE = 'change';
  static readonly END = 'end';
  static readonly ERROR = 'error';
  static readonly RESUME_TOKEN_CHANGED = 'resumeTokenChanged';

  /** The client, database or collection. */
  readonly parent: unknown;
  readonly pipeline: readonly Document[];
  readonly options: ChangeStreamOptions;
  readonly #handle: Handle;
  readonly #isCluster: boolean;
  #begun: Begun | undefined;
  #mode: 'iterator' | 'emitter' | undefined;
  #life: 'open' | 'ended' | 'closed' = 'open';
  #isFlowing = false;
  #fetching: Promise<Fetched> | undefined;

  /** @throws MongoInvalidArgumentError if maxAwaitTimeMS leaves nothing of timeoutMS. Rule: Client Side Operations Timeout. */
  constructor(
    { parent, handle, isCluster = false }: Watched<unknown>,
    pipeline: readonly Document[],
    options: ChangeStreamOptions,
  ) {
    super();
    checkPipeline(pipeline);
    checkOptions(options);
    const { maxAwaitTimeMS, timeoutMS = handle.resolved.timeoutMS ?? 0 } = options;
    // Otherwise the first call checks it.
    if (isGiven(maxAwaitTimeMS)) checkTimeoutMS(timeoutMS);
    if (isGiven(maxAwaitTimeMS) && timeoutMS > 0 && maxAwaitTimeMS >= timeoutMS)
      throw new MongoInvalidArgumentError(
        `maxAwaitTimeMS (${maxAwaitTimeMS}) must be less than timeoutMS (${timeoutMS}), or every call would time out.`,
      );
    this.parent = parent;
    this.pipeline = pipeline;
    this.options = { ...options };
    this.#handle = handle.with(options);
    this.#isCluster = isCluster;
  }

  /** `db.collection`; without a collection for a whole database, `admin` for a whole deployment. */
  get namespace(): string {
    const { db, collection } = this.#handle;
    return collection === '' ? db : `${db}.${collection}`;
  }

  /** With which it would be resumed now, by itself or by `resumeAfter`; null while there is none. */
  get resumeToken(): ResumeToken {
    const { startAfter, resumeAfter } = this.options;
    const token = this.#begun === undefined ? (startAfter ?? resumeAfter) : this.#begun.cursor.token;
    return token ?? null;
  }

  get closed(): boolean {
    return this.#life !== 'open';
  }

  /** Changes that have come and were not asked for yet. */
  bufferedCount(): number {
    return this.#begun?.cursor.buffered ?? 0;
  }

  /** Sends the aggregate now, so that every change from here on is seen; else the first call for changes does. */
  open(): Promise<void> {
    return this.#step(async () => {
      const begun = this.#begin();
      if (!begun.cursor.opened) await this.#fetch(begun);
    });
  }

  /** Waits for a change; false once the stream is closed or the server has ended it. */
  hasNext(): Promise<boolean> {
    return this.#iterate(() => this.#arrive(true));
  }

  /** Waits for the next change. @throws MongoAPIError once the stream is closed, MongoRuntimeError if the server ended it. */
  next(): Promise<Change> {
    return this.#iterate(async () => {
      while (await this.#arrive(true)) {
        // Another call may have waited for the same batch, and have taken it all.
        const change = this.#take();
        if (change !== undefined) return change;
      }
      throw this.#closedError();
    });
  }

  /** The next change; null when none has come with one more getMore. @throws MongoAPIError once the stream is closed. */
  tryNext(): Promise<Change | null> {
    return this.#iterate(async () => {
      if (this.#life === 'closed') throw this.#closedError();
      return (await this.#arrive(false)) ? (this.#take() ?? null) : null;
    });
  }

  /** Iterates over the changes. Leaving the loop, or calling `return`, closes the stream and ends a pending `next`. */
  [Symbol.asyncIterator](): AsyncGenerator<Change, void, void> {
    let isDone: boolean | undefined;
    const finish = async (): Promise<void> => {
      isDone = true;
      await this.close();
    };
    // A generator would run `return` only after its pending `next`, which may wait for a change that never comes.
    const next = async (): Promise<IteratorResult<Change, undefined>> => {
      if ((isDone ??= this.closed)) return lastStep;
      try {
        return { value: await this.next(), done: false };
      } catch (error) {
        // `return` was called while this call was pending.
        if (isDone) return lastStep;
        await finish();
        return rethrow(error, next);
      }
    };
    const iterator: AsyncGenerator<Change, void, void> = {
      next,
      return: async () => {
        await finish();
        return lastStep;
      },
      throw: async error => {
        await finish();
        return rejectWith(error);
      },
      [Symbol.asyncIterator]: () => iterator,
      [Symbol.asyncDispose]: finish,
    };
    return iterator;
  }

  /** A host's own stream of the changes; on Node.js a `stream.Readable` in object mode. It resumes as the others do. */
  stream(): unknown {
    if (this.closed) throw new MongoChangeStreamError(CLOSED);
    this.#use('iterator');
    const iterator: AsyncIterator<Change> = {
      next: async () =>
        (await this.hasNext()) ? { value: await this.next(), done: false } : { value: undefined, done: true },
      // A generator would not do so before the change has come that is waited for.
      return: async () => {
        await this.close();
        return { value: undefined, done: true };
      },
    };
    const readsAhead = (this.options.session ?? undefined) === undefined;
    return this.#handle.origin.driver.streams.readable({ [Symbol.asyncIterator]: () => iterator }, { readsAhead });
  }

  /**
   * Ends it here and on the server; a call that waits for changes fails. Never fails itself, but for a timeoutMS that
   * cannot be. Without one it has the whole time of a call for changes.
   */
  async close(limit?: { readonly timeoutMS?: number | undefined } | null): Promise<void> {
    const timeoutMS = limit?.timeoutMS;
    const driver = this.#begun?.driver;
    const deadline = timeoutMS === undefined || driver === undefined ? undefined : deadlineOf(driver, timeoutMS);
    await this.#shut('closed', deadline);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Listening for `change` makes changes flow. @throws MongoAPIError if the stream is iterated already. */
  protected override add(
    name: keyof ChangeStreamEvents<Schema, Change>,
    one: Registration,
    place: 'first' | 'last',
  ): this {
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

  #iterate<T>(step: () => Promise<T>): Promise<T> {
    return asPromise(() => {
      this.#use('iterator');
      return this.#step(step);
    });
  }

  /** Errors as users know them; one that ends the stream closes it. */
  async #step<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (this.#begun?.cursor.closed !== false) await this.close();
      return rethrow(convertError(error), this.#step);
    }
  }

  /** Each call has the whole time. Rule: Client Side Operations Timeout, "Change Streams". */
  #begin(): Begun {
    if (this.#life === 'closed') throw this.#closedError();
    const call = this.#handle.call(this.options);
    const begun = (this.#begun ??= this.#create(call));
    begun.cursor.deadline = call.deadline ?? Infinity;
    return begun;
  }

  #create(call: Call): Begun {
    const { driver } = this.#handle.origin;
    const options = this.#isCluster ? { ...this.options, allChangesForCluster: true } : this.options;
    return { driver, cursor: new ChangeStreamCursor(driver, this.#handle, this.pipeline, options, call) };
  }

  /** Whether a change is there: false at the end, or, when not waiting, if one getMore brought none. */
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

  /** Who asks while a command is under way waits for that same command. */
  #fetch(begun: Begun): Promise<Fetched> {
    return (this.#fetching ??= this.#fetchOnce(begun).finally(() => (this.#fetching = undefined)));
  }

  async #fetchOnce({ cursor, driver }: Begun): Promise<Fetched> {
    const { token, deadline } = cursor;
    const { timeoutMS = this.#handle.resolved.timeoutMS } = this.options;
    cursor.keepsAnswers = this.listenerCount('init') + this.listenerCount('more') > 0;
    const fetched = await cursor.fetch().catch((error: unknown) => driver.rethrow(error, deadline, timeoutMS));
    if (cursor.token !== token) emitSafely(this, this.#handle.origin, 'resumeTokenChanged', cursor.token);
    if (fetched === 'ended') await this.#shut('ended');
    else this.#emitAnswer(fetched, cursor.answer);
    return fetched;
  }

  /** A change that has come already. @throws MongoChangeStreamError if it lacks its token: the stream is closed then. */
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

  /** One loop at a time; it rests while nobody listens. */
  async #flow(): Promise<void> {
    if (this.#isFlowing) return;
    this.#isFlowing = true;
    let failures = 0;
    while (this.#life === 'open' && this.listenerCount('change') > 0) {
      try {
        if (!(await this.#arrive(true))) break;
        failures = 0;
        this.#pour();
      } catch (error) {
        failures++;
        const converted = convertError(error) as Error;
        if (!(converted instanceof MongoClientClosedError)) emitSafely(this, this.#handle.origin, 'error', converted);
        // One that times out again as soon as it is opened anew would do nothing else.
        if (failures > 1 || this.#begun?.cursor.closed !== false) await this.close();
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
    await this.#begun?.cursor.close(deadline);
    if (!wasOpen) return;
    if (life === 'ended') emitSafely(this, this.#handle.origin, 'end');
    emitSafely(this, this.#handle.origin, 'close');
  }

  #closedError(): Error {
    return this.#life === 'ended' ? new MongoRuntimeError(CLOSED) : new MongoAPIError(CLOSED);
  }
}
