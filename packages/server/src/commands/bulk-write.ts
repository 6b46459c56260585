import type { Soon } from '@tessera/contracts';
import type { Entry, Pieces, Value, Version } from '@tessera/mql/engine';
import {
  CommandError,
  Doc,
  ErrorMessages,
  double,
  fail,
  isDue,
  isNumber,
  isOver,
  pause,
  safeIntegerOf,
  isPieces,
} from '@tessera/mql/engine';
import type { Draft } from '../engine/database.js';
import type { Moment } from '../engine/writer.js';
import { insertMade, momentOf } from '../engine/writer.js';
import type { Call, Command, Reply } from './command.js';
import { checkWritable, command } from './command.js';
import { openList } from './cursor-reply.js';
import type { DeleteStatement } from './delete.js';
import { deleteOnce, performDelete } from './delete.js';
import type { Schema } from './schema.js';
import {
  any,
  array,
  arrayOrObject,
  bool,
  documents,
  integer,
  object,
  parseFields,
  required,
  since,
  strictBool,
  string,
  indexHint,
  structure,
  structures,
  wrongType,
} from './schema.js';
import { changeInTurns } from './turns.js';
import type { UpdateStatement } from './update.js';
import { performUpdate, updateOnce } from './update.js';
import { checkBatchSize } from './write-batch.js';

const insertSchema = { insert: required(any()), document: required(object()) } satisfies Schema;

const updateSchema = {
  update: required(any()),
  filter: required(object()),
  updateMods: required(arrayOrObject()),
  multi: strictBool(),
  upsert: strictBool(),
  upsertSupplied: bool(),
  arrayFilters: array(),
  hint: indexHint(),
  sort: object(),
  collation: object(),
  constants: object(),
  sampleId: any(),
} satisfies Schema;

const deleteSchema = {
  delete: required(any()),
  filter: required(object()),
  multi: strictBool(),
  hint: indexHint(),
  collation: object(),
  sampleId: any(),
} satisfies Schema;

interface Totals {
  nErrors: number;
  nInserted: number;
  nMatched: number;
  nModified: number;
  nUpserted: number;
  nDeleted: number;
}

interface Work {
  readonly call: Call;
  readonly draft: Draft;
  readonly moment: Moment;
  readonly unchecked: boolean;
  readonly bindings: Doc | undefined;
  readonly totals: Totals;
}

const namespaceAt = (namespaces: readonly string[], at: Value, index: number): string => {
  const i = safeIntegerOf(at);
  const ns = i === undefined ? undefined : namespaces[i];
  if (ns === undefined) throw fail('BadValue', `BulkWrite ops entry ${index} has an invalid nsInfo index.`);
  return ns;
};

/** Performs an operation, and returns the fields of its result. */
type Operation = (work: Work, index: number) => readonly Entry[] | Pieces<readonly Entry[]>;

const parseInsert = (op: Doc, ns: string, version: Version): Operation => {
  const { document } = parseFields(op, insertSchema, 'bulkWrite.ops', version);
  return ({ call, draft, moment, unchecked, totals }, index) => {
    if (call.write?.known(index) === undefined) {
      const undo = call.write?.guard(draft);
      insertMade(call.engine, draft, ns, document, { unchecked, moment });
      call.write?.record(draft, index, { did: 'insert' }, undo);
    }
    totals.nInserted += 1;
    return [['n', 1]];
  };
};

const parseUpdate = (op: Doc, ns: string, version: Version): Operation => {
  const given = parseFields(op, updateSchema, 'bulkWrite.ops', version);
  const statement = { ...given, q: given.filter, u: given.updateMods, c: given.constants };
  return (work, index) => updateOne(work, index, ns, statement);
};

const updateOne = function* (
  work: Work,
  index: number,
  ns: string,
  statement: UpdateStatement,
): Pieces<readonly Entry[]> {
  const { call, draft, totals } = work;
  const done = updateOnce(call, draft, index, () => performUpdate(call, draft, ns, statement, work));
  const { n, nModified, upserted } = isPieces(done) ? yield* done : done;
  totals.nModified += nModified;
  if (upserted === undefined) totals.nMatched += n;
  else totals.nUpserted += 1;
  const fields: Entry[] = [
    ['n', n],
    ['nModified', nModified],
  ];
  if (upserted !== undefined) fields.push(['upserted', Doc.of([['_id', upserted]])]);
  return fields;
};

const parseDelete = (op: Doc, ns: string, version: Version): Operation => {
  const { filter, multi, hint, collation } = parseFields(op, deleteSchema, 'bulkWrite.ops', version);
  const statement = { q: filter, limit: multi === true ? 0 : 1, hint, collation };
  return (work, index) => deleteOne(work, index, ns, statement);
};

const deleteOne = function* (
  { call, draft, bindings, totals }: Work,
  index: number,
  ns: string,
  statement: DeleteStatement,
): Pieces<readonly Entry[]> {
  const n = yield* deleteOnce(call, draft, index, () => performDelete(call, draft, ns, statement, bindings));
  totals.nDeleted += n;
  return [['n', n]];
};

