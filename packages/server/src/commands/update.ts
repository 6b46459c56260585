import type { Change as FieldChange, Matcher, Pieces, Updater, Value } from '@tessera/mql/engine';
import {
  Doc,
  checkStageNames,
  fail,
  isAtLeast,
  isDue,
  isPieces,
  parseQuery,
  parseSort,
  parseUpdate,
  pause,
  upsertDocument,
} from '@tessera/mql/engine';
import { pipelineUpdater } from '../engine/pipeline.js';
import type { Draft } from '../engine/database.js';
import type { Language } from '../engine/language.js';
import type { Row, Done } from '@tessera/store';
import { changeable, checkSeriesUpdate } from '@tessera/store';
import type { Moment, WriteOptions } from '../engine/writer.js';
import { insertMade, momentOf, replaceRow, writable } from '../engine/writer.js';
import type { RowChange } from '../log/op.js';
import { languageFor } from './collation.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, hintOf, writtenBy } from './command.js';
import { ownStages } from './own-stages.js';
import type { Schema } from './schema.js';
import {
  any,
  array,
  arrayOrObject,
  bool,
  object,
  required,
  since,
  strictBool,
  indexHint,
  structures,
} from './schema.js';
import { changeInTurns } from './turns.js';
import { checkBatchSize, eachStatement, inContext, writeReply } from './write-batch.js';

const statementSchema = {
  q: required(object()),
  u: required(arrayOrObject()),
  c: since('5.0', object()),
  multi: strictBool(),
  upsert: strictBool(),
  upsertSupplied: bool(),
  collation: object(),
  arrayFilters: array(),
  hint: indexHint(),
  sort: since('8.0', object()),
  sampleId: any(),
} satisfies Schema;

/** One statement of an update. The field names are those of the command. */
export interface UpdateStatement {
  /** The filter. */
  readonly q: Doc;
  readonly u: Doc | readonly Value[];
  /** Constants for this statement. */
  readonly c: Doc | undefined;
  readonly multi: boolean | undefined;
  readonly upsert: boolean | undefined;
  /** Whether an upsert inserts the constant `new`, instead of the result of the pipeline. */
  readonly upsertSupplied: boolean | undefined;
  readonly collation: Doc | undefined;
  readonly arrayFilters: readonly Value[] | undefined;
  readonly hint: string | Doc | undefined;
  readonly sort: Doc | undefined;
}

/** Options that apply to all statements of a command. */
export interface UpdateOptions extends WriteOptions {
  readonly moment: Moment;
  /** The command's `let`. */
  readonly bindings: Doc | undefined;
}

/** A parsed update. */
export interface Change {
  readonly matcher: Matcher;
  readonly updater: Updater;
  readonly filter: Doc;
  readonly language: Language;
}

export const changeOf = (
  language: Language,
  filter: Doc,
  update: Doc | readonly Value[],
  { arrayFilters, upsert }: Pick<UpdateStatement, 'arrayFilters' | 'upsert'>,
): Change => ({
  filter,
  language,
  matcher: parseQuery(filter, upsert === true ? { ...language.context, role: 'query of an upsert' } : language.context),
  updater: parseUpdate(update, {
    expression: language.context.expression,
    collation: language.context.collation,
    arrayFilters,
    pipeline: pipelineUpdater(language),
  }),
});

/** Applies a change to one row. Returns the new document, or the old one if nothing changed. */
export const applyTo = (
  draft: Draft,
  ns: string,
  row: Row,
  { matcher, updater }: Change,
  options: WriteOptions & { readonly moment: Moment },
): Doc => {
  const { moment } = options;
  const changes: FieldChange[] | undefined = draft.logged ? [] : undefined;
  const after = updater.apply(row.doc, {
    matcher,
    insert: false,
    nowMs: moment.nowMs,
    nowTimestamp: moment.nowTimestamp,
    stamp: moment.stamp,
    log: changes && (change => changes.push(change)),
  });
  if (after !== row.doc) {
    const change: RowChange =
      updater.kind === 'modifiers' ? { by: 'modifiers', changes: changes ?? [] } : { by: updater.kind };
    replaceRow(draft, draft.documents(ns)!, { row, after, change }, options);
  }
  return after;
};

