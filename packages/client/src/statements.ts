import type { Document } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import { sortDocument } from './sort.js';
import type { Sort } from './sort.js';
import { isGiven } from './operation-options.js';

/** Options of one update or delete statement. */
export interface StatementOptions {
  readonly upsert?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly arrayFilters?: readonly Document[] | undefined;
  readonly hint?: unknown;
  readonly sort?: Sort | undefined;
}

const isOperator = (update: unknown): boolean => {
  if (Array.isArray(update)) return update.length > 0;
  if (typeof update !== 'object' || update === null) return false;
  const [first] = Object.keys(update);
  return first?.startsWith('$') === true;
};

/** Without the operators that `ignoreUndefined` leaves out, there is another one in front. */
const staysOperator = (update: object): boolean => {
  for (const [name, value] of Object.entries(update)) if (value !== undefined) return name.startsWith('$');
  return false;
};

/**
 * @param ignoreUndefined whether what is undefined is not sent: an update of nothing else would be sent as a replacement.
 * @throws MongoInvalidArgumentError for a replacement: it would silently drop every other field.
 */
export const checkUpdate = (update: unknown, ignoreUndefined: boolean): Document | readonly Document[] => {
  if (!isOperator(update))
    throw new MongoInvalidArgumentError(
      'An update must use operators such as $set, or be a pipeline; to replace a document use replaceOne.',
    );
  if (ignoreUndefined && !Array.isArray(update) && !staysOperator(update as object))
    throw new MongoInvalidArgumentError(
      'All operators of the update are undefined, and ignoreUndefined leaves them out: it would replace the document by nothing.',
    );
  return update as Document | readonly Document[];
};

/** @throws MongoInvalidArgumentError for operators: they belong to an update. */
export const checkReplacement = (replacement: unknown): Document => {
  if (typeof replacement !== 'object' || replacement === null)
    throw new MongoInvalidArgumentError('A replacement must be a document.');
  if (isOperator(replacement))
    throw new MongoInvalidArgumentError(
      'A replacement must not use operators such as $set; to update a document use updateOne.',
    );
  return replacement;
};

/** @throws MongoInvalidArgumentError unless it is a document. */
export const checkFilter = (filter: unknown): Document => {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    const given = Array.isArray(filter) ? 'an array' : filter === null ? 'null' : typeof filter;
    throw new MongoInvalidArgumentError(`A filter must be a document, but is ${given}.`);
  }
  return filter;
};

/** @throws MongoInvalidArgumentError unless it can be inserted. */
export const checkDocument = (document: unknown): Document => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new MongoInvalidArgumentError('A document to insert must be an object.');
  return document;
};

/** A filter of `find`: an id stands for the document that bears it, nothing for all. */
export const findFilter = (filter: unknown): Document => {
  if (filter === undefined || filter === null) return {};
  return (filter as Document)['_bsontype'] === 'ObjectId' ? { _id: filter } : checkFilter(filter);
};

/** Says it in the statement, if there is anything to say. */
export const set = (statement: Document, name: string, value: unknown): Document => {
  if (isGiven(value)) statement[name] = value;
  return statement;
};

/** Rule: Server Write Commands, "update". */
export const updateStatement = (
  filter: unknown,
  u: Document | readonly Document[],
  multi: boolean,
  options: StatementOptions,
): Document => {
  const statement: Document = { q: checkFilter(filter), u };
  if (multi) statement['multi'] = true;
  if (options.upsert === true) statement['upsert'] = true;
  set(statement, 'collation', options.collation);
  set(statement, 'arrayFilters', options.arrayFilters);
  set(statement, 'hint', options.hint);
  // Many have no order to be updated in.
  if (!multi) set(statement, 'sort', sortDocument(options.sort));
  return statement;
};

/** Rule: Server Write Commands, "delete". */
export const deleteStatement = (filter: unknown, limit: 0 | 1, options: StatementOptions): Document => {
  const statement: Document = { q: checkFilter(filter), limit };
  set(statement, 'collation', options.collation);
  set(statement, 'hint', options.hint);
  return statement;
};
