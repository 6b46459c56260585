import type { Document } from '@tessera/contracts';
import { listCollections, listIndexes } from '@tessera/operations';
import type { OpenCursor } from '@tessera/operations';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import { AbstractCursor } from './cursor.js';
import type { AbstractCursorOptions } from './cursor.js';
import { commandFields } from './handle.js';
import type { Handle } from './handle.js';
import { checkFilter } from './statements.js';
import { isGiven } from './operation-options.js';

export interface CollectionInfo extends Document {
  readonly name: string;
  readonly type?: string;
  readonly options?: Document;
  readonly info?: Document;
  readonly idIndex?: Document;
}

export interface ListCollectionsOptions extends AbstractCursorOptions {
  readonly nameOnly?: boolean | undefined;
  readonly authorizedCollections?: boolean | undefined;
  /** Lists the bucket collections of time series instead of the time series. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}

export class ListCollectionsCursor<Schema = CollectionInfo> extends AbstractCursor<Schema, ListCollectionsOptions> {
  readonly filter: Document;

  constructor(handle: Handle, filter: Document, options: ListCollectionsOptions) {
    super(handle, options);
    if (isGiven(filter)) checkFilter(filter);
    this.filter = filter;
  }

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

  override clone(): ListCollectionsCursor<Schema> {
    return new ListCollectionsCursor<Schema>(this.handle, this.filter, this.options);
  }
}

export interface IndexInfo extends Document {
  readonly v: number;
  readonly key: Document;
  readonly name: string;
  readonly unique?: boolean;
  readonly sparse?: boolean;
}

export interface ListIndexesOptions extends AbstractCursorOptions {
  /** Lists the indexes of a time series' buckets. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}

/** With `full: true`, indexes have full descriptions instead of only their keys by name. */
export interface IndexInformationOptions extends ListIndexesOptions {
  readonly full?: boolean | undefined;
}

export class ListIndexesCursor extends AbstractCursor<IndexInfo, ListIndexesOptions> {
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

  override clone(): ListIndexesCursor {
    return new ListIndexesCursor(this.handle, this.options);
  }
}

export type ListSearchIndexesOptions = Omit<AggregateOptions, 'readConcern' | 'writeConcern'>;

/** The search indexes of a collection, or the one with the given name. Rule: Index Management, "Search Indexes". */
export class ListSearchIndexesCursor extends AggregationCursor<{ name: string } & Document> {
  constructor(handle: Handle, name: string | undefined, options: ListSearchIndexesOptions) {
    super(handle, [{ $listSearchIndexes: name === undefined ? {} : { name } }], options);
  }
}
