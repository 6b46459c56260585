import type { Document, Long, Signal } from '@tessera/contracts';
import { Cursor } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { ReadPreference } from './concerns.js';
import type { ReadConcern } from './concerns.js';
import { convertError } from './convert-error.js';
import { asItIs, CursorIterator, exhausted, lastStep, toStep } from './cursor-iterator.js';
import { prefetchOf, timeoutModeOf } from './cursor-options.js';
import type { AbstractCursorEvents, AbstractCursorOptions, Transform } from './cursor-options.js';
import { checkGiven, isEffective, requiredReadPreference } from './cursor-settings.js';
import type { CursorFlag } from './cursor-settings.js';
import { failedCall } from './begun-cursor.js';
import type { Begun } from './begun-cursor.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import { MongoAPIError, MongoCursorInUseError } from './errors.js';
import type { Handle } from './handle.js';
import { MongoDBNamespace } from './namespace.js';
import { argument, checkArgument, checkOption, checkOptions, isGiven, operationOptions } from './operation-options.js';
import type { OptionTable } from './operation-options.js';
import { asPromise, rejectWith, rethrow } from './stack-trace.js';
import type { Above, Caller } from './stack-trace.js';
import { deadlineOf } from './time-limit.js';
import type { HostReadable } from './types/host.js';

/**
 * A cursor over the documents of one command, with the members of the official driver's cursors. Its options can be set
 * until the first read.
 */
export abstract class AbstractCursor<
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
  Schema = any,
  Events extends AbstractCursorEvents = AbstractCursorEvents,
  Options extends AbstractCursorOptions = AbstractCursorOptions,
