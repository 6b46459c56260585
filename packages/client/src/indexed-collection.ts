import type { BsonOptions, Document } from '@tessera/contracts';
import {
  changeSearchIndex,
  compact,
  makeIndexes,
  makeSearchIndexes,
  missing,
  removeIndexes,
  removeSearchIndex,
  withoutConcerns,
} from './collection-indexes.js';
import type { DropIndexesOptions, IndexGiven } from './collection-indexes.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Handle } from './handle.js';
import { ListIndexesCursor, ListSearchIndexesCursor } from './list-cursors.js';
import type {
  IndexInfo,
  IndexInformationOptions,
  ListIndexesOptions,
  ListSearchIndexesOptions,
} from './list-cursors.js';
import { argument, checkArgument, checkOptions } from './operation-options.js';
import { internalBson, resolvedBson } from './resolved-options.js';
import { asPromise } from './stack-trace.js';
import type {
  CreateIndexesOptions,
  CreateIndexOptions,
  IndexDescriptionCompact,
  IndexOptions,
  IndexSpecification,
  SearchIndexDescription,
} from './types/indexes.js';

/** The name, the settings, the indexes and the search indexes of a collection. `Collection` adds its documents. */
export class IndexedCollection {
  readonly #handle: Handle;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  get dbName(): string {
    return this.#handle.db;
  }
  get collectionName(): string {
    return this.#handle.collection;
  }
  get namespace(): string {
    return `${this.dbName}.${this.collectionName}`;
  }
  get readPreference(): ReadPreference {
    return this.#handle.resolved.readPreference ?? ReadPreference.primary;
  }
  get readConcern(): ReadConcern | undefined {
    return this.#handle.resolved.readConcern;
  }
  get writeConcern(): WriteConcern | undefined {
    return this.#handle.resolved.writeConcern;
  }
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#handle.resolved);
  }
  get timeoutMS(): number | undefined {
    return this.#handle.resolved.timeoutMS;
  }

  /** Creates an index and returns its name. Accepts the options of the index and of the command in one or two objects. */
  createIndex(keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string>;
  createIndex(
    keys: IndexSpecification,
    indexOptions: IndexOptions | undefined,
    commandOptions: CreateIndexOptions | undefined,
  ): Promise<string>;
  createIndex(
    keys: IndexSpecification,
    options?: CreateIndexesOptions | IndexOptions,
    commandOptions?: CreateIndexOptions,
  ): Promise<string> {
    const isApart = commandOptions !== undefined;
    return asPromise(() =>
      makeIndexes(this.#handle, [{ ...options, key: keys }], commandOptions ?? options ?? {}, isApart).then(
        ([name]) => name!,
      ),
    );
  }

  /** Creates indexes and returns their names. @param strange whether to send index options unknown to the driver */
  createIndexes(indexes: readonly IndexGiven[], options?: CreateIndexesOptions, strange?: boolean): Promise<string[]> {
    return asPromise(() => makeIndexes(this.#handle, indexes, options ?? {}, strange));
  }

  dropIndex(name: string, options?: DropIndexesOptions): Promise<Document> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      if (name === '*') throw new MongoInvalidArgumentError("'*' selects all indexes. Use dropIndexes to drop them.");
      return removeIndexes(this.#handle, name, options);
    });
  }

  /** Drops all indexes except that on `_id`. Returns false if the collection does not exist. */
  dropIndexes(options?: DropIndexesOptions): Promise<boolean> {
    return asPromise(() => removeIndexes(this.#handle, '*', options).then(() => true, missing));
  }

  listIndexes(options?: ListIndexesOptions): ListIndexesCursor {
    return new ListIndexesCursor(this.#handle, options ?? {});
  }

  indexes(options: IndexInformationOptions & { readonly full: false }): Promise<IndexDescriptionCompact>;
  indexes(options?: IndexInformationOptions & { readonly full?: true }): Promise<IndexInfo[]>;
  indexes(options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact>;
  indexes(given?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return asPromise<IndexInfo[] | IndexDescriptionCompact>(() => {
      checkOptions(given);
      const { full = true, ...options } = given ?? {};
      return full
        ? this.listIndexes(options).toArray()
        : this.listIndexes({ ...options, ...internalBson })
            .toArray()
            .then(compact);
    });
  }

  /** Returns the keys and directions of the indexes by name, or full descriptions with `full: true`. */
  indexInformation(options: IndexInformationOptions & { readonly full: true }): Promise<IndexInfo[]>;
  indexInformation(options?: IndexInformationOptions & { readonly full?: false }): Promise<IndexDescriptionCompact>;
  indexInformation(options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact>;
  indexInformation(options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return this.indexes({ ...options, full: options?.full ?? false });
  }

  indexExists(names: string | readonly string[], options?: ListIndexesOptions): Promise<boolean> {
    const wanted = typeof names === 'string' ? [names] : names;
    return asPromise(() => {
      checkOptions(options);
      checkArgument('names', wanted, argument.list);
      return this.listIndexes({ ...options, ...internalBson })
        .toArray()
        .then(known => wanted.every(name => known.some(index => index.name === name)));
    });
  }

  /** Returns the search indexes. All methods of search indexes need MongoDB Atlas. */
  listSearchIndexes(name?: string, options?: ListSearchIndexesOptions): ListSearchIndexesCursor;
  listSearchIndexes(options?: ListSearchIndexesOptions): ListSearchIndexesCursor;
  listSearchIndexes(
    first?: string | ListSearchIndexesOptions,
    second?: ListSearchIndexesOptions | null,
  ): ListSearchIndexesCursor {
    const [name, options] = typeof first === 'object' ? [undefined, first] : [first, second];
    return new ListSearchIndexesCursor(withoutConcerns(this.#handle), name, options ?? {});
  }

  /** Creates a search index and returns its name. The server builds the index in the background. */
  createSearchIndex(description: SearchIndexDescription): Promise<string> {
    return this.createSearchIndexes([description]).then(([name]) => name!);
  }

  createSearchIndexes(descriptions: readonly SearchIndexDescription[]): Promise<string[]> {
    return asPromise(() => makeSearchIndexes(this.#handle, descriptions));
  }

  updateSearchIndex(name: string, definition: Document): Promise<void> {
    return asPromise(() => changeSearchIndex(this.#handle, name, definition));
  }

  dropSearchIndex(name: string): Promise<void> {
    return asPromise(() => removeSearchIndex(this.#handle, name));
  }
}
