import type { Document } from '@tessera/contracts';
import { Cursor } from '@tessera/operations';
import type { CursorOptions, OpenCursor } from '@tessera/operations';
import { MongoCursorInUseError, publicError } from './errors.js';
import type { Handle, OperationOptions } from './handle.js';

export interface AbstractCursorOptions extends OperationOptions {
  readonly batchSize?: number | undefined;
  readonly maxTimeMS?: number | undefined;
  readonly maxAwaitTimeMS?: number | undefined;
  readonly comment?: unknown;
  readonly tailable?: boolean | undefined;
  readonly awaitData?: boolean | undefined;
  readonly noCursorTimeout?: boolean | undefined;
}

export type Transform<From, To> = (document: From) => To;

/** Documents of one command, under the official driver's names. What opens it is settled at the first call for documents. */
export abstract class AbstractCursor<Schema = Document, Options extends AbstractCursorOptions = AbstractCursorOptions> {
  protected readonly handle: Handle;
  protected readonly options: Options;
  protected transform: Transform<Document, unknown> | undefined;
  #cursor: Cursor | undefined;
  #ahead: Document | undefined;
  #closed = false;

  constructor(handle: Handle, options: Options) {
    this.handle = handle;
    this.options = { ...options };
  }

  /** The command that opens the cursor, and what its getMores say. */
  protected abstract opening(handle: Handle): { readonly open: OpenCursor; readonly limit?: number | undefined };

  abstract clone(): AbstractCursor<Schema, Options>;

  /** The server's cursor id; undefined when it keeps none. */
  get id(): bigint | undefined {
    return this.#cursor?.id;
  }

