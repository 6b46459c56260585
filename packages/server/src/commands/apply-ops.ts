import type { Pieces, Value } from '@tessera/mql/engine';
import {
  BinaryValue,
  CommandError,
  Doc,
  compare,
  equal,
  fail,
  isDoc,
  isDue,
  isNumber,
  isOver,
  isSet,
  parseQuery,
  pause,
  show,
  showDoc,
  toSafeInteger,
  typeName,
} from '@tessera/mql/engine';
import type { Collection, Row } from '@tessera/store';
import { dbOf, select, withDiff, isView } from '@tessera/store';
import type { Draft } from '../engine/database.js';
import { kept, prepared } from '../engine/prepare.js';
import type { WriteOptions } from '../engine/writer.js';
import { insertInto, removeRow, replaceRow } from '../engine/writer.js';
import { commandIn, demandOf, nameOfCommand, operationsIn, upsertsIn } from './apply-ops-form.js';
import { cappedCommands } from './capped.js';
import { collectionCommands } from './collections.js';
import type { Call, Command, Fields } from './command.js';
import { checkWritable, command } from './command.js';
import { argumentsOf } from './dispatch.js';
import { indexCommands } from './indexes.js';
import { maintenance } from './maintenance.js';
import { any, bool, required } from './schema.js';
import { piecewise } from './turns.js';

/** How the operations of one `applyOps` are applied. */
interface Applying {
  readonly call: Call;
  readonly options: WriteOptions;
  /** Whether an update of a missing document inserts it. */
  readonly alwaysUpsert: boolean;
}

const kinds: ReadonlySet<string> = new Set(['c', 'i', 'u', 'd', 'n', 'xi', 'xd', 'km']);

/** Checks the fields that every operation has. @throws CommandError 20 */
const checkFields = (op: Doc, at: number): void => {
  const illegal = (message: string): Error => fail('IllegalOperation', `${message}: ${at}`);
  const [kind, ns] = [op.get('op'), op.get('ns')];
  if (kind === '') throw illegal('"op" field value cannot be empty');
  if (ns === undefined) throw illegal('op does not contain required "ns" field');
  if (typeof ns !== 'string') throw illegal('"ns" field is not a string');
  if (ns.includes('\0')) throw fail('IllegalOperation', 'namespaces cannot have embedded null characters');
  if (kind !== 'n' && ns === '') throw illegal(`"ns" field value cannot be empty when op type is not 'n'`);
};

/** @throws CommandError 2, 14, 40414 for an operation that is no entry of an oplog */
const checkEntry = (op: Doc): void => {
  const kind = op.get('op') as string;
  if (!kinds.has(kind))
    throw fail('BadValue', `Enumeration value '${kind}' for field 'OplogEntryBase.op' is not a valid value.`);
  for (const name of ['o', 'o2']) {
    const value = op.get(name);
    if (value === undefined && name === 'o2') continue;
    if (value === undefined)
      throw fail('IDLFailedToParse', `BSON field 'OplogEntryBase.${name}' is missing but a required field`);
    if (!isDoc(value))
      throw fail(
        'TypeMismatch',
        `BSON field 'OplogEntryBase.${name}' is the wrong type '${typeName(value)}', expected type 'object'`,
      );
  }
  const ui = op.get('ui');
  if (ui !== undefined && !(ui instanceof BinaryValue && ui.subtype === 4 && ui.bytes.length === 16))
    throw fail('TypeMismatch', "BSON field 'OplogEntryBase.ui' is the wrong type, expected type 'UUID'");
};

const docIn = (op: Doc, name: string): Doc => {
  const value = op.get(name);
  return isDoc(value) ? value : Doc.EMPTY;
};

/** @throws CommandError 4 */
const idOf = (op: Doc, from: 'o' | 'o2', what: string): Value => {
  const id = docIn(op, from).get('_id');
  if (id === undefined) throw fail('NoSuchKey', `Failed to apply ${what} due to missing _id: ${showDoc(op)}`);
  return id;
};

const rowWith = (collection: Collection, id: Value): Row | undefined =>
  select(
    collection,
    {
      matcher: parseQuery(Doc.of([['_id', Doc.of([['$eq', id]])]])),
      sort: undefined,
      hint: undefined,
      collation: collection.indexes[0]?.definition.collation?.spec,
    },
    1,
  )[0];

/** Inserts the document, or replaces the one with its `_id`. */
const insertOne = ({ options }: Applying, draft: Draft, collection: Collection, op: Doc): void => {
  const id = idOf(op, 'o', 'insert');
  const doc = kept(prepared(docIn(op, 'o'), () => id, undefined));
  const row = rowWith(collection, id);
  if (row === undefined) insertInto(draft, collection, doc, options);
  else replaceRow(draft, collection, { row, after: doc, change: { by: 'replacement' } }, options);
};