> extends TypedEmitter<Events> {
  /** The name of the event `close`. */
  static readonly CLOSE = 'close' as const;
  readonly #handle: Handle;
  readonly #options: Options;
  /** The functions of `map` as one function. Undefined without `map`. */
  protected transform: Transform<Document, unknown> | undefined;
  #begun: Begun | undefined;
  #closed = false;
  #hasEmittedClose = false;
  /** Set by an iterator, which closes the cursor after an error. */
  #isIterated = false;

  /** Use a method such as `collection.find` instead. */
  constructor(handle: Handle, options: Options) {
    super();
    this.#handle = handle;
    checkOptions(options, this.table);
    this.#options = { ...options };
    timeoutModeOf(this.options, handle.resolved.timeoutMS);
  }

  /** The collection or database with its options, which runs the commands. */
  protected get handle(): Handle {
    return this.#handle;
  }
  /** The options of the cursor. The first read fixes them. */
  protected get options(): Options {
    return this.#options;
  }

  /** The options to validate. */
  protected get table(): OptionTable {
    return operationOptions;
  }

  /** The name of the method that created the cursor, or of its command: for errors. */
  protected abstract get method(): string;

  /** Returns the command that opens the cursor. */
  protected abstract opening(handle: Handle): { readonly open: OpenCursor; readonly limit?: number | undefined };

  /** Whether getMores wait for documents. Then maxTimeMS limits each getMore, not the life of the cursor. */
  protected get awaits(): boolean {
    return this.options.tailable === true && this.options.awaitData === true;
  }

  /** Whether a getMore may have maxTimeMS. Rule: Find, getMore and killCursors Commands, "maxTimeMS". */
  protected get isTimed(): boolean {
    return this.awaits;
  }

  /** Whether getMores have the comment. */
  protected get isCommented(): boolean {
    return true;
  }

  /** Returns an unused cursor with the same options, without the functions of `map`. @example cursor.clone(); */
  abstract clone(): AbstractCursor<Schema>;

  /** The server's cursor id. Undefined before the first reply; zero after the server has sent all documents. */
  get id(): Long | undefined {
    const id = this.#begun?.cursor.id;
    return id === undefined ? undefined : this.#begun?.driver.bson.values.Long.fromBigInt(id);
  }
  /** Whether the cursor is open on a server behind a load balancer. */
  get loadBalanced(): boolean {
    return this.#begun?.driver.deployment.description.type === 'LoadBalanced';
  }
  /** The namespace that the server reported, else that of the collection. */
  get namespace(): MongoDBNamespace {
    const { db, collection } = this.handle;
    const known = this.#begun?.cursor.namespace ?? '';
    const dot = known.indexOf('.');
    return dot < 0
      ? new MongoDBNamespace(db, collection)
      : new MongoDBNamespace(known.slice(0, dot), known.slice(dot + 1));
  }

  /** Throws, because a cursor in a reply is a forgotten `toArray`. @throws MongoAPIError always */
  override toJSON(): never {
    throw new MongoAPIError(
      `The cursor on ${this.namespace.toString()} cannot be converted to JSON. Read its documents first, with "await cursor.toArray()".`,
    );
  }

  /** The servers that the cursor may use. Default: that of the collection. */
  get readPreference(): ReadPreference {
    return this.handle.withChecked(this.options).resolved.readPreference ?? ReadPreference.primary;
  }

  /** The read concern of the command that opens the cursor. Undefined means the server's default. */
  get readConcern(): ReadConcern | undefined {
    return this.handle.withChecked(this.options).resolved.readConcern;
  }

  /** The signal that aborts the cursor, from the options. */
  get signal(): Signal | undefined {
    return this.options.signal;
  }

  /** Whether the cursor was closed or its last document was read. */
  get closed(): boolean {
    return this.#closed || this.#begun?.cursor.drained === true;
  }

  /** Whether the cursor was closed before the server had sent all documents. */
  get killed(): boolean {
    return this.#begun?.cursor.broken ?? false;
  }

  /**
   * Returns the number of documents that the cursor has received and the application has not read yet.
   * @example const count = cursor.bufferedCount();
   */
  bufferedCount(): number {
    return this.#begun?.cursor.buffered ?? 0;
  }

  /**
   * Returns up to `most` of the received documents. Sends no command.
   * @example const batch = cursor.readBufferedDocuments();
   */
  readBufferedDocuments(most: number = this.bufferedCount()): NonNullable<Schema>[] {
    checkArgument('most', most, argument.count);
    const documents: NonNullable<Schema>[] = [];
    while (documents.length < most) {
      const document = this.#begun?.cursor.take();
      if (document === undefined) break;
      documents.push(this.#shaped(document) as NonNullable<Schema>);
    }
    return documents;
  }

  /**
   * Returns the next document, or null at the end. A tailable cursor waits for a document.
   * @throws MongoCursorExhaustedError if the cursor was closed before the server had sent all documents
   * @example const film = await cursor.next();
   */
  next(): Promise<Schema | null> {
    return this.killed ? exhausted() : this.#give<Schema | null>(true, asItIs, null);
  }

  /**
   * Returns the next document. Sends at most one command; returns null if its reply is empty.
   * @throws as `next`
   * @example const film = await cursor.tryNext();
   */
  tryNext(): Promise<Schema | null> {
    return this.killed ? exhausted() : this.#give<Schema | null>(false, asItIs, null);
  }

  /**
   * Returns whether there is another document. Requests the next batch if no document is buffered.
   * @example while (await cursor.hasNext()) console.log(await cursor.next());
   */
  hasNext(): Promise<boolean> {
    return this.#arrive(true);
  }

  /**
   * Returns all remaining documents, which must fit in memory. Returns an empty array after the cursor was closed, also if
   * the server had not sent all documents; `next` rejects then.
   * @example const all = await films.find({ year: 1995 }).toArray();
   */
  toArray(): Promise<Schema[]> {
    try {
      this.#checkSignal();
      if (this.#closed) return Promise.resolve([]);
      const begun = this.#begin();
      const { cursor, driver } = begun;
      const reading = cursor.toArray();
      const caller = driver.callers.take();
      const failed = (error: unknown): never => {
        this.#ended(begun);
        return driver.rethrow(error, failedCall(begun, this.method, this.namespace, caller), failed);
      };
      return reading.then(documents => {
        this.#ended(begun);
        return this.transform === undefined
          ? (documents as Schema[])
          : documents.map(document => this.#shaped(document));
      }, failed);
    } catch (error) {
      return rejectWith(this.#failed(error));
    }
  }

  /**
   * Calls the function for each document in order, and stops if it returns false.
   * @deprecated Use `for await`. The official driver will remove it.
   * @example await cursor.forEach(film => console.log(film.title));
   */
  forEach(visit: (document: Schema) => boolean | void | Promise<boolean | void>): Promise<void> {
    return asPromise(() => {
      checkArgument('callback', visit, argument.callback);
      return this.#forEach(visit);
    });
  }

  /**
   * Passes each document through the function. The function must not return null, which marks the end of a cursor.
   * @example const titles = await films.find().map(film => film.title).toArray();
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: a result without a type
  map<To = any>(transform: Transform<Schema, To>): AbstractCursor<To> {
    this.settle('map');
    checkArgument('callback', transform, argument.callback);
    const before = this.transform;
    this.transform = (
      before === undefined ? transform : (document: Document) => transform(before(document) as Schema)
    ) as Transform<Document, unknown>;
    return this as unknown as AbstractCursor<To>;
  }

  /**
   * Sets the maximum number of documents per batch. Default: 101 documents in the first batch, then up to 16 MB per
   * batch.
   * @example cursor.batchSize(1000);
   */
  batchSize(batchSize: number): this {
    return this.set('batchSize', batchSize, true);
  }

  /**
   * Sets the total time in milliseconds that the server may spend processing this cursor, including all getMore
   * commands. Default: no limit.
   * @example cursor.maxTimeMS(500);
   */
  maxTimeMS(maxTimeMS: number): this {
    return this.set('maxTimeMS', maxTimeMS, true);
  }

  /**
   * Sets the read preference: the servers that the cursor may use.
   * @example cursor.withReadPreference('secondaryPreferred');
   */
  withReadPreference(readPreference: NonNullable<Options['readPreference']>): this {
    return this.set('readPreference', requiredReadPreference(readPreference));
  }

  /** Sets the read concern. @example cursor.withReadConcern('majority'); */
  withReadConcern(readConcern: NonNullable<Options['readConcern']>): this {
    return this.set('readConcern', readConcern);
  }

  /**
   * Sets a flag. The flags `oplogReplay`, `exhaust` and `partial` have no effect.
   * @throws MongoInvalidArgumentError for an unknown flag, or a value that is not a boolean
   * @example cursor.addCursorFlag('noCursorTimeout', true);
   */
  addCursorFlag(flag: CursorFlag, value: boolean): this {
    if (!isEffective(flag, value)) this.settle(flag);
    else this.set(flag, value);
    return this;
  }

  /**
   * Returns a stream of the documents, on Node.js a `stream.Readable` in object mode.
   * @example for await (const film of cursor.stream()) console.log(film);
   */
  stream(): HostReadable<Schema> {
    // The caller may use the session between two documents, and a transaction runs one operation at a time.
    const { streams } = this.handle.origin.driver;
    return streams.readable(this, { readsAhead: !isGiven(this.options.session) }) as unknown as HostReadable<Schema>;
  }

  /** Resets the cursor. The next read sends the command again. @example cursor.rewind(); */
  rewind(): void {
    const begun = this.#begun;
    this.#begun = undefined;
    this.#closed = false;
    this.#hasEmittedClose = false;
    void begun?.cursor.close();
  }

  /**
   * Closes the cursor and kills the server's cursor. Ignores errors of the server.
   * @param limit `timeoutMS` is the time limit of the command `killCursors` in milliseconds. Default: the timeoutMS of
   * the cursor.
   * @throws MongoInvalidArgumentError for an invalid timeoutMS
   * @example await cursor.close();
   */
  async close(limit?: { readonly timeoutMS?: number | undefined } | null): Promise<void> {
    const timeoutMS = limit?.timeoutMS;
    this.#closed = true;
    const begun = this.#begun;
    if (begun !== undefined)
      await begun.cursor.close(timeoutMS === undefined ? undefined : deadlineOf(begun.driver, timeoutMS));
    if (this.#begun === begun) this.#emitClose();
  }

  /**
   * Iterates over the documents, and closes the cursor when the loop ends.
   * @example for await (const film of films.find()) console.log(film.title);
   */
  [Symbol.asyncIterator](): AsyncGenerator<Schema, void, void> {
    return this.#iterator(this.#giveNext);
  }

  /** Closes the cursor at the end of an `await using` block. @example await using cursor = films.find(); */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Checks and sets an option, before the first read. */
  protected set<Name extends keyof Options>(name: Name, value: Options[Name], isRequired = false): this {
    this.settle(String(name));
    if (isRequired) checkGiven(String(name), value);
    checkOption(String(name), value, this.table);
    this.options[name] = value;
    return this;
  }

  /** Checks that options can change. @throws MongoCursorInUseError if the command was sent, because its options can no longer change */
  protected settle(what: string): void {
    if (this.#begun?.cursor.started === true)
      throw new MongoCursorInUseError(
        `The cursor on ${this.namespace.toString()} has started. Set ${what} before the first document is read.`,
      );
  }

  #begin(): Begun {
    if (this.#begun !== undefined) return this.#begun;
    const handle = this.handle.withChecked(this.options);
    const { driver } = handle.origin;
    const { open, limit } = this.opening(handle);
    const { batchSize, maxAwaitTimeMS, comment, tailable } = this.options;
    const iteration = timeoutModeOf(this.options, this.handle.resolved.timeoutMS) === 'iteration';
    const { session, signal, deadline, renew, exchanges, timeoutMS } = handle.call(this.options);
    // Object spread would be the most expensive step of a cursor.
    const cursor = new Cursor(driver, handle, open, {
      session,
      signal,
      deadline,
      renew,
      // The server would limit the whole life of the cursor by the maxTimeMS of the first command.
      exchanges: iteration && !this.awaits ? driver.timeLimits.withoutMaxTime : exchanges,
      iteration,
      limit,
      tailable,
      prefetch: prefetchOf(this.options, this.awaits),
      more: {
        batchSize: batchSize ?? undefined,
        maxTimeMS: this.isTimed ? maxAwaitTimeMS : undefined,
        comment: this.isCommented ? comment : undefined,
      },
    });
    return (this.#begun = { cursor, driver, timeoutMS });
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
        'The function given to map returned null, which marks the end of a cursor. Return undefined instead.',
      );
    return shaped as Schema;
  }

  /** Returns a buffered document without waiting, if there is one. */
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
        // Another call may have waited for the same batch and taken all its documents.
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

  /** Returns whether a document is buffered: false at the end, or, without `wait`, if one command brought none. */
  async #arrive(wait: boolean, above: Above = this.#arrive): Promise<boolean> {
    if (this.#closed) return false;
    let begun: Begun;
    try {
      this.#checkSignal();
      begun = this.#begin();
    } catch (error) {
      // One turn later, the stack contains only the callers that await.
      await Promise.resolve();
      return rethrow(this.#failed(error), above);
    }
    const { cursor, driver } = begun;
    let caller: Caller | undefined;
    try {
      cursor.step();
      while (cursor.buffered === 0) {
        const fetching = cursor.fetch();
        caller ??= driver.callers.take();
        if (!(await fetching)) {
          this.#ended(begun);
          return false;
        }
        // The buffered documents can still be read.
        if (cursor.closed && this.#begun === begun) this.#emitClose();
        if (!wait) return cursor.buffered > 0;
      }
      return true;
    } catch (error) {
      this.#ended(begun);
      if (this.#isIterated || !cursor.pinned) void cursor.close();
      await Promise.resolve();
      return driver.rethrow(error, failedCall(begun, this.method, this.namespace, caller), above);
    }
  }

  /** Marks the cursor as closed, unless it was rewound in the meantime. */
  #ended(begun: Begun): void {
    if (this.#begun !== begun) return;
    this.#closed = true;
    this.#emitClose();
  }

  #emitClose(): void {
    if (this.#hasEmittedClose) return;
    this.#hasEmittedClose = true;
    emitSafely(this as AbstractCursor<Schema>, this.handle.origin, 'close');
  }

  /** An aborted signal also rejects reads of buffered documents. */
  #checkSignal(): void {
    const { signal } = this.options;
    if (signal?.aborted === true) throw signal.reason;
  }

  /** An error of the driver closes the cursor as a server error does. */
  #failed(error: unknown): unknown {
    void this.close();
    return convertError(error);
  }
}
