import type { Entry, Value, Version } from '@tessera/mql/engine';
import { CommandError, Doc, double, fail, isNumber, toSafeInteger } from '@tessera/mql/engine';
import type { Draft } from '../engine/database.js';
import type { Moment } from '../engine/writer.js';
import { insertMade, momentOf } from '../engine/writer.js';
import type { Call, Command, Reply } from './command.js';
import { checkWritable, command } from './command.js';
import { openList } from './cursor-reply.js';
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
  stringOrObject,
  structure,
  structures,
} from './schema.js';
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
  hint: stringOrObject(),
  sort: object(),
  collation: object(),
  constants: object(),
  sampleId: any(),
} satisfies Schema;

const deleteSchema = {
  delete: required(any()),
  filter: required(object()),
  multi: strictBool(),
  hint: stringOrObject(),
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
  readonly namespaces: readonly string[];
  readonly moment: Moment;
  readonly unchecked: boolean;
  readonly bindings: Doc | undefined;
  readonly totals: Totals;
}

const namespaceAt = ({ namespaces }: Pick<Work, 'namespaces'>, at: Value, index: number): string => {
  const i = isNumber(at) ? toSafeInteger(at) : undefined;
  const ns = i === undefined ? undefined : namespaces[i];
  if (ns === undefined) throw fail('BadValue', `BulkWrite ops entry ${index} has an invalid nsInfo index.`);
  checkWritable(ns);
  return ns;
};

const insertOne = (work: Work, op: Doc, index: number): readonly Entry[] => {
  const { call, draft, moment, unchecked, totals } = work;
  const { insert, document } = parseFields(op, insertSchema, 'bulkWrite.ops', call.engine.version);
  const ns = namespaceAt(work, insert, index);
  if (call.write?.known(index) === undefined) {
    const undo = call.write?.guard(draft);
    insertMade(call.engine, draft, ns, document, { unchecked, moment });
    call.write?.record(draft, index, { did: 'insert' }, undo);
  }
  totals.nInserted += 1;
  return [['n', 1]];
};

const updateSome = (work: Work, op: Doc, index: number): readonly Entry[] => {
  const { call, draft, totals } = work;
  const given = parseFields(op, updateSchema, 'bulkWrite.ops', call.engine.version);
  const statement = { ...given, q: given.filter, u: given.updateMods, c: given.constants };
  const ns = namespaceAt(work, given.update, index);
  const { n, nModified, upserted } = updateOnce(call, draft, index, () =>
    performUpdate(call, draft, ns, statement, work),
  );
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

const deleteSome = (work: Work, op: Doc, index: number): readonly Entry[] => {
  const { call, draft, bindings, totals } = work;
  const given = parseFields(op, deleteSchema, 'bulkWrite.ops', call.engine.version);
  const { filter, multi, hint, collation } = given;
  const ns = namespaceAt(work, given.delete, index);
  const statement = { q: filter, limit: multi === true ? 0 : 1, hint, collation };
  const n = deleteOnce(call, draft, index, () => performDelete(call, draft, ns, statement, bindings));
  totals.nDeleted += n;
  return [['n', n]];
};

const perform = (work: Work, op: Doc, index: number): readonly Entry[] => {
  const kind = op.entries()[0]?.[0];
  switch (kind) {
    case 'insert':
      return insertOne(work, op, index);
    case 'update':
      return updateSome(work, op, index);
    case 'delete':
      return deleteSome(work, op, index);
    default:
      throw isNone(index);
  }
};

const isNone = (index: number): Error =>
  fail('FailedToParse', `BulkWrite ops entry ${index} must begin with insert, update or delete`);

const schemas: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['insert', insertSchema],
  ['update', updateSchema],
  ['delete', deleteSchema],
]);

/**
 * Checks an operation of a `bulkWrite` before a mongos forwards it, and returns its namespace.
 * @throws CommandError 2, 9, 14, 40414, 40415
 */
export const checkOperation = (op: Doc, index: number, namespaces: readonly string[], version: Version): string => {
  const [kind = '', at = null] = op.entries()[0] ?? [];
  const schema = schemas.get(kind);
  if (schema === undefined) throw isNone(index);
  parseFields(op, schema, 'bulkWrite.ops', version);
  return namespaceAt({ namespaces }, at, index);
};

const succeeded = (index: number, fields: readonly Entry[]): Doc =>
  Doc.of([['ok', double(1)], ['idx', index], ...fields]);

const failed = (index: number, op: Doc, { code, message, extra }: CommandError): Doc =>
  Doc.of([
    ['ok', double(0)],
    ['idx', index],
    ['code', code],
    ['errmsg', message],
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
    stmtId: any(),
    stmtIds: any(),
  },
  adminOnly: true,
  writeConcern: true,
  stable: true,
  help: 'Writes to several collections.',
  run: (
    call,
    { ops, nsInfo, ordered, errorsOnly, bypassDocumentValidation, let: bindings, cursor, ...rest },
  ): Reply => {
    checkBatchSize(ops.length);
    const namespaces = checkNamespaces(nsInfo);
    const totals: Totals = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
    const results = call.data.change('bulkWrite', draft => {
      const unchecked = bypassDocumentValidation === true;
      const moment = momentOf(call.engine, rest.bypassEmptyTsReplacement);
      const work: Work = { call, draft, namespaces, moment, unchecked, bindings, totals };
      const items: Doc[] = [];
      for (const [index, op] of ops.entries()) {
        try {
          const fields = perform(work, op, index);
          if (errorsOnly !== true) items.push(succeeded(index, fields));
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          totals.nErrors += 1;
          items.push(failed(index, op, error));
          if (call.data.failed?.(error) === 'stop' || ordered !== false) break;
        }
      }
      return items;
    });
    const batchSize = cursor?.batchSize ?? Number.POSITIVE_INFINITY;
    const { fields, size } = openList(call, 'admin.$cmd.bulkWrite', results, { batchSize });
    return { fields: [...fields, ...Object.entries(totals)], ...(size === undefined ? {} : { size }) };
  },
});
