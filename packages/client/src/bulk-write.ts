import type { Document } from '@tessera/contracts';
import {
  MongoError as TesseraError,
  errorFieldsOf,
  unsatisfiedConcernOf,
  writeConcernErrorOf,
} from '@tessera/contracts';
import { writeMany } from '@tessera/operations';
import type { Call, WriteCommand, WriteOptions, WriteOutcome } from '@tessera/operations';
import { MongoBulkWriteError } from './bulk-errors.js';
import { BulkWriteResult, WriteConcernError, WriteError } from './bulk-write-result.js';
import type { WriteConcernErrorData } from './bulk-write-result.js';
import { MongoInvalidArgumentError } from './errors.js';
import { withFailedFields } from './failed-validation.js';
import type { CommandOptions, Handle } from './handle.js';
import { checkOptions } from './operation-options.js';
import { checkReplacement, checkUpdate, deleteStatement, updateStatement } from './statements.js';
import type { StatementOptions } from './statements.js';

/** Options of `collection.bulkWrite` and `insertMany`. */
export interface BulkWriteOptions extends CommandOptions, WriteOptions {
  /** Lets the server generate the `_id` of inserted documents. Default: that of the collection. */
  forceServerObjectId?: boolean | undefined;
}

/** Statements of one command, with their indexes in the given list. */
export interface Run {
  readonly command: WriteCommand;
  readonly statements: Document[];
  /** Undefined if the indexes equal those of the statements. */
  readonly places: number[] | undefined;
}

const one = (
  model: unknown,
  ignoreUndefined: boolean,
  filterOf: (filter: unknown) => unknown,
): { readonly command: WriteCommand; readonly statement: Document } => {
  const [[name, given] = ['', undefined], ...rest] = Object.entries((model ?? {}) as Document);
  const body = given as Document | null | undefined;
  if (rest.length > 0 || typeof body !== 'object' || body === null)
    throw new MongoInvalidArgumentError(
      'Each operation of a bulk write must be a document with one key: insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.',
    );
  const options = body as StatementOptions;
  switch (name) {
    case 'insertOne':
      return { command: 'insert', statement: (body['document'] ?? body) as Document };
    case 'updateOne':
    case 'updateMany':
      checkOptions(body);
      return {
        command: 'update',
        statement: updateStatement(
          filterOf(body['filter']),
          checkUpdate(body['update'], ignoreUndefined),
          name === 'updateMany',
          options,
        ),
      };
    case 'replaceOne':
      checkOptions(body);
      return {
        command: 'update',
        statement: updateStatement(filterOf(body['filter']), checkReplacement(body['replacement']), false, options),
      };
    case 'deleteOne':
    case 'deleteMany':
      checkOptions(body);
      return {
        command: 'delete',
        statement: deleteStatement(filterOf(body['filter']), name === 'deleteOne' ? 1 : 0, options),
      };
    default:
      throw new MongoInvalidArgumentError(
        `Unknown bulk write operation '${name}'. Use insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.`,
      );
  }
};

/** The order in which an unordered bulk write sends its commands. */
const commands: readonly WriteCommand[] = ['insert', 'update', 'delete'];

/**
 * Groups operations into commands. If ordered, adjacent operations of one kind share a command; if unordered, all of
 * one kind do.
 */
export const toRuns = (
  models: readonly unknown[],
  ordered: boolean,
  handle: Pick<Handle, 'ignoresUndefined' | 'filter'>,
  options?: BulkWriteOptions | null,
): readonly Run[] => {
  const ignoreUndefined = handle.ignoresUndefined(options ?? undefined);
  const filterOf = (filter: unknown): unknown => handle.filter(filter, options);
  const runs: (Run & { readonly places: number[] })[] = [];
  models.forEach((model, place) => {
    const { command, statement } = one(model, ignoreUndefined, filterOf);
    let run = ordered ? runs.at(-1) : runs.find(known => known.command === command);
    if (run?.command !== command) {
      run = { command, statements: [], places: [] };
      runs.push(run);
    }
    run.statements.push(statement);
    run.places.push(place);
  });
  return ordered ? runs : runs.sort((a, b) => commands.indexOf(a.command) - commands.indexOf(b.command));
};

/** Returns a single group of inserts. */
export const toInserts = (documents: Document[]): readonly Run[] =>
  documents.length === 0 ? [] : [{ command: 'insert', statements: documents, places: undefined }];

class Tally {
  nInserted = 0;
  nMatched = 0;
  nModified = 0;
  nRemoved = 0;
  acknowledged = true;
  upsertedCount = 0;
  readonly upsertedIds: Record<number, unknown> = {};
  readonly insertedIds: Record<number, unknown> = {};
  readonly writeErrors: WriteError[] = [];
  readonly writeConcernErrors: WriteConcernError[] = [];
  failure: TesseraError | undefined;