/** Returns the function that an update applies. @throws CommandError 4772600, 4772601 */
const changeIn = (op: Doc): ((before: Doc) => Doc) => {
  const change = docIn(op, 'o');
  const version = change.get('$v');
  if (change.has('_id')) return () => change;
  if (version === undefined || !isNumber(version) || toSafeInteger(version) !== 2)
    throw fail(
      4772600,
      `Expected _id field or $v:2, but got: ${version === undefined ? 'EOO' : `$v: ${show(version)}`}`,
    );
  const diff = change.get('diff');
  if (!isDoc(diff)) {
    const type = diff === undefined ? 'missing' : typeName(diff);
    throw fail(4772601, `Expected 'diff' field to be an object, instead got type: ${type}`);
  }
  return before => withDiff(before, diff);
};

/** Updates the document. Returns false if it is missing and not inserted. */
const updateOne = ({ options, alwaysUpsert }: Applying, draft: Draft, collection: Collection, op: Doc): boolean => {
  const id = idOf(op, 'o2', 'update');
  const change = changeIn(op);
  const row = rowWith(collection, id);
  if (row === undefined && !alwaysUpsert && !isSet(op.get('b'))) return false;
  const before = row?.doc ?? Doc.of([['_id', id]]);
  const after = kept(prepared(change(before), () => id, undefined));
  if (!equal(after.get('_id'), id))
    throw fail('ImmutableField', `Performing an update on the path '_id' would modify the immutable field '_id'`);
  if (row === undefined) insertInto(draft, collection, after, options);
  else if (compare(row.doc, after) !== 0 || row.doc.byteLength !== after.byteLength)
    replaceRow(
      draft,
      collection,
      { row, after, change: { by: docIn(op, 'o').has('_id') ? 'replacement' : 'pipeline' } },
      options,
    );
  return true;
};

/** Applies an operation on a document. Returns false if it failed in a way that does not end the command. */
const applyToDocument = (applying: Applying, op: Doc): boolean => {
  const ns = op.get('ns') as string;
  const kind = op.get('op') as string;
  checkEntry(op);
  checkWritable(ns);
  return applying.call.data.change('applyOps', draft => {
    const namespace = draft.get(ns) ?? draft.documents(ns);
    if (isView(namespace) || namespace?.settings.timeSeries !== undefined)
      throw fail('CommandNotSupportedOnView', `applyOps not supported on view: ${ns}`);
    const uuid = op.get('ui');
    if (uuid !== undefined && !equal(uuid, namespace?.settings.uuid)) return false;
    if (namespace === undefined) {
      if (kind === 'd') return true;
      throw fail(
        'NamespaceNotFound',
        `cannot apply insert or update operation on a non-existent namespace ${ns}: ${showDoc(op)}`,
      );
    }
    if (kind === 'u') return updateOne(applying, draft, namespace, op);
    if (kind === 'i') insertOne(applying, draft, namespace, op);
    else {
      const row = rowWith(namespace, idOf(op, 'o', 'delete'));
      if (row !== undefined) removeRow(draft, namespace, row);
    }
    return true;
  });
};

const missing = ['NamespaceNotFound'];
const missingIndex = ['NamespaceNotFound', 'IndexNotFound'];

/** The commands that an operation can be, with the errors that mean that the command was applied before. */
const applicable: Readonly<Record<string, { readonly as?: string; readonly applied: readonly string[] }>> = {
  create: { applied: ['NamespaceExists'] },
  collMod: { applied: missingIndex },
  dropDatabase: { applied: missing },
  drop: { applied: missing },
  deleteIndex: { as: 'dropIndexes', applied: missingIndex },
  deleteIndexes: { as: 'dropIndexes', applied: missingIndex },
  dropIndex: { as: 'dropIndexes', applied: missingIndex },
  dropIndexes: { applied: missingIndex },
  renameCollection: { applied: ['NamespaceNotFound', 'NamespaceExists'] },
  convertToCapped: { applied: missing },
};

const unsupported: readonly string[] = ['createIndexes', 'startIndexBuild', 'commitIndexBuild', 'abortIndexBuild'];

const ofSecondaries: Readonly<Record<string, number>> = { commitTransaction: 50987, abortTransaction: 50972 };

/** @throws CommandError 2, 115, 50972, 50987 for a command that cannot be applied */
const checkCommand = (name: string): void => {
  if (unsupported.includes(name))
    throw fail('CommandNotSupported', `The ${name} operation is not supported in applyOps mode`);
  const code = Object.hasOwn(ofSecondaries, name) ? ofSecondaries[name] : undefined;
  if (code !== undefined) throw fail(code, `${name} is only used internally by secondaries.`);
  if (!Object.hasOwn(applicable, name)) throw fail('BadValue', `Invalid key '${name}' found in field 'o'`);
};