const parsers: ReadonlyMap<string, (op: Doc, ns: string, version: Version) => Operation> = new Map([
  ['insert', parseInsert],
  ['update', parseUpdate],
  ['delete', parseDelete],
]);

/**
 * Parses an operation of a `bulkWrite`, and returns it with its namespace.
 * @throws CommandError 2, 9, 14, 40414, 40415
 */
export const parseOperation = (
  op: Doc,
  index: number,
  namespaces: readonly string[],
  version: Version,
): { readonly ns: string; readonly perform: Operation } => {
  const [kind = '', at = null] = op.entries()[0] ?? [];
  const parse = parsers.get(kind);
  if (parse === undefined)
    throw fail('FailedToParse', `BulkWrite ops entry ${index} must begin with insert, update or delete`);
  if (!isNumber(at)) throw wrongType(`bulkWrite.ops.${kind}`, at, ['long', 'int', 'decimal', 'double']);
  const ns = namespaceAt(namespaces, at, index);
  return { ns, perform: parse(op, ns, version) };
};

const succeeded = (index: number, fields: readonly Entry[]): Doc =>
  Doc.of([['ok', double(1)], ['idx', index], ...fields]);

const failed = (index: number, op: Doc, { code, message, extra }: CommandError, messages: ErrorMessages): Doc =>
  Doc.of([
    ['ok', double(0)],
    ['idx', index],
    ['code', code],
    ['errmsg', messages.add(message)],
    ...extra,
    ['n', 0],
    ...(op.has('update') ? [['nModified', 0] as const] : []),
  ]);

const checkNamespaces = (ns: readonly { readonly ns: string }[]): readonly string[] =>
  ns.map(({ ns: one }) => {
    const dot = one.indexOf('.');
    if (dot < 1 || dot === one.length - 1 || one.includes('\0'))
      throw fail('InvalidNamespace', `Invalid namespace specified for bulkWrite: '${one}'`);
    return one;
  });

/** Performs the operations in order. An ordered list, and one in a transaction, ends with the first failure. */
function* performAll(
  work: Work,
  operations: readonly ReturnType<typeof parseOperation>[],
  ops: readonly Doc[],
  { ordered, errorsOnly }: { readonly ordered: boolean | undefined; readonly errorsOnly: boolean | undefined },
): Pieces<{ readonly items: readonly Doc[]; readonly totals: Totals }> {
  const items: Doc[] = [];
  let messages: ErrorMessages | undefined;
  for (let index = 0; index < operations.length; index++) {
    const { ns, perform } = operations[index]!;
    if (isDue()) yield pause;
    try {
      checkWritable(ns);
      const done = perform(work, index);
      const fields = 'next' in done ? yield* done : done;
      if (errorsOnly !== true) items.push(succeeded(index, fields));
    } catch (error) {
      if (!(error instanceof CommandError) || isOver(error)) throw error;
      work.totals.nErrors += 1;
      messages ??= new ErrorMessages();
      items.push(failed(index, ops[index]!, error, messages));
      if (work.call.data.failed?.(error) === 'stop' || ordered !== false) break;
    }
  }
  return { items, totals: work.totals };
}

export const bulkWrite: Command = command({
  name: 'bulkWrite',
  since: '8.0',
  schema: {
    ops: required(documents()),
    nsInfo: required(
      structures({
        ns: required(string()),
        collectionUUID: any(),
        encryptionInformation: any(),
        isTimeseriesNamespace: any(),
      }),
    ),
    ordered: strictBool(),
    errorsOnly: strictBool(),
    bypassDocumentValidation: bool(),
    bypassEmptyTsReplacement: bool(),
    let: since('5.0', object()),
    cursor: structure({ batchSize: integer(0) }),
    stmtIds: any(),
  },
  adminOnly: true,
  writeConcern: true,
  stable: true,
  help: 'Writes to several collections.',
  run: (
    call,
    { ops, nsInfo, ordered, errorsOnly, bypassDocumentValidation, let: bindings, cursor, ...rest },
  ): Soon<Reply> => {
    checkBatchSize(ops.length);
    const namespaces = checkNamespaces(nsInfo);
    const operations = ops.map((op, index) => parseOperation(op, index, namespaces, call.engine.version));
    const unchecked = bypassDocumentValidation === true;
    const done = changeInTurns(call, 'bulkWrite', draft => {
      const totals: Totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
      const moment = momentOf(call.engine, rest.bypassEmptyTsReplacement);
      return performAll({ call, draft, moment, unchecked, bindings, totals }, operations, ops, { ordered, errorsOnly });
    });
    const batchSize = cursor?.batchSize ?? Number.POSITIVE_INFINITY;
    const reply = ({ items, totals }: { readonly items: readonly Doc[]; readonly totals: Totals }): Reply => {
      const { fields, size } = openList(call, 'admin.$cmd.bulkWrite', items, { batchSize });
      return { fields: [...fields, ...Object.entries(totals)], ...(size === undefined ? {} : { size }) };
    };
    return done instanceof Promise ? done.then(reply) : reply(done);
  },
});
