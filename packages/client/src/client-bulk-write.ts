import type { Document } from '@tessera/contracts';
import { isAcknowledged } from '@tessera/operations';
import type { Call, ClientWrite } from '@tessera/operations';
import { MongoClientBulkWriteError, MongoClientBulkWriteExecutionError } from './bulk-errors.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { CommandOptions, Handle } from './handle.js';
import { argument, checkArgument, checkOptions } from './operation-options.js';
import { sortDocument } from './sort.js';
import { checkDocument, checkFilter, checkReplacement, checkUpdate, set } from './statements.js';
import type { AnyClientBulkWriteModel, ClientBulkWriteResult } from './types/client-bulk.js';

/** Options of `client.bulkWrite`. */
export interface ClientBulkWriteOptions extends CommandOptions {
  /** Stops at the first write that fails. Must be false with `w: 0`. Default: true. */
  ordered?: boolean | undefined;
  /** Writes documents that the collection's validator rejects. Default: false. */
  bypassDocumentValidation?: boolean | undefined;
  /** Variables that expressions in filters and updates read as `$$name`. */
  let?: Document | undefined;
  /** Returns the result of each write. Not allowed with `w: 0`. Default: false. */
  verboseResults?: boolean | undefined;
  /** Works on documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/** Returns a copy with an `_id` as its first field, and sets the same `_id` in the caller's document. */
const withId = (document: Document, newId: () => unknown): Document => {
  if (document instanceof Map) return withId(Object.fromEntries(document) as Document, newId);
  if (document instanceof Uint8Array || document['_id'] !== undefined) return document;
  const _id = newId();
  const { _id: _, ...rest } = document;
  document['_id'] = _id;
  return { _id, ...rest };
};

const update = (model: Document, filter: unknown, updateMods: unknown, multi: boolean): Document => {
  const op: Document = { update: 0, filter: checkFilter(filter), updateMods, multi };
  for (const name of ['upsert', 'arrayFilters', 'hint', 'collation']) set(op, name, model[name]);
  return set(op, 'sort', sortDocument(model['sort'] as undefined));
};

const remove = (model: Document, filter: unknown, multi: boolean): Document => {
  const op: Document = { delete: 0, filter: checkFilter(filter), multi };
  return set(set(op, 'hint', model['hint']), 'collation', model['collation']);
};

/**
 * Converts a model to a write of the command. Rule: Bulk Write, "Operations".
 * @throws MongoInvalidArgumentError for an invalid model
 */
const toWrite = (
  model: AnyClientBulkWriteModel,
  newId: () => unknown,
  ignoreUndefined: boolean,
  filterOf: (filter: unknown) => unknown,
): ClientWrite => {
  checkArgument('model', model, argument.document);
  const { namespace, name } = model;
  if (name !== 'insertOne') checkOptions(model);
  if (typeof namespace !== 'string' || !namespace.includes('.'))
    throw new MongoInvalidArgumentError(
      `Each write of MongoClient.bulkWrite needs a "namespace" such as 'db.collection'.`,
    );
  switch (name) {
    case 'insertOne':
      return { namespace, kind: 'insert', op: { insert: 0, document: withId(checkDocument(model.document), newId) } };
    case 'updateOne':
    case 'updateMany':
      return {
        namespace,
        kind: 'update',
        op: update(model, filterOf(model.filter), checkUpdate(model.update, ignoreUndefined), name === 'updateMany'),
      };
    case 'replaceOne':
      return {
        namespace,
        kind: 'update',
        op: update(model, filterOf(model.filter), checkReplacement(model.replacement), false),
      };
    case 'deleteOne':
    case 'deleteMany':
      return { namespace, kind: 'delete', op: remove(model, filterOf(model.filter), name === 'deleteMany') };
    default:
      throw new MongoInvalidArgumentError(
        `Unknown bulk write operation '${String(name)}'. Use insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.`,
      );
  }
};

/**
 * Runs `MongoClient.bulkWrite`.
 * @param base the handle of `admin`
 * @throws MongoClientBulkWriteError with the partial result
 */
export const bulkWriteOfClient = (
  base: Handle,
  models: readonly AnyClientBulkWriteModel[],
  given: ClientBulkWriteOptions | null | undefined,
): Promise<ClientBulkWriteResult> => {
  checkArgument('models', models, argument.list);
  if (models.length === 0)
    throw new MongoClientBulkWriteExecutionError(
      'MongoClient.bulkWrite needs at least one write, but the list is empty.',
    );
  checkOptions(given);
  const options = given ?? {};
  const verbose = options.verboseResults === true;
  const own = base.with(options);
  // Results are read as documents. Other options of BSON would not keep the keys that were learned in earlier calls.
  const handle = own.resolved.bson.raw === true ? base.with({ ...options, raw: false }) : own;
  const { driver } = handle.origin;
  if (!isAcknowledged(handle.writeConcern)) {
    if (verbose)
      throw new MongoInvalidArgumentError('Cannot request unacknowledged write concern and verbose results.');
    if (options.ordered !== false)
      throw new MongoInvalidArgumentError('Cannot request unacknowledged write concern and ordered writes.');
  }
  const ignoring = handle.ignoresUndefined();
  const filterOf = (filter: unknown): unknown => handle.filter(filter, options);
  const writes = models.map(model => toWrite(model, driver.newId, ignoring, filterOf));
  return sendAll(handle, writes, options, handle.call(options));
};

/** The functions that send the writes. They are loaded for the first call. */
let sending: typeof import('./client-bulk-run.js') | undefined;

const sendAll = async (
  handle: Handle,
  writes: readonly ClientWrite[],
  options: ClientBulkWriteOptions,
  call: Call,
): Promise<ClientBulkWriteResult> => {
  const { driver } = handle.origin;
  const caller = driver.callers.take();
  sending ??= await driver.loaded(import('./client-bulk-run.js'));
  const verbose = options.verboseResults === true;
  const outcome = await sending.sendWrites(driver, handle, writes, options, call, verbose);
  const { result, writeErrors, writeConcernErrors, failure, didWrite } = outcome;
  const isClean = writeErrors.size === 0 && writeConcernErrors.length === 0;
  if (isClean && failure === undefined) return result;
  const failed = { writeErrors, writeConcernErrors, partialResult: didWrite ? result : undefined };
  const { deadline, timeoutMS } = call;
  const called = { method: 'bulkWrite', namespace: 'admin', caller, deadline, timeoutMS };
  const fail = (error: unknown): never => driver.rethrow(error, called, sendAll);
  if (failure === undefined) {
    return fail(new MongoClientBulkWriteError({ message: sending.messageOf(writes.length, outcome) }, failed));
  }
  // The failure is thrown unchanged unless the wrapper adds a partial result or other errors.
  if (failure.kind === 'aborted' || (failure.kind !== 'server' && isClean && !didWrite)) return fail(failure);
  const { message, code, codeName } = failure;
  const cause = driver.convertError(failure);
  return fail(new MongoClientBulkWriteError({ message, code, codeName }, failed, { from: failure, cause }));
};
