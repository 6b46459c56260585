import type { Document, Operation, SortDirection } from '@tessera/contracts';
import { find } from '@tessera/operations';
import type { FindFields, OpenCursor, TakeBatch } from '@tessera/operations';
import type { CountOptions } from './collection-types.js';
import { countByCommand } from './counting.js';
import type { AbstractCursorOptions, PrefetchOptions, Transform } from './cursor-options.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Explainable } from './explain-verbosity.js';
import { ExplainableCursor } from './explainable-cursor.js';
import type { Handle } from './handle.js';
import { argument, checkArgument, findOptions } from './operation-options.js';
import type { OptionTable } from './operation-options.js';
import { sortDocument } from './sort.js';
import { asPromise } from './stack-trace.js';
import { findFilter } from './statements.js';
import type { Sort } from './sort.js';
import type { CollationOptions, Hint } from './types/documents.js';

/** Options of `find` and `findOne`. */
export interface FindOptions
  extends Omit<FindFields, 'sort' | 'hint' | 'collation'>, AbstractCursorOptions, PrefetchOptions, Explainable {
  /** The order of the documents: fields with directions, such as `{ year: -1 }`. Default: no defined order. */
  sort?: Sort | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** False sets `noCursorTimeout`. For compatibility. */
  timeout?: boolean | undefined;
}

/** The option that each modifier of `addQueryModifier` sets. */
const modifiers = {
  $comment: 'comment',
  $explain: 'explain',
  $hint: 'hint',
  $max: 'max',
  $maxTimeMS: 'maxTimeMS',
  $min: 'min',
  $returnKey: 'returnKey',
  $showDiskLoc: 'showRecordId',
} as const satisfies Readonly<Record<string, keyof FindOptions>>;

/** Returns the fields of the command for the options. */
export const findFields = (options: FindOptions | undefined): FindFields | undefined => {
  const { sort, projection, timeout } = options ?? none;
  return sort === undefined && timeout === undefined && !Array.isArray(projection)
    ? (options as FindFields | undefined)
    : {
        ...options,
        sort: sortDocument(sort),
        projection: byNames(projection),
        ...(typeof timeout === 'boolean' && { noCursorTimeout: !timeout }),
      };
};

const none: FindOptions = {};

/** Converts a list of field names to a projection. An empty list selects only the `_id`. */
const byNames = (projection: Document | undefined): Document | undefined =>
  Array.isArray(projection)
    ? Object.fromEntries((projection.length === 0 ? ['_id'] : (projection as string[])).map(name => [name, 1]))
    : projection;

