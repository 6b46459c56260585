import type { Document } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import { sortDocument } from './sort.js';
import type { Sort } from './sort.js';
import { isGiven } from './operation-options.js';
import type { CollationOptions, Hint } from './types/documents.js';

/** Options of one update or delete statement. */
export interface StatementOptions {
  /** Inserts a document if none matches. Default: false. */
  upsert?: boolean | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** Filters that select the array elements to update, such as `[{ 'grade.score': { $lt: 50 } }]` for `$[grade]`. */
  arrayFilters?: Document[] | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /**
   * The order that decides which of several matching documents `updateOne` or `replaceOne` changes. Since MongoDB 8.0.
   */
  sort?: Sort | undefined;
}

const isOperator = (update: unknown): boolean => {
  if (Array.isArray(update)) return update.length > 0;
  if (typeof update !== 'object' || update === null) return false;
  return Object.keys(update)[0]?.startsWith('$') === true;
};

/** Returns whether the first operator that `ignoreUndefined` keeps is an update operator. */
const staysOperator = (update: object): boolean => {
  for (const [name, value] of Object.entries(update)) if (value !== undefined) return name.startsWith('$');
  return false;
};

/**
 * @param ignoreUndefined whether undefined fields are omitted: without any other field the update would become a
 * replacement
 * @throws MongoInvalidArgumentError for a replacement, which would drop every other field
 */
export const checkUpdate = (update: unknown, ignoreUndefined: boolean): Document | readonly Document[] => {
  if (!isOperator(update) || (Array.isArray(update) && !update.every(isOperator)))
    throw new MongoInvalidArgumentError(
      'An update must contain operators such as $set, or be a pipeline. To replace a document, use replaceOne.',
    );
  if (ignoreUndefined && !Array.isArray(update) && !staysOperator(update as object))
    throw new MongoInvalidArgumentError(
      'All operators of the update are undefined, and "ignoreUndefined" removes them. The update would replace the document with an empty one.',
    );
  return update as Document | readonly Document[];
};

/** @throws MongoInvalidArgumentError for operators, which belong to an update */
export const checkReplacement = (replacement: unknown): Document => {
  if (typeof replacement !== 'object' || replacement === null)
    throw new MongoInvalidArgumentError('A replacement must be a document.');
  if (isOperator(replacement))
    throw new MongoInvalidArgumentError(
      'A replacement must not contain operators such as $set. To update a document, use updateOne.',
    );
  return replacement;
};

/** @throws MongoInvalidArgumentError unless the filter is a document */
export const checkFilter = (filter: unknown): Document => {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    const given = Array.isArray(filter) ? 'an array' : filter === null ? 'null' : typeof filter;
    throw new MongoInvalidArgumentError(`A filter must be a document, but is ${given}.`);
  }
  return filter;
};

/** @throws MongoInvalidArgumentError unless the value can be inserted */
export const checkDocument = (document: unknown): Document => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new MongoInvalidArgumentError('A document to insert must be an object.');
  return document;
};

/** @throws MongoInvalidArgumentError unless the value is one document that can be inserted */
export const checkOneDocument = (document: unknown): Document => {
  if (Array.isArray(document))
    throw new MongoInvalidArgumentError('The method insertOne takes one document, but got an array. Use insertMany.');
  return checkDocument(document);
};

/**
 * Returns the filter of `find`. An ObjectId selects the document with that `_id`; null and undefined select all
 * documents.
 */
export const findFilter = (filter: unknown): Document => {
  if (filter === undefined || filter === null) return {};
  return (filter as Document)['_bsontype'] === 'ObjectId' ? { _id: filter } : checkFilter(filter);
};

/** Sets the field if the value is neither null nor undefined. */
export const set = (statement: Document, name: string, value: unknown): Document => {
  if (isGiven(value)) statement[name] = value;
  return statement;
};

/** Returns an update statement. Rule: Server Write Commands, "update". */
export const updateStatement = (
  filter: unknown,
  u: Document | readonly Document[],
  multi: boolean,
  options: StatementOptions,
): Document => {
  const statement: Document = { q: checkFilter(filter), u };
  if (options.upsert === true) statement['upsert'] = true;
  if (multi) statement['multi'] = true;
  set(statement, 'hint', options.hint);
  set(statement, 'arrayFilters', options.arrayFilters);
  set(statement, 'collation', options.collation);
  // updateMany does not accept a sort.
  if (!multi) set(statement, 'sort', sortDocument(options.sort));
  return statement;
};

/** Returns a delete statement. Rule: Server Write Commands, "delete". */
export const deleteStatement = (filter: unknown, limit: 0 | 1, options: StatementOptions): Document => {
  const statement: Document = { q: checkFilter(filter), limit };
  set(statement, 'collation', options.collation);
  set(statement, 'hint', options.hint);
  return statement;
};