  add(run: Run, outcome: WriteOutcome): void {
    const place = (index: number): number => run.places?.[index] ?? index;
    if (!outcome.acknowledged) this.acknowledged = false;
    for (const failure of outcome.unsafe) this.#failed(failure);
    if (outcome.failure !== undefined) this.#failed(outcome.failure);
    for (const { index, code, errmsg, errInfo } of outcome.errors) {
      const op = run.statements[index] ?? {};
      this.writeErrors.push(new WriteError({ index: place(index), code, errmsg, errInfo, op }));
    }
    for (const { index, _id } of outcome.upserted) this.upsertedIds[place(index)] = _id;
    this.upsertedCount += outcome.upserted.length;
    switch (run.command) {
      case 'insert':
        this.nInserted += outcome.n;
        this.#inserted(run, outcome);
        break;
      case 'update':
        this.nMatched += outcome.n - outcome.upserted.length;
        this.nModified += outcome.nModified;
        break;
      case 'delete':
        this.nRemoved += outcome.n;
    }
  }

  /** Whether no write is known to have succeeded. */
  get isEmpty(): boolean {
    return this.nInserted + this.nMatched + this.nRemoved + this.upsertedCount === 0;
  }

  result(): BulkWriteResult {
    const { acknowledged, nInserted, nMatched, nModified, nRemoved, upsertedIds, insertedIds } = this;
    const { writeErrors, writeConcernErrors } = this;
    const errors = { writeErrors, writeConcernErrors };
    const counts = { nInserted, nMatched, nModified, nRemoved };
    return new BulkWriteResult({ ok: 1, acknowledged, ...errors, ...counts, upsertedIds, insertedIds });
  }

  #failed(failure: TesseraError): void {
    this.failure = failure;
    const unsafe = writeConcernErrorOf(failure.reply);
    if (unsafe !== undefined) this.writeConcernErrors.push(new WriteConcernError(unsafe as WriteConcernErrorData));
  }

  /** Stores the ids of the inserted documents. Skips failed documents and, if ordered, the documents after a failure. */
  #inserted({ statements, places }: Run, outcome: WriteOutcome): void {
    const refused = outcome.errors.length === 0 ? undefined : new Set(outcome.errors.map(error => error.index));
    let left = outcome.acknowledged ? outcome.n : statements.length;
    for (let index = 0; index < statements.length && left > 0; index++) {
      if (refused?.has(index) === true) continue;
      left--;
      this.insertedIds[places === undefined ? index : places[index]!] = statements[index]!['_id'];
    }
  }
}

/**
 * Sends the groups and returns the combined result.
 * @throws MongoBulkWriteError with the partial result if a write failed
 */
export const bulkWrite = (
  base: Handle,
  runs: readonly Run[],
  options: BulkWriteOptions,
  method: string = 'bulkWrite',
): Promise<BulkWriteResult> => {
  if (runs.length === 0)
    throw new MongoInvalidArgumentError('A bulk write needs at least one operation, but the list is empty.');
  const handle = base.with(options, options.forceServerObjectId);
  return sendAll(handle, runs, options, handle.call(options), method);
};

const sendAll = async (
  handle: Handle,
  runs: readonly Run[],
  options: BulkWriteOptions,
  call: Call,
  method: string,
): Promise<BulkWriteResult> => {
  const { driver } = handle.origin;
  const caller = driver.callers.take();
  const ordered = options.ordered !== false;
  const tally = new Tally();
  for (const run of runs) {
    const outcome = await writeMany(driver, handle.write(run.command), run.statements, options, call);
    tally.add(run, outcome);
    if (outcome.failure !== undefined || (ordered && outcome.errors.length + outcome.unsafe.length > 0)) break;
  }
  const result = tally.result();
  const { failure, writeErrors } = tally;
  const [first] = writeErrors;
  const called = { method, namespace: handle.namespace, caller, call };
  const fail = (error: unknown): never => driver.rethrow(error, called, sendAll);
  const unsafe = unsatisfiedConcernOf(failure?.reply);
  const isRefused = failure?.kind === 'server' && unsafe === undefined;
  if (first !== undefined && !isRefused) {
    const { code, errmsg } = first;
    const response = { message: errmsg, code, writeErrors };
    const message = withFailedFields(errmsg, first);
    return fail(new MongoBulkWriteError({ message, code }, result, { from: failure, response }));
  }
  if (failure === undefined) return result;
  if (unsafe !== undefined) {
    const response = { message: errorFieldsOf(unsafe).message ?? failure.message, code: failure.code };
    return fail(new MongoBulkWriteError(response, result, { from: failure, response }));
  }
  const { message, code, codeName, kind, cause } = failure;
  if (isRefused)
    return fail(
      new MongoBulkWriteError({ ...failure.reply, message, code, codeName }, result, { from: failure, cause }),
    );
  // If no write is known to have succeeded, a result adds nothing to the error.
  if (kind === 'aborted' || (tally.isEmpty && kind !== 'network')) return fail(failure);
  return fail(
    new MongoBulkWriteError({ message, code }, result, { from: failure, cause: driver.convertError(failure) }),
  );
};
