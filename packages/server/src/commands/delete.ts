import type { Doc, Pieces, Value } from '@tessera/mql/engine';
import { fail, isDue, parseQuery, pause, show, safeIntegerOf, isPieces } from '@tessera/mql/engine';
import type { Draft } from '../engine/database.js';
import { changeable, checkSeriesDelete } from '@tessera/store';
import type { Done } from '@tessera/store';
import { removeRow } from '../engine/writer.js';
import { languageFor } from './collation.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, hintOf, namespaceOf, writtenBy } from './command.js';
import { dropViews } from './system-views.js';
import type { Schema } from './schema.js';
import { any, bool, object, required, since, strictBool, indexHint, structures } from './schema.js';
import { changeInTurns } from './turns.js';
import { checkBatchSize, eachStatement, writeReply } from './write-batch.js';

const statementSchema = {
  q: required(object()),
  limit: required(any()),
  collation: object(),
  hint: since('4.4', indexHint()),
  sampleId: any(),
} satisfies Schema;

export interface DeleteStatement {
  readonly q: Doc;
  readonly limit: Value;
  readonly collation: Doc | undefined;
  readonly hint: string | Doc | undefined;
}

const limitOf = (limit: Value): number => {
  const n = safeIntegerOf(limit);
  if (n === 0) return Number.POSITIVE_INFINITY;
  if (n === 1) return 1;
  throw fail('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${show(limit)}`);
};

/** Performs one statement of a delete, and returns the number of deleted documents. @throws CommandError */
export const performDelete = function* (
  call: Call,
  draft: Draft,
  ns: string,
  { q, limit, collation, hint }: DeleteStatement,
  bindings: Doc | undefined,
): Pieces<number> {
  const language = languageFor(call, ns, { collation, bindings });
  const matcher = parseQuery(q, language.context);
  const most = limitOf(limit);
  if (most > 1 && call.write !== undefined)
    throw fail('InvalidOptions', 'Cannot use (or request) retryable writes with limit=0');
  const collection = draft.documents(ns);
  if (collection === undefined) return 0;
  checkSeriesDelete(collection, call.engine.version, { q, isMulti: most > 1 });
  const selection = {
    matcher,
    sort: undefined,
    hint: hintOf(hint),
    collation: language.collationSpec,
  };
  const found = changeable(collection, selection, most);
  const rows = isPieces(found) ? yield* found : found;
  for (const row of rows) {
    if (isDue()) yield pause;
    removeRow(draft, draft.documents(ns)!, row);
  }
  return rows.length;
};

const deleted: Done = { did: 'delete' };

/** Performs a statement unless an earlier attempt has performed it. */
export const deleteOnce = function* (
  { write }: Call,
  draft: Draft,
  index: number,
  perform: () => Pieces<number>,
): Pieces<number> {
  if (write?.known(index) !== undefined) return 1;
  const undo = write?.guard(draft);
  const n = yield* perform();
  if (n > 0) write?.record(draft, index, deleted, undo);
  return n;
};

export const deleteCommand: Command = command({
  name: 'delete',
  schema: {
    collectionUUID,
    deletes: required(structures(statementSchema)),
    ordered: strictBool(),
    let: since('5.0', object()),
    bypassDocumentValidation: bool(),
    stmtIds: any(),
  },
  writeConcern: true,
  stable: true,
  help: 'Removes documents.',
  run: (call, { deletes, ordered, let: bindings }) => {
    const ns = call.target === 'system.views' ? namespaceOf(call) : writtenBy(call);
    checkBatchSize(deletes.length);
    return changeInTurns(call, 'delete', draft => deleteAll({ call, draft, ns, bindings, n: 0 }, deletes, ordered));
  },
});

/** The work of a delete, and the number of deleted documents. */
interface DeleteWork {
  readonly call: Call;
  readonly draft: Draft;
  readonly ns: string;
  readonly bindings: Doc | undefined;
  n: number;
}

const deleteAll = function* (
  work: DeleteWork,
  deletes: readonly DeleteStatement[],
  ordered: boolean | undefined,
): Pieces<Fields> {
  const errors = yield* eachStatement(work.call, deletes, ordered, (statement, index) =>
    deleteStatement(work, statement, index),
  );
  return writeReply(work.n, errors);
};

const deleteStatement = function* (work: DeleteWork, statement: DeleteStatement, index: number): Pieces<void> {
  const { call, draft, ns, bindings } = work;
  work.n +=
    call.target === 'system.views'
      ? dropViews(draft, ns, parseQuery(statement.q))
      : yield* deleteOnce(call, draft, index, () => performDelete(call, draft, ns, statement, bindings));
};
