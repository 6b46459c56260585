import type { Binary, Document } from '@tessera/contracts';
import { listCollections, listIndexes } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import type { Collection } from './collection.js';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorEvents, AbstractCursorOptions } from './cursor-options.js';
import type { Db } from './db.js';
import { commandFields } from './handle.js';
import type { CommandOptions, Handle } from './handle.js';
import { checkFilter } from './statements.js';
import { isGiven } from './operation-options.js';
import type { IndexInfo } from './types/indexes.js';

/** The server's description of a collection or a view. */
export interface CollectionInfo extends Document {
  /** The name, without the database. */
  name: string;
  /** The type: `collection`, `view` or `timeseries`. */
  type?: string;
  /** The options with which it was created. Absent with `nameOnly`. */
  options?: Document;
  /**
   * `readOnly`, and `uuid`, the permanent id of a collection. Absent with `nameOnly`. `readOnly` is true for views,
   * although its type, that of the official driver, allows only false.
   */
  info?: { readOnly?: false; uuid?: Binary };
  /** The description of the index on `_id`. Views have none. */
  idIndex?: Document;
}

/** The description of a collection with `nameOnly: true`. */
export type NamedCollection = Pick<CollectionInfo, 'name' | 'type'>;

/** Options of `db.listCollections`. */
export interface ListCollectionsOptions extends AbstractCursorOptions, Pick<CommandOptions, 'collation' | 'explain'> {
  /** Returns only names and types, which needs no lock on the collections. Default: false. */
  nameOnly?: boolean | undefined;
  /**
   * With `nameOnly: true`, lists only the collections that the user may access. Without it, the command fails if the user
   * lacks the privilege `listCollections`. Default: false.
   */
  authorizedCollections?: boolean | undefined;
  /** Lists the bucket collections of time series instead of the time series. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/** The cursor of `db.listCollections`. */
export class ListCollectionsCursor<
  Schema extends NamedCollection | CollectionInfo = NamedCollection | CollectionInfo,
> extends AbstractCursor<Schema, AbstractCursorEvents, ListCollectionsOptions> {
  /** The filter on the descriptions of collections. */
  readonly filter: Document;
  readonly #parent: Db;

  /** Use `db.listCollections` instead. */
  constructor(handle: Handle, filter: Document, options: ListCollectionsOptions, parent: Db) {
    super(handle, options);
    this.#parent = parent;
    if (isGiven(filter)) checkFilter(filter);
    this.filter = filter;
  }

  /** The options of the cursor. */
  override get options(): ListCollectionsOptions {
    return super.options;
  }

  /** The database whose collections the cursor lists. */
  get parent(): Db {
    return this.#parent;
  }

  /** The name of the method, for errors. */
  protected override get method(): string {
    return 'listCollections';
  }

  /** Returns the command that opens the cursor. */
  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    const { nameOnly, authorizedCollections } = this.options;
    const batchSize = this.options.batchSize ?? undefined;
    const command: Document = {
      filter: this.filter,
      cursor: batchSize === undefined ? {} : { batchSize },
      ...(nameOnly === undefined ? {} : { nameOnly }),
      ...(authorizedCollections === undefined ? {} : { authorizedCollections }),
      ...commandFields(this.options),
    };
    return { open: take => listCollections(handle, command, take, this.options.rawData) };
  }

  /** The server repeats the comment by itself. Rule: Enumerating Collections, "listCollections Database Command". */
  protected override get isCommented(): boolean {
    return false;
  }

  /**
   * Returns an unused cursor with the same filter and options, without the functions of `map`.
   * @example const again = db.listCollections().clone();
   */
  override clone(): ListCollectionsCursor<Schema> {
    return new ListCollectionsCursor<Schema>(this.handle, this.filter, this.options, this.#parent);
  }
}

/** Options of `listIndexes`. */
export interface ListIndexesOptions extends AbstractCursorOptions {
  /** Lists the indexes of a time series' buckets. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/** Options of `indexes` and `indexInformation`. */
export interface IndexInformationOptions extends ListIndexesOptions {
  /**
   * Returns full descriptions of the indexes instead of only their keys by name. Default: true for `indexes`, false for
   * `indexInformation`.
   */
  full?: boolean | undefined;
}

/** The cursor of `collection.listIndexes`. */
export class ListIndexesCursor extends AbstractCursor<IndexInfo, AbstractCursorEvents, ListIndexesOptions> {
  readonly #parent: Collection;

  /** Use `collection.listIndexes` instead. */
  constructor(handle: Handle, options: ListIndexesOptions, parent: Collection) {
    super(handle, options);
    this.#parent = parent;
  }

  /** The options of the cursor. */
  override get options(): ListIndexesOptions {
    return super.options;
  }

  /** The collection whose indexes the cursor lists. */
  get parent(): Collection {
    return this.#parent;
  }

  /** The name of the method, for errors. */
  protected override get method(): string {
    return 'listIndexes';
  }

  /** Returns the command that opens the cursor. */
  protected override opening(handle: Handle): { readonly open: OpenCursor } {
    const batchSize = this.options.batchSize ?? undefined;
    const command: Document = {
      ...(batchSize === undefined ? {} : { cursor: { batchSize } }),
      ...commandFields(this.options),
    };
    return { open: take => listIndexes(handle, command, take, this.options.rawData) };
  }

  /** The server repeats the comment by itself. Rule: Index Management, "listIndexes". */
  protected override get isCommented(): boolean {
    return false;
  }

  /**
   * Returns an unused cursor with the same options, without the functions of `map`.
   * @example const again = films.listIndexes().clone();
   */
  override clone(): ListIndexesCursor {
    return new ListIndexesCursor(this.handle, this.options, this.#parent);
  }
}

/** Options of `listSearchIndexes`. */
export type ListSearchIndexesOptions = Omit<AggregateOptions, 'readConcern' | 'writeConcern'>;

/** The search indexes of a collection, or the one with the given name. Rule: Index Management, "Search Indexes". */
export class ListSearchIndexesCursor extends AggregationCursor<{ name: string } & Document> {
  /** Use `collection.listSearchIndexes` instead. */
  constructor(handle: Handle, name: string | undefined, options: ListSearchIndexesOptions) {
    super(handle, [{ $listSearchIndexes: name === undefined ? {} : { name } }], options);
  }
}
