import type { Document, Long, Signal } from '@tessera/contracts';
import { Cursor } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import type { Driver } from './assemble.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern } from './concerns.js';
import { convertError } from './convert-error.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import {
  MongoAPIError,
  MongoCursorExhaustedError,
  MongoCursorInUseError,
  MongoInvalidArgumentError,
} from './errors.js';
import type { CommandOptions, Handle } from './handle.js';
import {
  argument,
  checkArgument,
  checkOption,
  checkOptions,
  isGiven,
  operationOptions,
  shown,
} from './operation-options.js';
import type { OptionTable } from './operation-options.js';
import { asPromise, rejectWith, rethrow, rethrowConverted } from './stack-trace.js';
import type { Above } from './stack-trace.js';
import { checkTimeoutMS, deadlineOf } from './time-limit.js';

/** What timeoutMS is the time of: all that is done with the cursor, or each call for documents. */
export const CursorTimeoutMode = { ITERATION: 'iteration', LIFETIME: 'cursorLifetime' } as const;
export type CursorTimeoutMode = (typeof CursorTimeoutMode)[keyof typeof CursorTimeoutMode];

export interface AbstractCursorOptions extends CommandOptions {
  readonly batchSize?: number | undefined;
  /** How long the server waits for new documents before it answers an empty batch; for cursors that await data. */
  readonly maxAwaitTimeMS?: number | undefined;
  readonly tailable?: boolean | undefined;
  readonly awaitData?: boolean | undefined;
  readonly noCursorTimeout?: boolean | undefined;
  /** Together with timeoutMS; `cursorLifetime` by default, but `iteration` for tailable cursors, which know nothing else. */
  readonly timeoutMode?: CursorTimeoutMode | undefined;
}

export interface AbstractCursorEvents {
  /** Nothing more comes from the server, or the cursor was closed; once, until it is rewound. */
  readonly close: () => void;
}

export type Transform<From, To> = (document: From) => To;

/** A cursor that has begun: what asks for documents, and what it was settled for. */
interface Begun {
  readonly cursor: Cursor;
  readonly driver: Driver;
  readonly timeoutMS: number | undefined;
}

const modes: readonly string[] = Object.values(CursorTimeoutMode);
const flags: readonly string[] = ['tailable', 'noCursorTimeout', 'awaitData'];

/** Documents of one command, under the official driver's names. What opens it is settled at the first call for documents. */
export abstract class AbstractCursor<
  Schema = Document,
  Options extends AbstractCursorOptions = AbstractCursorOptions,
