/** The index methods of a collection. */
import type { Document } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import {
  createIndexes,
  createSearchIndexes,
  dropIndexes,
  dropSearchIndex,
  indexName,
  updateSearchIndex,
} from '@tessera/operations';
import { commandFields } from './handle.js';
import { noOptions } from './resolved-options.js';
import type { CommandOptions, Handle } from './handle.js';
import { indexFields, indexKeys } from './index-keys.js';
import { argument, checkArgument, checkOptions, indexOptions } from './operation-options.js';
import type {
  CreateIndexesOptions,
  IndexDescription,
  IndexDescriptionCompact,
  IndexInfo,
  IndexSpecification,
  SearchIndexDescription,
} from './types/indexes.js';

/** Options of `dropIndex` and `dropIndexes`. */
export interface DropIndexesOptions extends CommandOptions {
  /** Drops the indexes of a time series' buckets. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/** The description of an index, with its keys in any accepted form. */
export type IndexGiven = Omit<IndexDescription, 'key'> & {
  /** The fields to index, with their directions or types. */
  readonly key: IndexSpecification;
};

/**
 * Returns false for the error that the collection does not exist. Old servers report it only by message.
 * @throws any other error
 */
export const missing = (error: unknown): false => {
  if (TesseraError.is(error) && (error.code === 26 || error.message === 'ns not found')) return false;
  throw error;
};

/**
 * Creates indexes and returns their names.
 * @param sendsUnknown whether to send index options that the driver does not list
 * Rule: Index Management, "createIndexes".
 */
export const makeIndexes = (
  base: Handle,
  indexes: readonly IndexGiven[],
  options: CreateIndexesOptions,
  sendsUnknown: boolean = false,
): Promise<string[]> => {
  checkArgument('indexes', indexes, argument.list);
  for (const index of indexes) {
    checkArgument('index', index, argument.document);
    checkOptions(index, indexOptions);
  }
  const handle = base.with(options);
  const described = indexes.map(({ key, ...index }) => {
    const keys = indexKeys(key);
    return { ...indexFields(index, sendsUnknown), key: keys, name: index.name ?? indexName(keys) };
  });
  const { commitQuorum } = options;
  const fields = { ...(commitQuorum === undefined ? {} : { commitQuorum }), ...commandFields(options) };
  const operation = createIndexes(handle, described, fields, options.rawData);
  return handle.run(operation, options, () => described.map(index => index.name));
};

export const removeIndexes = (
  base: Handle,
  index: string,
  options: DropIndexesOptions | undefined,
): Promise<Document> => {
  const handle = base.with(options);
  return handle.run(dropIndexes(handle, index, commandFields(options), options?.rawData), options);
};

/** Returns the keys and directions of each index by its name. */
export const compact = (indexes: readonly IndexInfo[]): IndexDescriptionCompact =>
  Object.fromEntries(indexes.map(({ name, key }) => [name ?? '', Object.entries(key)]));

/** Returns a handle without concerns: they do not apply to search indexes. */
export const withoutConcerns = (handle: Handle): Handle =>
  handle.as(
    { ...noOptions, readPreference: handle.resolved.readPreference, timeoutMS: handle.resolved.timeoutMS },
    handle.forceServerObjectId,
  );

export const makeSearchIndexes = (
  base: Handle,
  indexes: readonly SearchIndexDescription[],
  options?: CommandOptions,
): Promise<string[]> => {
  checkArgument('descriptions', indexes, argument.list);
  for (const description of indexes) checkArgument('description', description, argument.document);
  const handle = withoutConcerns(base);
  return handle.run(createSearchIndexes(handle, indexes), options);
};

export const changeSearchIndex = (
  base: Handle,
  name: string,
  definition: Document,
  options?: CommandOptions,
): Promise<void> => {
  checkArgument('name', name, argument.text);
  checkArgument('definition', definition, argument.document);
  const handle = withoutConcerns(base);
  return handle.run(updateSearchIndex(handle, name, definition), options);
};

/** Drops a search index. A missing collection is not an error. Rule: Index Management, "dropSearchIndex". */
export const removeSearchIndex = (base: Handle, name: string, options?: CommandOptions): Promise<void> => {
  checkArgument('name', name, argument.text);
  const handle = withoutConcerns(base);
  return handle.run(dropSearchIndex(handle, name), options).catch((error: unknown) => {
    missing(error);
  });
};
