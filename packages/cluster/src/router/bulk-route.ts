import type { Entry, Value } from '@tessera/mql/engine';
import {
  CommandError,
  Doc,
  ErrorMessages,
  double,
  isArray,
  isDoc,
  isNumber,
  toSafeInteger,
  safeIntegerOf,
} from '@tessera/mql/engine';
import type { Call, Command, Fields, Reply } from '@tessera/server/parts';
import { checkBatchSize, openList, parseOperation } from '@tessera/server/parts';
import { shortened } from './write-batch.js';
import { deleteRoute, insert, update } from './write-routes.js';
import type { Mongos } from './mongos.js';
import type { Route } from './routes.js';
import { passTo, withToken } from './routes.js';
import type { Shard } from './shard.js';

const namespacesIn = ({ body }: Call): readonly string[] => {
  const info = body.get('nsInfo');
  return (isArray(info) ? info : []).map(one => (isDoc(one) ? (one.get('ns') as string) : ''));
};

/** Splits a namespace. */
const partsOf = (ns: string): readonly [db: string, name: string] => {
  const dot = ns.indexOf('.');
  return [ns.slice(0, dot), ns.slice(dot + 1)];
};

/** Returns the shards of the collections that the command names. */
const shardsIn = ({ catalog }: Mongos, call: Call): readonly Shard[] => [
  ...new Set(namespacesIn(call).flatMap(ns => catalog.shardsOf(...partsOf(ns)))),
];

const kinds = {
  insert: { field: 'documents', route: insert },
  update: { field: 'updates', route: update },
  delete: { field: 'deletes', route: deleteRoute },
} as const;

type Kind = keyof typeof kinds;

/** The names of an operation's fields in a statement, where they differ. */
const names: ReadonlyMap<string, string> = new Map([
  ['filter', 'q'],
  ['updateMods', 'u'],
  ['constants', 'c'],
]);

/** Returns the write command's statement that corresponds to an operation. */
const statementOf = (kind: Kind, op: Doc): Value => {
  if (kind === 'insert') return op.get('document')!;
  const isMulti = op.get('multi') === true;
  const fields = op
    .entries()
    .slice(1)
    .filter(([name]) => kind === 'update' || name !== 'multi')
    .map(([name, value]): Entry => [names.get(name) ?? name, value]);
  return Doc.of(kind === 'update' ? fields : [...fields, ['limit', isMulti ? 0 : 1]]);
};

/** The fields that the commands of all operations inherit. */
const shared = ['lsid', 'txnNumber', 'autocommit', 'startTransaction', 'readConcern', 'writeConcern', 'let'];

const numberIn = (fields: Fields, name: string): number => {
  const value = fields.find(([key]) => key === name)?.[1];
  return safeIntegerOf(value) ?? 0;
};

const firstIn = (fields: Fields, name: string): Doc | undefined => {
  const list = fields.find(([key]) => key === name)?.[1];
  const [one] = isArray(list) ? list : [];
  return isDoc(one) ? one : undefined;
};

interface Done {
  readonly kind: Kind;
  readonly fields: Fields;
}

/** Runs one operation as a command of its own, by that command's route. */
const performOne = async (
  mongos: Mongos,
  call: Call,
  command: Command,
  op: Doc,
  ns: string,
  index: number,
): Promise<Done> => {
  const [db, name] = partsOf(ns);
  const kind = op.keys()[0] as Kind;
  const { field, route } = kinds[kind];
  const given = call.body.get('stmtIds');
  const statements = [statementOf(kind, op)];
  const body = Doc.of([
    [kind, name],
    [field, statements],
    ...call.body.entries().filter(([key]) => shared.includes(key) && !(kind === 'insert' && key === 'let')),
    ...(call.generic.txnNumber === undefined || call.generic.transaction !== undefined
      ? []
      : ([['stmtIds', [isArray(given) ? given[index]! : index]]] as const)),
    ['$db', db],
  ]);
  const fields = await route(mongos, { ...call, db, target: name, body }, { ...command, name: kind }, {} as never);
  return { kind, fields: 'fields' in fields ? fields.fields : fields };
};

