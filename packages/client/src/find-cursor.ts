import type { Document, Operation, SortDirection } from '@tessera/contracts';
import { find } from '@tessera/operations';
import type { FindFields, OpenCursor, TakeBatch } from '@tessera/operations';
import type { CountOptions } from './collection-types.js';
import { countByCommand } from './counting.js';
import type { AbstractCursorOptions, Transform } from './cursor.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Explainable } from './explain.js';
import { ExplainableCursor } from './explainable-cursor.js';
import type { Handle } from './handle.js';
import { argument, checkArgument, findOptions } from './operation-options.js';
import type { OptionTable } from './operation-options.js';
import { sortDocument } from './sort.js';
import { asPromise } from './stack-trace.js';
import { findFilter } from './statements.js';
import type { Sort } from './sort.js';

export interface FindOptions extends Omit<FindFields, 'sort'>, AbstractCursorOptions, Explainable {
  readonly sort?: Sort | undefined;
}

/** What `addQueryModifier` sets, by the names that it takes. */
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

/** Returns the fields of the command that the options ask for. */
export const findFields = (options: FindOptions | undefined): FindFields | undefined => {
  const { sort, projection } = options ?? none;
  return sort === undefined && !Array.isArray(projection)
    ? (options as FindFields | undefined)
    : { ...options, sort: sortDocument(sort), projection: byNames(projection) };
};

const none: FindOptions = {};

/** A projection by the names of the fields; by none, the `_id` alone. */
const byNames = (projection: Document | undefined): Document | undefined =>
  Array.isArray(projection)
    ? Object.fromEntries(['_id', ...(projection as string[])].map(name => [name, 1]))
    : projection;

export class FindCursor<Schema = Document> extends ExplainableCursor<Schema, FindOptions> {
  #filter: Document;

  constructor(handle: Handle, filter: Document, options: FindOptions) {
    super(handle, options);
    this.#filter = filter;
  }

  protected override get table(): OptionTable {
    return findOptions;
  }

  protected override opening(handle: Handle): { readonly open: OpenCursor; readonly limit: number | undefined } {
    return { open: this.openCommand(handle), limit: this.options.limit };
  }

  protected override command<T>(handle: Handle, take: TakeBatch<T>): Operation<T> {
    return find(handle, this.#filter, findFields(this.options), take);
  }

  override clone(): FindCursor<Schema> {
    return new FindCursor<Schema>(this.handle, this.#filter, this.options);
  }

  override map<To>(transform: Transform<Schema, To>): FindCursor<To> {
    return super.map(transform) as FindCursor<To>;
  }

  filter(filter: Document): this {
    this.settle('filter');
    this.#filter = findFilter(filter);
    return this;
  }

  sort(sort: Sort | string, direction?: SortDirection): this {
    const document = sortDocument(sort, direction);
    return this.set('sort', document as ReadonlyMap<string, SortDirection> | undefined);
  }

  project<To = Schema>(projection: Document): FindCursor<To> {
    return this.set('projection', projection) as unknown as FindCursor<To>;
  }

  limit(limit: number): this {
    return this.set('limit', limit);
  }

  skip(skip: number): this {
    return this.set('skip', skip);
  }

  hint(hint: unknown): this {
    return this.set('hint', hint);
  }

  min(min: Document): this {
    return this.set('min', min);
  }

  max(max: Document): this {
    return this.set('max', max);
  }

  comment(comment: unknown): this {
    return this.set('comment', comment);
  }

  collation(collation: Document): this {
    return this.set('collation', collation);
  }

  allowDiskUse(allow = true): this {
    return this.set('allowDiskUse', allow);
  }

  returnKey(value: boolean): this {
    return this.set('returnKey', value);
  }

  showRecordId(value: boolean): this {
    return this.set('showRecordId', value);
  }

  maxAwaitTimeMS(value: number): this {
    return this.set('maxAwaitTimeMS', value);
  }

  /** Under the names that the find of old servers had. */
  addQueryModifier(name: string, value: unknown): this {
    checkArgument('name', name, argument.text);
    if (name === '$orderby') return this.sort(value as Sort);
    if (name === '$query') return this.filter(value as Document);
    if (!Object.hasOwn(modifiers, name))
      throw new MongoInvalidArgumentError(`There is no query modifier '${name}'; use the method of the cursor.`);
    return this.set(modifiers[name as keyof typeof modifiers], value);
  }

  /** @deprecated Use `collection.countDocuments`, or `estimatedDocumentCount` for all. */
  count(options?: CountOptions | null): Promise<number> {
    return asPromise(() => countByCommand(this.handle, this.#filter, { ...this.options, ...options }));
  }
}
