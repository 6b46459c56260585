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
import type { Collection } from './collection.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import { Described } from './described.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { Handle } from './handle.js';
import { ListIndexesCursor, ListSearchIndexesCursor } from './list-cursors.js';
import type { IndexInformationOptions, ListIndexesOptions, ListSearchIndexesOptions } from './list-cursors.js';
import { argument, checkArgument, checkOptions } from './operation-options.js';
import type { Hint } from './types/documents.js';
import { internalBson, resolvedBson } from './resolved-options.js';
import { asPromise } from './stack-trace.js';
import type {
  CreateIndexesOptions,
  CreateIndexOptions,
  IndexDescriptionCompact,
  IndexInfo,
  IndexOptions,
  IndexSpecification,
  SearchIndexDescription,
} from './types/indexes.js';

const isList = (hint: unknown): hint is readonly string[] => Array.isArray(hint);

/** The name, the settings, the indexes and the search indexes of a collection. `Collection` adds its documents. */
export class IndexedCollection extends Described {
  readonly #handle: Handle;
  #hint: Hint | undefined;

  /** Use `db.collection(name)` instead. */
  constructor(handle: Handle) {
    super();
    this.#handle = handle;
  }

  /** The name of the database. */
  get dbName(): string {
    return this.#handle.db;
  }
  /** The name of the collection, without the database. */
  get collectionName(): string {
    return this.#handle.collection;
  }
  /** The name of the database, a dot, and the name of the collection. */
  get namespace(): string {
    return `${this.dbName}.${this.collectionName}`;
  }
  /** The servers that reads use. Default: that of the database. */
  get readPreference(): ReadPreference {
    return this.#handle.resolved.readPreference ?? ReadPreference.primary;
  }
  /** The read concern of operations that set none. Undefined means the server's default. */
  get readConcern(): ReadConcern | undefined {
    return this.#handle.resolved.readConcern;
  }
  /** The write concern of operations that set none. Undefined means the server's default. */
  get writeConcern(): WriteConcern | undefined {
    return this.#handle.resolved.writeConcern;
  }
  /** The options that convert documents to BSON and back, including defaults. */
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#handle.resolved);
  }
  /** The timeout in milliseconds of each operation. Undefined means no limit for the whole operation. */
  get timeoutMS(): number | undefined {
    return this.#handle.resolved.timeoutMS;
  }
  /** The hint that was set last, as in the official driver. Operations do not use it; pass their option `hint`. */
  get hint(): Hint | undefined {
    return this.#hint;
  }
  set hint(hint: Hint | readonly string[] | undefined) {
    const fields: Hint | undefined = isList(hint) ? Object.fromEntries(hint.map(field => [field, 1])) : hint;
    this.#hint = typeof fields === 'object' ? { ...fields } : fields;
  }

  /**
   * Creates an index and returns its name. Does nothing if an equal index exists. The options of the index and of the
   * command are in one object.
   * @throws MongoServerError if an index of the same name or keys exists with other options
   * @example await films.createIndex({ title: 1, year: -1 }, { unique: true });
   */
  createIndex(keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string>;
  /**
   * Creates an index and returns its name. The second argument has the options of the index, the third those of the
   * command. Index options that the driver does not list are sent to the server, too.
   */
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

  /**
   * Creates indexes with one command and returns their names.
   * @param sendsUnknown whether to send index options that the driver does not list, such as those of newer servers.
   * Default: false, which omits them
   * @example await films.createIndexes([{ key: { title: 1 } }, { key: { year: -1 }, name: 'newest' }]);
   */
  createIndexes(
    indexes: readonly IndexGiven[],
    options?: CreateIndexesOptions,
    sendsUnknown?: boolean,
  ): Promise<string[]> {
    return asPromise(() => makeIndexes(this.#handle, indexes, options ?? {}, sendsUnknown));
  }

  /**
   * Drops the index of that name, and returns the server's reply.
   * @throws MongoServerError if it does not exist
   * @example await films.dropIndex('title_1_year_-1');
   */
  dropIndex(name: string, options?: DropIndexesOptions): Promise<Document> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      if (name === '*') throw new MongoInvalidArgumentError("'*' selects all indexes. Use dropIndexes to drop them.");
      return removeIndexes(this.#handle, name, options);
    });
  }

  /**
   * Drops all indexes except that on `_id`. Returns false if the collection does not exist.
   * @example await films.dropIndexes();
   */
  dropIndexes(options?: DropIndexesOptions): Promise<boolean> {
    return asPromise(() => removeIndexes(this.#handle, '*', options).then(() => true, missing));
  }

  /**
   * Returns a cursor over the descriptions of the indexes.
   * @example for await (const { name, key } of films.listIndexes()) console.log(name, key);
   */
  listIndexes(options?: ListIndexesOptions): ListIndexesCursor {
    return new ListIndexesCursor(this.#handle, options ?? {}, this as unknown as Collection);
  }

  /** Returns the keys and directions of each index by its name. */
  indexes(options: IndexInformationOptions & { readonly full: false }): Promise<IndexDescriptionCompact>;
  /**
   * Returns the descriptions of all indexes.
   * @example const [byId, ...others] = await films.indexes();
   */
  indexes(options?: IndexInformationOptions & { readonly full?: true }): Promise<IndexInfo[]>;
  /** Returns descriptions of the indexes, in the form that the option `full` selects. Default: full descriptions. */
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

  /**
   * Returns the keys and directions of the indexes by name, or full descriptions with `full: true`.
   * @example const all = await films.indexInformation({ full: true });
   */
  indexInformation(options: IndexInformationOptions & { readonly full: true }): Promise<IndexInfo[]>;
  /** Returns the keys and directions of each index by its name. */
  indexInformation(options?: IndexInformationOptions & { readonly full?: false }): Promise<IndexDescriptionCompact>;
  /** Returns descriptions of the indexes, in the form that the option `full` selects. Default: keys by name. */
  indexInformation(options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact>;
  indexInformation(options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return this.indexes({ ...options, full: options?.full ?? false });
  }

  /**
   * Returns whether the collection has an index of that name, or of each of several names.
   * @example const isFast = await films.indexExists(['title_1', 'newest']);
   */
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

  /**
   * Returns a cursor over the search indexes, or over the one of that name. All methods of search indexes need MongoDB
   * Atlas, or the embedded server with its option `search`.
   * @example const indexes = await films.listSearchIndexes('plots').toArray();
   */
  listSearchIndexes(name?: string, options?: ListSearchIndexesOptions): ListSearchIndexesCursor;
  /** Returns a cursor over all search indexes. */
  listSearchIndexes(options?: ListSearchIndexesOptions): ListSearchIndexesCursor;
  listSearchIndexes(
    first?: string | ListSearchIndexesOptions,
    second?: ListSearchIndexesOptions | null,
  ): ListSearchIndexesCursor {
    const [name, options] = typeof first === 'object' ? [undefined, first] : [first, second];
    return new ListSearchIndexesCursor(withoutConcerns(this.#handle), name, options ?? {});
  }

  /**
   * Creates a search index and returns its name. The server builds the index in the background.
   * @example await films.createSearchIndex({ name: 'plots', definition: { mappings: { dynamic: true } } });
   */
  createSearchIndex(description: SearchIndexDescription): Promise<string> {
    return this.createSearchIndexes([description]).then(([name]) => name!);
  }

  /**
   * Creates search indexes and returns their names. The server builds them in the background.
   * @example await films.createSearchIndexes([{ name: 'plots', definition: { mappings: { dynamic: true } } }]);
   */
  createSearchIndexes(descriptions: readonly SearchIndexDescription[]): Promise<string[]> {
    return asPromise(() => makeSearchIndexes(this.#handle, descriptions));
  }

  /**
   * Replaces the definition of a search index. The server rebuilds the index in the background.
   * @example await films.updateSearchIndex('plots', { mappings: { dynamic: false } });
   */
  updateSearchIndex(name: string, definition: Document): Promise<void> {
    return asPromise(() => changeSearchIndex(this.#handle, name, definition));
  }

  /**
   * Drops a search index. Does nothing if the collection does not exist.
   * @example await films.dropSearchIndex('plots');
   */
  dropSearchIndex(name: string): Promise<void> {
    return asPromise(() => removeSearchIndex(this.#handle, name));
  }
}
