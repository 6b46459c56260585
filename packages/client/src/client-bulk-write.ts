import type { Document } from '@tessera/contracts';
import { clientBulkWrite, isAcknowledged } from '@tessera/operations';
import type { Call, ClientBulkWriteOutcome, ClientWrite } from '@tessera/operations';
import { MongoClientBulkWriteError, MongoClientBulkWriteExecutionError } from './bulk-errors.js';
import type { ClientBulkWriteError } from './bulk-errors.js';
import { MongoInvalidArgumentError } from './errors.js';
import type { CommandOptions, Handle } from './handle.js';
import { argument, checkArgument, checkOptions } from './operation-options.js';
import { sortDocument } from './sort.js';
import { checkDocument, checkFilter, checkReplacement, checkUpdate, set } from './statements.js';
import type {
  AnyClientBulkWriteModel,
  ClientBulkWriteResult,
  ClientDeleteResult,
  ClientInsertOneResult,
  ClientUpdateResult,
} from './types/client-bulk.js';

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
  set(op, 'upsert', model['upsert']);
  set(op, 'arrayFilters', model['arrayFilters']);
  set(op, 'hint', model['hint']);
  set(op, 'collation', model['collation']);
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

const resultOf = (
  outcome: ClientBulkWriteOutcome,
  writes: readonly ClientWrite[],
  verbose: boolean,
): ClientBulkWriteResult => {
  const insertResults = new Map<number, ClientInsertOneResult>();
  const updateResults = new Map<number, ClientUpdateResult>();
  const deleteResults = new Map<number, ClientDeleteResult>();
  for (const { ok, index, n, nModified, upserted } of verbose ? outcome.results : []) {
    const write = writes[index];
    if (!ok || write === undefined) continue;
    if (write.kind === 'insert')
      insertResults.set(index, { insertedId: (write.op['document'] as Document)['_id'] as unknown });
    else if (write.kind === 'delete') deleteResults.set(index, { deletedCount: n });
    else {
      const result = { matchedCount: n, modifiedCount: nModified, didUpsert: upserted !== undefined };
      updateResults.set(index, upserted === undefined ? result : { ...result, upsertedId: upserted._id });
    }
  }
  return {
    acknowledged: outcome.acknowledged,
    insertedCount: outcome.nInserted,
    upsertedCount: outcome.nUpserted,
    matchedCount: outcome.nMatched,
    modifiedCount: outcome.nModified,
    deletedCount: outcome.nDeleted,
    insertResults: verbose ? insertResults : undefined,
    updateResults: verbose ? updateResults : undefined,
    deleteResults: verbose ? deleteResults : undefined,
  };
};

const errorOf = (code: unknown, errmsg: string | undefined, errInfo: unknown): ClientBulkWriteError => ({
  code: Number(code ?? 0),
  message: errmsg ?? 'the server gave no message',
  ...(errInfo === undefined ? {} : { details: errInfo as Document }),
});

/** Returns the message of the error, with the number of failed writes. */
const messageOf = (
  writes: number,
  writeErrors: ReadonlyMap<number, ClientBulkWriteError>,
  writeConcernErrors: readonly ClientBulkWriteError[],
): string => {
  const [first] = writeErrors;
  if (first !== undefined)
    return `${writeErrors.size} of ${writes} writes failed. The first error is at index ${first[0]}: ${first[1].message}`;
  return `The write concern was not satisfied: ${writeConcernErrors[0]?.message ?? ''}`;
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

const sendAll = async (
  handle: Handle,
  writes: readonly ClientWrite[],
  options: ClientBulkWriteOptions,
  call: Call,
): Promise<ClientBulkWriteResult> => {
  const { driver } = handle.origin;
  const caller = driver.callers.take();
  const outcome = await clientBulkWrite(driver, handle, writes, options, call);
  const { failure } = outcome;
  const writeErrors = new Map(
    outcome.results
      .filter(({ ok }) => !ok)
      .map(({ index, code, errmsg, errInfo }) => [index, errorOf(code, errmsg, errInfo)]),
  );
  const writeConcernErrors = outcome.writeConcernErrors.map(({ code, errmsg, errInfo }) =>
    errorOf(code, errmsg as string | undefined, errInfo),
  );
  const result = resultOf(outcome, writes, options.verboseResults === true);
  const isClean = writeErrors.size === 0 && writeConcernErrors.length === 0;
  if (isClean && failure === undefined) return result;
  const failed = { writeErrors, writeConcernErrors, partialResult: outcome.didWrite ? result : undefined };
  const called = { method: 'bulkWrite', namespace: 'admin', caller, call };
  const fail = (error: unknown): never => driver.rethrow(error, called, sendAll);
  if (failure === undefined) {
    const message = messageOf(writes.length, writeErrors, writeConcernErrors);
    return fail(new MongoClientBulkWriteError({ message }, failed));
  }
  // The failure is thrown unchanged unless the wrapper adds a partial result or other errors.
  if (failure.kind === 'aborted' || (failure.kind !== 'server' && isClean && !outcome.didWrite)) return fail(failure);
  const { message, code, codeName } = failure;
  const cause = driver.convertError(failure);
  return fail(new MongoClientBulkWriteError({ message, code, codeName }, failed, { from: failure, cause }));
};
