import type { Document } from '@tessera/contracts';
import type { FindOptions as FindCommandOptions, OpenCursor } from '@tessera/operations';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorOptions, Transform } from './cursor.js';
import type { Handle } from './handle.js';
import { sortDocument } from './sort.js';
import { findFilter } from './statements.js';
import type { Sort, SortDirection } from './sort.js';

export interface FindOptions extends AbstractCursorOptions {
  readonly sort?: Sort | undefined;
  readonly projection?: Document | undefined;
  readonly hint?: unknown;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly singleBatch?: boolean | undefined;
  readonly max?: Document | undefined;
  readonly min?: Document | undefined;
  readonly returnKey?: boolean | undefined;
  readonly showRecordId?: boolean | undefined;
  readonly allowPartialResults?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly allowDiskUse?: boolean | undefined;
  readonly let?: Document | undefined;
}

/** A find's options as the command takes them. */
export const findCommandOptions = (options: FindOptions | undefined): FindCommandOptions | undefined =>
  options?.sort === undefined
    ? (options as FindCommandOptions | undefined)
    : { ...options, sort: sortDocument(options.sort) };

export class FindCursor<Schema = Document> extends AbstractCursor<Schema, FindOptions> {
  #filter: Document;

  constructor(handle: Handle, filter: Document, options: FindOptions) {
    super(handle, options);
    this.#filter = filter;
  }

  protected override opening(handle: Handle): { readonly open: OpenCursor; readonly limit: number | undefined } {
    const filter = this.#filter;
    const options = findCommandOptions(this.options);
    return { open: take => handle.find(filter, options, take), limit: this.options.limit };
  }

  override clone(): FindCursor<Schema> {
    const clone = new FindCursor<Schema>(this.handle, this.#filter, this.options);
    clone.transform = this.transform;
    return clone;
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
}