/** Inserts the document of an upsert. */
export const insertUpsert = (
  call: Call,
  draft: Draft,
  ns: string,
  { filter, updater }: Change,
  options: WriteOptions & { readonly moment: Moment },
): Doc => {
  const { moment } = options;
  const made = upsertDocument(filter, updater, { ...moment, newId: () => call.engine.newObjectId() });
  // A replacement has its empty timestamps set already. Other updates keep them.
  return insertMade(call.engine, draft, ns, made, { ...options, moment: { ...moment, stamp: undefined } });
};

/** Whether documents must not get field names that start with a dollar sign: before 5.0. */
export const hasPlainNames = ({ engine }: Call): boolean => !isAtLeast(engine.version, '5.0');

/** The result of one statement. */
export interface Updated {
  readonly n: number;
  readonly nModified: number;
  /** The `_id` of the upserted document. */
  readonly upserted: Value | undefined;
}

/**
 * Returns the document that an upsert inserts instead of the result of the pipeline, if the statement supplies one.
 * @throws CommandError FailedToParse
 */
const suppliedBy = ({ upsert, upsertSupplied, c }: UpdateStatement): Doc | undefined => {
  if (upsertSupplied !== true) return undefined;
  if (upsert !== true) {
    throw fail('FailedToParse', "cannot specify 'upsertSupplied: true' for a non-upsert operation");
  }
  const supplied = c?.get('new');
  if (supplied instanceof Doc) return supplied;
  throw fail('FailedToParse', "the parameter 'upsertSupplied' is set to 'true', but no document was supplied");
};