const failed = (index: number, { kind, fields }: Done, error: Doc): Doc =>
  Doc.of([
    ['ok', double(0)],
    ['idx', index],
    ...error.entries().filter(([name]) => name !== 'index'),
    ['n', numberIn(fields, 'n')],
    ...(kind === 'update' ? ([['nModified', 0]] as const) : []),
  ]);

const succeeded = (index: number, { kind, fields }: Done): Doc => {
  const upserted = firstIn(fields, 'upserted');
  return Doc.of([
    ['ok', double(1)],
    ['idx', index],
    ['n', numberIn(fields, 'n')],
    ...(kind === 'update' ? ([['nModified', numberIn(fields, 'nModified')]] as const) : []),
    ...(upserted === undefined ? [] : ([['upserted', upserted.without('index')]] as const)),
  ]);
};

const totalsOf = (done: readonly Done[], nErrors: number): Fields => {
  const sum = (kind: Kind, count: (one: Done) => number): number =>
    done.filter(one => one.kind === kind).reduce((total, one) => total + count(one), 0);
  const isUpsert = ({ fields }: Done): boolean => firstIn(fields, 'upserted') !== undefined;
  const n = ({ fields }: Done): number => numberIn(fields, 'n');
  return [
    ['nErrors', nErrors],
    ['nInserted', sum('insert', n)],
    ['nMatched', sum('update', one => (isUpsert(one) ? 0 : n(one)))],
    ['nModified', sum('update', ({ fields }) => numberIn(fields, 'nModified'))],
    ['nUpserted', sum('update', one => (isUpsert(one) ? 1 : 0))],
    ['nDeleted', sum('delete', n)],
  ];
};

/** Runs the operations one by one on the shards that own their documents. */
const overShards = async (mongos: Mongos, call: Call, command: Command): Promise<Fields | Reply> => {
  const list = call.body.get('ops');
  const ops = (isArray(list) ? list : []).filter(isDoc);
  checkBatchSize(ops.length);
  const namespaces = namespacesIn(call);
  const targets = ops.map((op, index) => parseOperation(op, index, namespaces, call.engine.version).ns);
  const isOrdered = call.body.get('ordered') !== false;
  const done: Done[] = [];
  const items: Doc[] = [];
  const messages = new ErrorMessages();
  let nErrors = 0;
  let concern: Entry | undefined;
  for (const [index, op] of ops.entries()) {
    const one = await performOne(mongos, call, command, op, targets[index]!, index).catch((error: unknown): Done => {
      if (!(error instanceof CommandError) || call.generic.transaction !== undefined) throw error;
      const writeErrors = [
        Doc.of([
          ['code', error.code],
          ['errmsg', error.message],
        ]),
      ];
      return { kind: op.keys()[0] as Kind, fields: [['writeErrors', writeErrors]] };
    });
    done.push({ kind: one.kind, fields: one.fields.filter(([name]) => name !== 'writeErrors') });
    concern ??= one.fields.find(([name]) => name === 'writeConcernError');
    const error = firstIn(one.fields, 'writeErrors');
    if (error === undefined && call.body.get('errorsOnly') !== true) items.push(succeeded(index, one));
    if (error === undefined) continue;
    nErrors += 1;
    items.push(failed(index, one, shortened(error, messages)));
    if (isOrdered) break;
  }
  const cursor = call.body.get('cursor');
  const size = isDoc(cursor) ? cursor.get('batchSize') : undefined;
  const batchSize = isNumber(size) ? toSafeInteger(size) : Number.POSITIVE_INFINITY;
  const { fields } = openList(call, 'admin.$cmd.bulkWrite', items, { batchSize });
  return withToken(mongos, call, [...fields, ...totalsOf(done, nErrors), ...(concern === undefined ? [] : [concern])]);
};

/** Passes the command to a single shard if that shard owns all documents. */
export const bulkWrite: Route = (mongos, call, command) => {
  for (const ns of namespacesIn(call)) mongos.catalog.assign(partsOf(ns)[0]);
  const [shard = mongos.catalog.config, ...more] = shardsIn(mongos, call);
  return more.length === 0 ? passTo(mongos, call, command, shard) : overShards(mongos, call, command);
};