/** Executes an operation that is a command. */
const applyCommand = async (applying: Applying, op: Doc): Promise<void> => {
  const { call } = applying;
  checkEntry(op);
  const body = commandIn(op)!;
  const name = nameOfCommand(body) ?? '';
  if (name === 'applyOps') {
    await applyAll({ ...applying, alwaysUpsert: upsertsIn(body) }, operationsIn(body));
    return;
  }
  checkCommand(name);
  const { as = name, applied } = applicable[name]!;
  const found = [...collectionCommands, ...indexCommands, ...maintenance, ...cappedCommands].find(
    one => one.name === as,
  )!;
  const ns = op.get('ns') as string;
  const uuid = op.get('ui');
  const inner: Call = {
    ...{ ...call, body, spelling: name, db: dbOf(ns), target: body.entries()[0]![1] },
    ...(uuid instanceof BinaryValue ? { newUuid: uuid } : {}),
  };
  try {
    await found.run(inner, argumentsOf(found, body, call.engine.version) as never);
  } catch (thrown) {
    if (!(thrown instanceof CommandError) || !applied.includes(thrown.codeName)) throw thrown;
  }
};

/** Applies operations on documents up to the next command, and returns its position. */
const applyDocuments = function* (
  applying: Applying,
  ops: readonly Doc[],
  from: number,
  results: boolean[],
): Pieces<number> {
  let at = from;
  for (; at < ops.length && ops[at]!.get('op') !== 'c'; at++) {
    if (isDue()) yield pause;
    if (ops[at]!.get('op') !== 'n') results.push(applyToDocument(applying, ops[at]!));
  }
  return at;
};

const resultsOf = (results: readonly boolean[]): Fields => [
  ['applied', results.length],
  ['results', results],
];

/** Applies the operations in order, each as a change of its own. @throws CommandError 8 and errors of operations */
const applyAll = async (applying: Applying, ops: readonly Doc[]): Promise<Fields> => {
  const results: boolean[] = [];
  try {
    for (let at = 0; ; at++) {
      at = await piecewise(applying.call, applyDocuments(applying, ops, at, results));
      if (at === ops.length) break;
      await applyCommand(applying, ops[at]!);
      results.push(true);
    }
  } catch (error) {
    if (!(error instanceof CommandError) || isOver(error)) throw error;
    throw new CommandError(error.code, error.message, resultsOf([...results, false]), error.labels);
  }
  if (results.includes(false))
    throw fail('UnknownError', 'applyOps had one or more errors applying ops', resultsOf(results));
  return resultsOf(results);
};

/** Checks operations, also those within them. @throws CommandError 20, 73 */
const checkOperations = (ops: readonly Doc[]): void => {
  for (const [at, op] of ops.entries()) checkFields(op, at);
  const invalid = ops.find(op => op.get('op') !== 'n' && !/^[^./\\ "$]+\../s.test(op.get('ns') as string));
  if (invalid !== undefined) throw fail('InvalidNamespace', `invalid ns: ${show(invalid.get('ns'))}`);
  for (const op of ops) {
    const inner = commandIn(op);
    if (nameOfCommand(inner) === 'applyOps') checkOperations(operationsIn(inner!));
  }
};

/** Checks the command before the first operation is applied. @throws CommandError 2, 20, 73, 31056, 31240, 6275900, 6711600 */
const check = (body: Doc, ops: readonly Doc[]): void => {
  demandOf(body);
  checkOperations(ops);
  if (body.has('preCondition')) throw fail(6711600, "applyOps command no longer supports the 'preCondition' option");
  if (body.has('prepare')) throw fail('BadValue', "applyOps command can't have 'prepare' field");
  if (body.has('partialTxn')) throw fail(31056, "applyOps command can't have 'partialTxn' field.");
  if (body.has('count')) throw fail(31240, "applyOps command can't have 'count' field.");
  if (ops.length > 1 && ops.some(op => nameOfCommand(commandIn(op)) === 'dropDatabase'))
    throw fail(6275900, 'dropDatabase in an applyOps must be the only entry');
};

export const applyOps: Command = command({
  name: 'applyOps',
  target: required(any()),
  schema: { alwaysUpsert: any(), bypassDocumentValidation: bool() },
  lenient: true,
  writeConcern: true,
  help: 'Applies entries of an oplog. Each is a change of its own.',
  run: (call, { bypassDocumentValidation }) => {
    const ops = operationsIn(call.body);
    check(call.body, ops);
    const options = { unchecked: bypassDocumentValidation === true };
    return applyAll({ call, options, alwaysUpsert: upsertsIn(call.body) }, ops);
  },
});