const checkStatement = ({ multi, u, c, sort }: UpdateStatement, { write }: Call): void => {
  if (c !== undefined && u instanceof Doc)
    throw fail(51198, 'Constant values may only be specified for pipeline updates');
  if (multi !== true) return;
  if (write !== undefined) throw fail('InvalidOptions', 'Cannot use (or request) retryable writes with multi=true');
  if (u instanceof Doc && u.keys()[0]?.startsWith('$') !== true) {
    throw fail('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  if (sort !== undefined) throw fail('FailedToParse', 'Cannot specify sort with multi=true');
};

/** A statement and what its documents are changed with. */
interface Target {
  readonly call: Call;
  readonly draft: Draft;
  readonly ns: string;
  readonly change: Change;
  readonly upsert: boolean;
  /** The document that an upsert inserts instead of the result of the update. */
  readonly supplied: Doc | undefined;
  readonly options: UpdateOptions;
}

/** Changes the only document that a statement found, or inserts one. */
const updateRow = ({ call, draft, ns, change, upsert, supplied, options }: Target, row: Row | undefined): Updated => {
  try {
    if (row !== undefined)
      return { n: 1, nModified: applyTo(draft, ns, row, change, options) === row.doc ? 0 : 1, upserted: undefined };
    if (!upsert) return { n: 0, nModified: 0, upserted: undefined };
    writable(call.engine, draft, ns);
    const creation = supplied === undefined ? change : { ...change, updater: parseUpdate(supplied) };
    return { n: 1, nModified: 0, upserted: insertUpsert(call, draft, ns, creation, options).get('_id') };
  } catch (error) {
    throw inContext(call, 'update', error);
  }
};

const updateRows = function* (target: Target, finding: Pieces<readonly Row[]>): Pieces<Updated> {
  const rows = yield* finding;
  if (rows.length === 0) return updateRow(target, undefined);
  const { call, draft, ns, change, options } = target;
  try {
    let nModified = 0;
    for (const row of rows) {
      if (isDue()) yield pause;
      if (applyTo(draft, ns, row, change, options) !== row.doc) nModified += 1;
    }
    return { n: rows.length, nModified, upserted: undefined };
  } catch (error) {
    throw inContext(call, 'update', error);
  }
};

/** Performs one statement of an update, at once if it looks up a single document. @throws CommandError */
export const performUpdate = (
  call: Call,
  draft: Draft,
  ns: string,
  statement: UpdateStatement,
  options: UpdateOptions,
): Updated | Pieces<Updated> => {
  const { q, u, multi, upsert, hint, sort, collation, c } = statement;
  checkStatement(statement, call);
  const supplied = suppliedBy(statement);
  const language = languageFor(call, ns, { collation, bindings: mergedBindings(options.bindings, c) });
  const change = changeOf(language, q, u, statement);
  const target: Target = { call, draft, ns, change, upsert: upsert === true, supplied, options };
  const collection = draft.documents(ns);
  checkSeriesUpdate(collection, statement);
  if (collection === undefined) return updateRow(target, undefined);
  const selection = {
    matcher: change.matcher,
    sort: sort === undefined ? undefined : parseSort(sort, language.context),
    hint: hintOf(hint),
    collation: language.collationSpec,
  };
  const rows = changeable(collection, selection, multi === true ? undefined : 1);
  return isPieces(rows) ? updateRows(target, rows) : updateRow(target, rows[0]);
};

/** Returns the result of the earlier attempt. @throws CommandError 40638 if that was not an update */
const updatedAgain = (done: Done): Updated => {
  if (done.did !== 'update') {
    throw fail(
      40638,
      `update retry request is not compatible with previous write in the transaction of type: ${done.did}`,
    );
  }
  return { n: 1, nModified: done.upserted === undefined ? 1 : 0, upserted: done.upserted };
};

/** Performs a statement unless an earlier attempt has performed it. */
export const updateOnce = (
  { write }: Call,
  draft: Draft,
  index: number,
  perform: () => Updated | Pieces<Updated>,
): Updated | Pieces<Updated> => {
  const before = write?.known(index);
  if (before !== undefined) return updatedAgain(before);
  const undo = write?.guard(draft);
  const record = (updated: Updated): Updated => {
    const { nModified, upserted } = updated;
    if (nModified > 0 || upserted !== undefined) write?.record(draft, index, { did: 'update', upserted }, undo);
    return updated;
  };
  const done = perform();
  return isPieces(done) ? followed(done, record) : record(done);
};

const followed = function* <T, R>(work: Pieces<T>, next: (result: T) => R): Pieces<R> {
  return next(yield* work);
};

export const update: Command = command({
  name: 'update',
  schema: {
    collectionUUID,
    updates: required(structures(statementSchema)),
    ordered: strictBool(),
    bypassDocumentValidation: bool(),
    bypassEmptyTsReplacement: since('8.0', bool()),
    let: since('5.0', object()),
    stmtIds: any(),
  },
  writeConcern: true,
  stable: true,
  help: 'Changes documents.',
  run: (call, { updates, ordered, bypassDocumentValidation, bypassEmptyTsReplacement, let: bindings }) => {
    const ns = writtenBy(call);
    checkBatchSize(updates.length);
    // mongod parses all pipelines first: an unknown stage fails the command, not the statement.
    for (const { u } of updates) if (!(u instanceof Doc)) checkStageNames(u, ownStages);
    const options = {
      moment: momentOf(call.engine, bypassEmptyTsReplacement),
      unchecked: bypassDocumentValidation === true,
      plainNames: hasPlainNames(call),
      bindings,
    };
    return changeInTurns(call, 'update', draft =>
      updateAll({ call, draft, ns, options, n: 0, nModified: 0, upserted: [] }, updates, ordered),
    );
  },
});

/** The work of an update, and the sums of its results. */
interface UpdateWork {
  readonly call: Call;
  readonly draft: Draft;
  readonly ns: string;
  readonly options: UpdateOptions;
  n: number;
  nModified: number;
  readonly upserted: Doc[];
}

const updateAll = function* (
  work: UpdateWork,
  updates: readonly UpdateStatement[],
  ordered: boolean | undefined,
): Pieces<Fields> {
  const errors = yield* eachStatement(work.call, updates, ordered, (statement, index) =>
    updateStatement(work, statement, index),
  );
  const { n, nModified, upserted } = work;
  return writeReply(n, errors, [
    ...(upserted.length > 0 ? [['upserted', upserted] as const] : []),
    ['nModified', nModified],
  ]);
};

const updateStatement = (work: UpdateWork, statement: UpdateStatement, index: number): Pieces<void> | undefined => {
  const { call, draft, ns, options } = work;
  const done = updateOnce(call, draft, index, () => performUpdate(call, draft, ns, statement, options));
  if (isPieces(done)) return followed(done, updated => add(work, index, updated));
  add(work, index, done);
  return undefined;
};

const add = (work: UpdateWork, index: number, { n, nModified, upserted }: Updated): void => {
  work.n += n;
  work.nModified += nModified;
  if (upserted !== undefined)
    work.upserted.push(
      Doc.of([
        ['index', index],
        ['_id', upserted],
      ]),
    );
};

/** Returns the variables of a statement: the command's, overridden by the statement's own, which are values. */
const mergedBindings = (outer: Doc | undefined, own: Doc | undefined): Doc | undefined => {
  if (own === undefined) return outer;
  const constants = own.entries().map(([name, value]) => [name, Doc.of([['$literal', value]])] as const);
  return Doc.of([...(outer ?? Doc.EMPTY), ...constants]);
};