  get namespace(): string {
    const { db, collection } = this.handle;
    const told = this.#cursor?.namespace ?? '';
    return told === '' ? `${db}.${collection}` : told;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Closed before the server had told everything. */
  get killed(): boolean {
    return this.#closed && this.#cursor !== undefined && !this.#cursor.closed;
  }

  /** Documents that have come and were not asked for yet. */
  bufferedCount(): number {
    return (this.#cursor?.buffered ?? 0) + (this.#ahead === undefined ? 0 : 1);
  }

  /** At most so many of the documents that have come already; no command is sent. */
  readBufferedDocuments(most: number = this.bufferedCount()): Schema[] {
    const documents: Schema[] = [];
    while (documents.length < most) {
      const document = this.#take();
      if (document === undefined) break;
      documents.push(document);
    }
    return documents;
  }

  /** The next document; null when there are no more. A tailable cursor waits for one. */
  next(): Promise<Schema | null> {
    try {
      const document = this.#take();
      if (document !== undefined) return Promise.resolve(document);
    } catch (error) {
      return Promise.reject(publicError(error));
    }
    return this.#fetchNext(true);
  }

  /** The next document; null when none has come after one more command. */
  tryNext(): Promise<Schema | null> {
    return this.#fetchNext(false);
  }

  async hasNext(): Promise<boolean> {
    if (this.#ahead !== undefined) return true;
    const document = await this.#fetchRaw(true);
    if (document === undefined) return false;
    this.#ahead = document;
    return true;
  }

  /** Every document that is left. */
  toArray(): Promise<Schema[]> {
    if (this.#closed) return Promise.resolve([]);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return this.#started()
      .toArray()
      .then(
        documents => {
          this.#closed = true;
          if (ahead !== undefined) documents.unshift(ahead);
          const { transform } = this;
          return (transform === undefined ? documents : documents.map(document => transform(document))) as Schema[];
        },
        (error: unknown) => {
          this.#closed = true;
          return this.handle.origin.driver.raise(error);
        },
      );
  }

  /** Calls for each document in order; a result of false ends it. */
  async forEach(visit: (document: Schema) => boolean | void | Promise<boolean | void>): Promise<void> {
    for await (const document of this) if ((await visit(document)) === false) break;
  }

  /** Documents go through the function on their way to the caller. */
  map<To>(transform: Transform<Schema, To>): AbstractCursor<To, Options> {
    this.#settled('map');
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
    return this.set(flag, value);
  }

  /** A host's own stream of the documents; on Node.js a `stream.Readable` in object mode. */
  stream(): unknown {
    return this.handle.origin.driver.streams.readable(this);
  }

  /** Begins anew: the next call sends the command again. */
  rewind(): void {
    const cursor = this.#cursor;
    this.#cursor = undefined;
    this.#ahead = undefined;
    this.#closed = false;
    if (cursor !== undefined) void cursor.close();
  }

  /** Ends the server's cursor, if there is one. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ahead = undefined;
    await this.#cursor?.close();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Schema, undefined> {
    return new CursorIterator<Schema>(this, () => this.#take());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected set<Name extends keyof Options>(name: Name, value: Options[Name]): this {
    this.#settled(String(name));
    this.options[name] = value;
    return this;
  }

  /** @throws MongoCursorInUseError once the command was sent: it cannot say more. */
  #settled(what: string): void {
    if (this.#cursor?.started === true)
      throw new MongoCursorInUseError(
        `The cursor on ${this.namespace} has begun: ${what} must be set before the first document is asked for.`,
      );
  }

  #started(): Cursor {
    if (this.#cursor !== undefined) return this.#cursor;
    const handle = this.handle.with(this.options);
    const { open, limit } = this.opening(handle);
    const { batchSize, maxAwaitTimeMS, comment, tailable } = this.options;
    const options: CursorOptions = {
      ...handle.call(this.options),
      limit,
      tailable,
      more: { batchSize, maxTimeMS: maxAwaitTimeMS, comment },
    };
    return (this.#cursor = new Cursor(handle.origin.driver, handle.target, open, options));
  }

  #take(): Schema | undefined {
    const ahead = this.#ahead;
    if (ahead !== undefined) {
      this.#ahead = undefined;
      return this.#shaped(ahead);
    }
    const document = this.#cursor?.take();
    return document === undefined ? undefined : this.#shaped(document);
  }

  #shaped(document: Document): Schema {
    return (this.transform === undefined ? document : this.transform(document)) as Schema;
  }

  /** Undefined at the end; when not waiting, also when one command brought nothing. */
  async #fetchRaw(wait: boolean): Promise<Document | undefined> {
    if (this.#closed) return undefined;
    let cursor: Cursor;
    try {
      cursor = this.#started();
      let document = cursor.take();
      if (document !== undefined) return document;
      while (await cursor.fetch()) {
        document = cursor.take();
        if (document !== undefined || !wait) return document;
      }
    } catch (error) {
      this.#closed = true;
      return this.handle.origin.driver.raise(error);
    }
    this.#closed = true;
    return undefined;
  }

  async #fetchNext(wait: boolean): Promise<Schema | null> {
    const ahead = this.#take();
    if (ahead !== undefined) return ahead;
    const document = await this.#fetchRaw(wait);
    if (document === undefined) return null;
    try {
      return this.#shaped(document);
    } catch (error) {
      await this.close();
      throw error;
    }
  }
}

/** One promise per document, and none of them waits while a batch lasts. */
class CursorIterator<Schema> implements AsyncIterableIterator<Schema, undefined> {
  readonly #cursor: { next(): Promise<Schema | null>; close(): Promise<void> };
  readonly #take: () => Schema | undefined;

  constructor(cursor: { next(): Promise<Schema | null>; close(): Promise<void> }, take: () => Schema | undefined) {
    this.#cursor = cursor;
    this.#take = take;
  }

  next(): Promise<IteratorResult<Schema, undefined>> {
    try {
      const value = this.#take();
      if (value !== undefined) return Promise.resolve({ value, done: false });
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#cursor.next().then(toResult<Schema>);
  }

  async return(): Promise<IteratorResult<Schema, undefined>> {
    await this.#cursor.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const toResult = <Schema>(value: Schema | null): IteratorResult<Schema, undefined> =>
  value === null ? { value: undefined, done: true } : { value, done: false };