> extends TypedEmitter<AbstractCursorEvents> {
  static readonly CLOSE = 'close' as const;
  protected readonly handle: Handle;
  protected readonly options: Options;
  protected transform: Transform<Document, unknown> | undefined;
  #begun: Begun | undefined;
  #closed = false;
  #hasEmittedClose = false;
  /** By an iterator, which closes what failed. */
  #isIterated = false;

  constructor(handle: Handle, options: Options) {
    super();
    this.handle = handle;
    checkOptions(options, this.table);
    this.options = { ...options };
    this.#timeoutMode();
  }

  /** The options that are checked. */
  protected get table(): OptionTable {
    return operationOptions;
  }

  /** The command that opens the cursor. */
  protected abstract opening(handle: Handle): { readonly open: OpenCursor; readonly limit?: number | undefined };

  /** Its getMores wait for documents: maxTimeMS limits each of them, not the life of the cursor. */
  protected get awaits(): boolean {
    return this.options.tailable === true && this.options.awaitData === true;
  }

  /** Only then a getMore may say how long. Rule: Find, getMore and killCursors Commands, "maxTimeMS". */
  protected get isTimed(): boolean {
    return this.awaits;
  }

  /** Whether its getMores bear the comment, too. */
  protected get isCommented(): boolean {
    return true;
  }

  /** Another that says the same; without the functions of `map`. */
  abstract clone(): AbstractCursor<Schema, Options>;

  /** The server's cursor id: undefined before the first reply, zero when it keeps none. */
  get id(): Long | undefined {
    const id = this.#begun?.cursor.id;
    return id === undefined ? undefined : this.#begun?.driver.bson.values.Long.fromBigInt(id);
  }

  get namespace(): string {
    const { db, collection } = this.handle;
    const known = this.#begun?.cursor.namespace ?? '';
    return known === '' ? `${db}.${collection}` : known;
  }

  get readPreference(): ReadPreference {
    return this.handle.withChecked(this.options).resolved.readPreference ?? ReadPreference.primary;
  }

  get readConcern(): ReadConcern | undefined {
    return this.handle.withChecked(this.options).resolved.readConcern;
  }

  get signal(): Signal | undefined {
    return this.options.signal;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Closed before the server had sent every document. */
  get killed(): boolean {
    return this.#begun?.cursor.broken ?? false;
  }

  /** Documents that have come and were not asked for yet. */
  bufferedCount(): number {
    return this.#begun?.cursor.buffered ?? 0;
  }

  /** At most so many of the documents that have come already; no command is sent. */
  readBufferedDocuments(most: number = this.bufferedCount()): Schema[] {
    checkArgument('most', most, argument.count);
    const documents: Schema[] = [];
    while (documents.length < most) {
      const document = this.#begun?.cursor.take();
      if (document === undefined) break;
      documents.push(this.#shaped(document));
    }
    return documents;
  }

  /**
   * The next document; null when there are no more. A tailable cursor waits for one.
   * @throws MongoCursorExhaustedError if it was closed before the server had sent every document.
   */
  next(): Promise<Schema | null> {
    return this.killed ? exhausted() : this.#give<Schema | null>(true, asItIs, null);
  }

  /** The next document; null when none has come after one more command. @throws as `next` */
  tryNext(): Promise<Schema | null> {
    return this.killed ? exhausted() : this.#give<Schema | null>(false, asItIs, null);
  }

  hasNext(): Promise<boolean> {
    return this.#arrive(true);
  }

  /** Every document that is left. */
  toArray(): Promise<Schema[]> {
    try {
      this.#checkSignal();
      if (this.#closed) return Promise.resolve([]);
      const begun = this.#begin();
      const { cursor, driver, timeoutMS } = begun;
      const failed = (error: unknown): never => {
        this.#ended(begun);
        return driver.rethrow(error, cursor.deadline, timeoutMS, failed);
      };
      return cursor.toArray().then(documents => {
        this.#ended(begun);
        return this.transform === undefined
          ? (documents as Schema[])
          : documents.map(document => this.#shaped(document));
      }, failed);
    } catch (error) {
      return rejectWith(this.#failed(error));
    }
  }

  /** Calls for each document in order; a result of false ends it. */
  forEach(visit: (document: Schema) => boolean | void | Promise<boolean | void>): Promise<void> {
    return asPromise(() => {
      checkArgument('callback', visit, argument.callback);
      return this.#forEach(visit);
    });
  }

  /** Documents go through the function on their way to the caller. It must not answer null, which is a cursor's end. */
  map<To>(transform: Transform<Schema, To>): AbstractCursor<To, Options> {
    this.settle('map');
    checkArgument('callback', transform, argument.callback);
    const before = this.transform;
    this.transform = (
      before === undefined ? transform : (document: Document) => transform(before(document) as Schema)
    ) as Transform<Document, unknown>;
    return this as unknown as AbstractCursor<To, Options>;
  }

  batchSize(batchSize: number): this {
    return this.set('batchSize', batchSize);
  }

  maxTimeMS(maxTimeMS: number): this {
    return this.set('maxTimeMS', maxTimeMS);
  }

  withReadPreference(readPreference: NonNullable<Options['readPreference']>): this {
    return this.set('readPreference', readPreference);
  }

  withReadConcern(readConcern: NonNullable<Options['readConcern']>): this {
    return this.set('readConcern', readConcern);
  }

  addCursorFlag(flag: 'tailable' | 'noCursorTimeout' | 'awaitData', value: boolean): this {
    if (!flags.includes(flag))
      throw new MongoInvalidArgumentError(`There is no cursor flag ${shown(flag)}; use one of ${flags.join(', ')}.`);
    return this.set(flag, value);
  }

  /** A host's own stream of the documents; on Node.js a `stream.Readable` in object mode. */
  stream(): unknown {
    // The caller may use the session between two documents, and a transaction runs one operation at a time.
    return this.handle.origin.driver.streams.readable(this, { readsAhead: !isGiven(this.options.session) });
  }

  /** Begins anew: the next call sends the command again. */
  rewind(): void {
    const begun = this.#begun;
    this.#begun = undefined;
    this.#closed = false;
    this.#hasEmittedClose = false;
    void begun?.cursor.close();
  }

  /**
   * Ends the server's cursor, if there is one. Never fails, but for a timeoutMS that cannot be. Without one it has the whole
   * time of the cursor's own, also where that has run out.
   */
  async close(limit?: { readonly timeoutMS?: number | undefined } | null): Promise<void> {
    const timeoutMS = limit?.timeoutMS;
    this.#closed = true;
    const begun = this.#begun;
    if (begun !== undefined)
      await begun.cursor.close(timeoutMS === undefined ? undefined : deadlineOf(begun.driver, timeoutMS));
    if (this.#begun === begun) this.#emitClose();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Schema, undefined> {
    return this.#iterator(this.#giveNext);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected set<Name extends keyof Options>(name: Name, value: Options[Name]): this {
    this.settle(String(name));
    checkOption(String(name), value, this.table);
    this.options[name] = value;
    return this;
  }

  /** @throws MongoCursorInUseError once the command was sent: it cannot say more. */
  protected settle(what: string): void {
    if (this.#begun?.cursor.started === true)
      throw new MongoCursorInUseError(
        `The cursor on ${this.namespace} has begun: ${what} must be set before the first document is asked for.`,
      );
  }

  #begin(): Begun {
    if (this.#begun !== undefined) return this.#begun;
    const handle = this.handle.withChecked(this.options);
    const { driver } = handle.origin;
    const { open, limit } = this.opening(handle);
    const { batchSize, maxAwaitTimeMS, comment, tailable } = this.options;
    const iteration = this.#timeoutMode() === 'iteration';
    const { session, signal, deadline, renew, exchanges, timeoutMS } = handle.call(this.options);
    // No spread: that would be the dearest of all that a cursor does.
    const cursor = new Cursor(driver, handle, open, {
      session,
      signal,
      deadline,
      renew,
      // The server counts all its work for the cursor against the maxTimeMS of the first command.
      exchanges: iteration && !this.awaits ? driver.timeLimits.withoutMaxTime : exchanges,
      iteration,
      limit,
      tailable,
      more: {
        batchSize: batchSize ?? undefined,
        maxTimeMS: this.isTimed ? maxAwaitTimeMS : undefined,
        comment: this.isCommented ? comment : undefined,
      },
    });
    return (this.#begun = { cursor, driver, timeoutMS });
  }

  /** Undefined without timeoutMS. @throws MongoInvalidArgumentError for what contradicts itself. Rule: CSOT, "Cursors". */
  #timeoutMode(): CursorTimeoutMode | undefined {
    const { timeoutMode, timeoutMS = this.handle.resolved.timeoutMS, tailable, maxAwaitTimeMS } = this.options;
    if (timeoutMS === undefined && timeoutMode === undefined) return undefined;
    if (timeoutMS === undefined)
      throw new MongoInvalidArgumentError('timeoutMode says what timeoutMS is the time of; set timeoutMS, too.');
    if (timeoutMode !== undefined && !modes.includes(timeoutMode))
      throw new MongoInvalidArgumentError(`There is no timeoutMode '${timeoutMode}'; use one of ${modes.join(', ')}.`);
    // Otherwise the first call checks it.
    if (maxAwaitTimeMS !== undefined) checkTimeoutMS(timeoutMS);
    if (maxAwaitTimeMS !== undefined && timeoutMS > 0 && maxAwaitTimeMS >= timeoutMS)
      throw new MongoInvalidArgumentError(
        `maxAwaitTimeMS (${maxAwaitTimeMS}) must be less than timeoutMS (${timeoutMS}), or every wait would time out.`,
      );
    if (tailable === true && timeoutMode === 'cursorLifetime')
      throw new MongoInvalidArgumentError(
        'A tailable cursor has no end, so that its timeoutMode can only be iteration.',
      );
    return tailable === true ? 'iteration' : (timeoutMode ?? 'cursorLifetime');
  }

  #iterator(above: Above): CursorIterator<Schema> {
    this.#isIterated = true;
    return new CursorIterator<Schema>(
      () => this.#give<IteratorResult<Schema, undefined>>(true, toStep, lastStep, above),
      () => this.close(),
    );
  }

  #shaped(document: Document): Schema {
    const { transform } = this;
    if (transform === undefined) return document as Schema;
    const shaped = transform(document);
    if (shaped === null)
      throw new MongoAPIError(
        'The function given to map answered null, which means the end of a cursor; use undefined.',
      );
    return shaped as Schema;
  }

  /** While a batch lasts nothing is waited for. */
  #give<Given>(
    wait: boolean,
    wrap: (document: Schema) => Given,
    none: Given,
    above: Above = this.#giveNext,
  ): Promise<Given> {
    try {
      this.#checkSignal();
      const document = this.#begun?.cursor.take();
      if (document !== undefined) return Promise.resolve(wrap(this.#shaped(document)));
    } catch (error) {
      return rejectWith(this.#failed(error));
    }
    return this.#giveNext(wait, wrap, none, above);
  }

  async #giveNext<Given>(wait: boolean, wrap: (document: Schema) => Given, none: Given, above: Above): Promise<Given> {
    while (await this.#arrive(wait, above)) {
      try {
        // Another call may have waited for the same batch, and have taken it all.
        const document = this.#begun?.cursor.take();
        if (document !== undefined) return wrap(this.#shaped(document));
      } catch (error) {
        return rethrow(this.#failed(error), above);
      }
    }
    return none;
  }

  async #forEach(visit: (document: Schema) => boolean | void | Promise<boolean | void>): Promise<void> {
    for await (const document of this.#iterator(this.#forEach)) if ((await visit(document)) === false) break;
  }

  /** Whether a document is there: false at the end, or, when not waiting, if one command brought none. */
  async #arrive(wait: boolean, above: Above = this.#arrive): Promise<boolean> {
    if (this.#closed) return false;
    let begun: Begun;
    try {
      this.#checkSignal();
      begun = this.#begin();
    } catch (error) {
      // A turn later the stack holds only those who wait.
      await Promise.resolve();
      return rethrow(this.#failed(error), above);
    }
    const { cursor, driver, timeoutMS } = begun;
    try {
      cursor.step();
      while (cursor.buffered === 0) {
        if (!(await cursor.fetch())) {
          this.#ended(begun);
          return false;
        }
        // Its documents are still to be asked for.
        if (cursor.closed && this.#begun === begun) this.#emitClose();
        if (!wait) return cursor.buffered > 0;
      }
      return true;
    } catch (error) {
      this.#ended(begun);
      if (this.#isIterated || !cursor.pinned) void cursor.close();
      const converted = driver.convertError(error, cursor.deadline, timeoutMS);
      if (converted !== error) return rethrowConverted(error, converted, above);
      await Promise.resolve();
      return rethrow(error, above);
    }
  }

  /** But for a cursor that has begun anew meanwhile. */
  #ended(begun: Begun): void {
    if (this.#begun !== begun) return;
    this.#closed = true;
    this.#emitClose();
  }

  #emitClose(): void {
    if (this.#hasEmittedClose) return;
    this.#hasEmittedClose = true;
    emitSafely(this, this.handle.origin, 'close');
  }

  /** The caller's signal counts for documents that have come already, too. */
  #checkSignal(): void {
    const { signal } = this.options;
    if (signal?.aborted === true) throw signal.reason;
  }

  /** What is thrown on this side ends the cursor as an error of the server does. */
  #failed(error: unknown): unknown {
    void this.close();
    return convertError(error);
  }
}

class CursorIterator<Schema> implements AsyncIterableIterator<Schema, undefined> {
  readonly next: () => Promise<IteratorResult<Schema, undefined>>;
  readonly #close: () => Promise<void>;

  constructor(next: () => Promise<IteratorResult<Schema, undefined>>, close: () => Promise<void>) {
    this.next = next;
    this.#close = close;
  }

  async return(): Promise<IteratorResult<Schema, undefined>> {
    await this.#close();
    return lastStep;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const asItIs = <Schema>(document: Schema): Schema => document;
const toStep = <Schema>(value: Schema): IteratorResult<Schema, undefined> => ({ value, done: false });
const lastStep: IteratorReturnResult<undefined> = { value: undefined, done: true };

const exhausted = (): Promise<never> =>
  rejectWith(new MongoCursorExhaustedError('The cursor was closed; rewind it, or make another, to read again.'));