/**
 * The cursor of `Collection.find`. Call its setters before the first read.
 * @throws MongoCursorInUseError if a setter is called after the first read
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: documents without a schema
export class FindCursor<Schema = any> extends ExplainableCursor<Schema, FindOptions> {
  #filter: Document;

  /** Use `collection.find` instead. */
  constructor(handle: Handle, filter: Document, options: FindOptions) {
    super(handle, options);
    this.#filter = filter;
  }

  /** The names and types of the options of `find`. */
  protected override get table(): OptionTable {
    return findOptions;
  }

  /** The name of the method, for errors. */
  protected override get method(): string {
    return 'find';
  }

  /** Returns the command that opens the cursor, and its limit. */
  protected override opening(handle: Handle): { readonly open: OpenCursor; readonly limit: number | undefined } {
    return { open: this.openCommand(handle), limit: this.options.limit };
  }

  /** Returns the command `find` with the filter and the options. */
  protected override command<T>(handle: Handle, take: TakeBatch<T>): Operation<T> {
    return find(handle, this.#filter, findFields(this.options), take);
  }

  /**
   * Returns an unused cursor with the same filter and options, without the functions of `map`.
   * @example const again = films.find({ year: 1995 }).clone();
   */
  override clone(): FindCursor<Schema> {
    return new FindCursor<Schema>(this.handle, this.#filter, this.options);
  }

  /**
   * Passes each document through the function. The function must not return null, which marks the end of a cursor.
   * @example const titles = await films.find().map(film => film.title).toArray();
   */
  override map<To>(transform: Transform<Schema, To>): FindCursor<To> {
    return super.map(transform) as FindCursor<To>;
  }

  /**
   * Replaces the filter.
   * @example films.find().filter({ year: 1995 });
   */
  filter(filter: Document): this {
    this.settle('filter');
    this.#filter = findFilter(this.handle.filter(filter, this.options));
    return this;
  }

  /**
   * Sets the sort: fields with directions, or one field and its direction.
   * @example films.find().sort({ year: -1, title: 1 });
   */
  sort(sort: Sort | string, direction?: SortDirection): this {
    const document = sortDocument(sort, direction);
    return this.set('sort', document as ReadonlyMap<string, SortDirection> | undefined);
  }

  /**
   * Sets the projection: the fields to return. Name the resulting type, because it cannot be inferred.
   * @example films.find().project<{ title: string }>({ _id: 0, title: 1 });
   */
  project<To extends object = Document>(projection: Document): FindCursor<To> {
    return this.set('projection', projection) as unknown as FindCursor<To>;
  }

  /**
   * Sets the maximum number of documents. 0 means no limit. A negative number limits the cursor to a single batch.
   * @example films.find().limit(10);
   */
  limit(limit: number): this {
    return this.set('limit', limit, true);
  }

  /**
   * Sets the number of documents to skip.
   * @example films.find().skip(20).limit(10);
   */
  skip(skip: number): this {
    return this.set('skip', skip, true);
  }

  /**
   * Sets the index to use, by its name or keys.
   * @example films.find({ title: 'Heat' }).hint('title_1');
   */
  hint(hint: Hint): this {
    return this.set('hint', hint);
  }

  /**
   * Sets the inclusive lower bound of index keys.
   * Requires `hint`.
   * @example films.find().hint({ year: 1 }).min({ year: 1990 });
   */
  min(min: Document): this {
    return this.set('min', min);
  }

  /**
   * Sets the exclusive upper bound of index keys.
   * Requires `hint`.
   * @example films.find().hint({ year: 1 }).max({ year: 2000 });
   */
  max(max: Document): this {
    return this.set('max', max);
  }

  /**
   * Sets the comment that the server writes to its logs and profiler.
   * @example films.find().comment('nightly report');
   */
  comment(comment: unknown): this {
    return this.set('comment', comment);
  }

  /**
   * Sets the collation: language-specific rules for comparing strings.
   * @example films.find({ title: 'heat' }).collation({ locale: 'en', strength: 2 });
   */
  collation(collation: CollationOptions): this {
    return this.set('collation', collation);
  }

  /**
   * Lets the server write temporary files if a sort needs more than 100 MB. Since MongoDB 6.0, the server does so by
   * default.
   * @example films.find().sort({ plot: 1 }).allowDiskUse();
   */
  allowDiskUse(allow = true): this {
    return this.set('allowDiskUse', allow);
  }

  /**
   * Returns only the index keys of the documents.
   * @example films.find({ year: 1995 }).returnKey(true);
   */
  returnKey(value: boolean): this {
    return this.set('returnKey', value);
  }

  /**
   * Adds the record id to each document as `$recordId`.
   * @example films.find().showRecordId(true);
   */
  showRecordId(value: boolean): this {
    return this.set('showRecordId', value);
  }

  /**
   * Sets the time in milliseconds that the server waits for new documents of a tailable awaitData cursor.
   * @example log.find({}, { tailable: true, awaitData: true }).maxAwaitTimeMS(5000);
   */
  maxAwaitTimeMS(value: number): this {
    return this.set('maxAwaitTimeMS', value, true);
  }

  /**
   * Sets an option by the name of its legacy query modifier, such as `$hint`.
   * @example films.find().addQueryModifier('$hint', 'title_1');
   */
  addQueryModifier(name: string, value: unknown): this {
    checkArgument('name', name, argument.text);
    if (name === '$orderby') return this.sort(value as Sort);
    if (name === '$query') return this.filter(value as Document);
    if (!Object.hasOwn(modifiers, name))
      throw new MongoInvalidArgumentError(`Unknown query modifier '${name}'. Use the method of the cursor instead.`);
    return this.set(modifiers[name as keyof typeof modifiers], value);
  }

  /**
   * Counts the matching documents with the command `count`.
   * @deprecated Use `collection.countDocuments`, or `estimatedDocumentCount` to count all documents.
   * @example const count = await films.find({ year: 1995 }).count();
   */
  count(options?: CountOptions | null): Promise<number> {
    return asPromise(() => countByCommand(this.handle, this.#filter, { ...this.options, ...options }));
  }
}
