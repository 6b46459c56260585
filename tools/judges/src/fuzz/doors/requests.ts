/** Draws the commands of users with few rights. */
import { Binary, Long } from 'bson';
import type { Document } from 'bson';
import type { Chance } from '../../chance.js';
import type { Form } from '../../roles/table.js';
import { readForms } from '../../roles/table.js';
import { Blank } from './blanks.js';
import { collectionIn, databaseOf, namespaceOf, targetIn } from './places.js';
import { drawPipeline } from './stages.js';

/** A command, with blanks for values of the running server, and its database. */
export interface Drawn {
  readonly command: Document;
  readonly db: string;
}

type Make = (chance: Chance, db: string) => Document;

const filters: readonly Document[] = [
  {},
  { _id: 1 },
  { s: { $gt: '' } },
  { $where: 'this.s !== undefined' },
  { $expr: { $eq: [{ $toInt: '$s' }, 1] } },
];

const changes = [{ $set: { a: 2 } }, { $inc: { s: 1 } }, [{ $set: { x: { $toInt: '$s' } } }], { a: 3 }] as const;

const write = (chance: Chance): Document => ({ q: chance.pick(filters), u: chance.pick(changes) });

const place = (chance: Chance): Document => ({ ns: namespaceOf(chance) });

const bulkOps: readonly Make[] = [
  chance => ({ insert: chance.below(2), document: { a: 1 } }),
  chance => ({ update: chance.below(2), filter: chance.pick(filters), updateMods: chance.pick(changes) }),
  chance => ({ delete: chance.below(2), filter: chance.pick(filters) }),
];

const outs = (chance: Chance): unknown => {
  const db = databaseOf(chance);
  const kind = chance.pick(['merge', 'replace', 'reduce']);
  return chance.yes(0.3) ? { inline: 1 } : { [kind]: collectionIn(chance, db), ...(chance.yes(0.6) && { db }) };
};

const everyone = [{ user: 'root', db: 'admin' }] as const;

const victimSession = (chance: Chance): Document => ({
  id: new Blank('victimSession'),
  ...(chance.yes(0.5) && { uid: new Blank('victimUid') }),
});

const reads: readonly (readonly [weight: number, make: Make])[] = [
  [3, (chance, db) => ({ find: targetIn(chance, db), filter: chance.pick(filters), batchSize: 2 })],
  [8, (chance, db) => ({ aggregate: targetIn(chance, db), pipeline: drawPipeline(chance, db, 2), cursor: {} })],
  [1, (chance, db) => ({ aggregate: 1, pipeline: drawPipeline(chance, db, 2), cursor: {} })],
  [1, (chance, db) => ({ count: targetIn(chance, db), query: chance.pick(filters) })],
  [
    1,
    (chance, db) => ({ distinct: targetIn(chance, db), key: chance.pick(['s', '_id']), query: chance.pick(filters) }),
  ],
  [1, (chance, db) => ({ delete: collectionIn(chance, db), deletes: [{ q: chance.pick(filters), limit: 1 }] })],
  [1, (chance, db) => ({ update: collectionIn(chance, db), updates: [{ ...write(chance), upsert: chance.yes(0.3) }] })],
  [
    1,
    (chance, db) => ({
      findAndModify: collectionIn(chance, db),
      query: chance.pick(filters),
      ...(chance.yes(0.5) ? { remove: true } : { update: chance.pick(changes), new: true }),
    }),
  ],
];

const others: readonly (readonly [weight: number, make: Make])[] = [
  [2, (chance, db) => ({ insert: collectionIn(chance, db), documents: [{ a: 1 }] })],
  [
    3,
    chance => ({
      bulkWrite: 1,
      ops: chance.many(1, 3, () => chance.pick(bulkOps)(chance, 'admin')),
      nsInfo: [place(chance), place(chance)],
      errorsOnly: chance.yes(0.2),
    }),
  ],
  [
    2,
    (chance, db) => ({
      mapReduce: collectionIn(chance, db),
      map: 'function () { emit(1, this.s); }',
      reduce: 'function (key, values) { return values.join(); }',
      out: outs(chance),
    }),
  ],
  [2, (chance, db) => ({ create: 'n', viewOn: collectionIn(chance, db), pipeline: drawPipeline(chance, db, 1) })],
  [1, (chance, db) => ({ collMod: 'n', viewOn: collectionIn(chance, db), pipeline: drawPipeline(chance, db, 1) })],
  [1, (chance, db) => ({ drop: collectionIn(chance, db) })],
  [1, chance => ({ renameCollection: namespaceOf(chance), to: namespaceOf(chance), dropTarget: true })],
  [1, (chance, db) => ({ createIndexes: collectionIn(chance, db), indexes: [{ key: { s: 1 }, name: 's_1' }] })],
  [1, chance => ({ listCollections: 1, nameOnly: chance.yes(0.3), authorizedCollections: chance.yes(0.3) })],
  [1, (chance, db) => ({ listIndexes: targetIn(chance, db) })],
  [2, (chance, db) => ({ getMore: new Blank('victimCursor'), collection: collectionIn(chance, db) })],
  [1, (chance, db) => ({ getMore: new Blank('ownCursor'), collection: collectionIn(chance, db) })],
  [3, (chance, db) => ({ killCursors: collectionIn(chance, db), cursors: [new Blank('victimCursor')] })],
  [1, () => ({ killOp: 1, op: new Blank('victimOp') })],
  [1, chance => ({ currentOp: 1, $all: chance.yes(0.5), $ownOps: chance.yes(0.5) })],
  [1, chance => ({ [chance.pick(['killSessions', 'endSessions', 'refreshSessions'])]: [victimSession(chance)] })],
  [1, chance => ({ killAllSessions: chance.pick([[], everyone]) })],
  [
    1,
    chance => ({
      killAllSessionsByPattern: chance.pick([[], [{ lsid: victimSession(chance) }], [{ users: everyone }]]),
    }),
  ],
  [
    2,
    chance => ({
      [chance.pick(['abortTransaction', 'commitTransaction'])]: 1,
      lsid: victimSession(chance),
      txnNumber: Long.ONE,
      autocommit: false,
    }),
  ],
  [
    1,
    chance => ({ usersInfo: chance.pick<unknown>([1, 'root', { forAllDBs: true }, everyone]), showCredentials: true }),
  ],
  [1, chance => ({ rolesInfo: chance.pick<unknown>([1, everyone]), showPrivileges: true, showBuiltinRoles: true })],
  [1, () => ({ createUser: 'intruder', pwd: 'x', roles: ['root'] })],
  [1, chance => ({ updateUser: chance.pick(['root', 'nobody', 'reader']), roles: ['root'], pwd: 'x' })],
  [1, chance => ({ grantRolesToUser: chance.pick(['reader', 'nobody']), roles: [{ role: 'root', db: 'admin' }] })],
  [1, chance => ({ dbHash: 1, collections: chance.pick([[], ['c']]) })],
];

/** Commands that name exactly what they must not touch. */
const attacks: readonly Drawn[] = [
  { db: 'vault', command: { killCursors: 'c', cursors: [new Blank('victimCursor')] } },
  { db: 'vault', command: { getMore: new Blank('victimCursor'), collection: 'c' } },
  {
    db: 'vault',
    command: { getMore: new Blank('victimCursor'), collection: 'c', lsid: { id: new Blank('victimSession') } },
  },
  { db: 'shop', command: { aggregate: 'c', pipeline: [{ $merge: { into: { db: 'vault', coll: 'c' } } }], cursor: {} } },
  { db: 'shop', command: { aggregate: 'c', pipeline: [{ $out: { db: 'vault', coll: 't' } }], cursor: {} } },
  {
    db: 'shop',
    command: {
      mapReduce: 'c',
      map: 'function () { emit(this._id, 1); }',
      reduce: 'function () { return 1; }',
      out: { merge: 't', db: 'vault' },
    },
  },
  {
    db: 'store',
    command: {
      aggregate: 'open',
      pipeline: [{ $facet: { x: [{ $lookup: { from: 'hidden', as: 'x', pipeline: [] } }] } }],
      cursor: {},
    },
  },
];

const forms: readonly Form[] = readForms();

const letters = new Set(['c', 'd', 'e', 'f', 'g', 'h', 'v', 'hidden', 'secret']);

/** Returns the form with some of its databases and collections replaced. */
const moved = (chance: Chance, value: unknown, db: string): unknown => {
  if (typeof value === 'string') {
    if (letters.has(value) && chance.yes(0.4)) return collectionIn(chance, db);
    if (value === 'other' || (value === 'shop' && chance.yes(0.4))) return databaseOf(chance);
    return /^(?:shop|other)\./.test(value) && chance.yes(0.6) ? namespaceOf(chance) : value;
  }
  if (Array.isArray(value)) return value.map(each => moved(chance, each, db));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, moved(chance, each, db)]));
};

const known = (chance: Chance): Drawn => {
  const form = chance.pick(forms);
  const db = form.db === 'other' || chance.yes(0.4) ? databaseOf(chance) : form.db;
  return { command: moved(chance, form.command, db) as Document, db };
};

const additions: readonly ((chance: Chance) => Document)[] = [
  () => ({ lsid: { id: new Blank('ownSession') } }),
  chance => ({ lsid: victimSession(chance) }),
  chance => ({ lsid: victimSession(chance), txnNumber: Long.ONE, autocommit: false }),
  chance => ({
    lsid: { id: new Blank('ownSession') },
    txnNumber: Long.fromNumber(1 + chance.below(50)),
    autocommit: false,
    startTransaction: true,
  }),
  chance => ({ readConcern: { level: chance.pick(['local', 'majority', 'snapshot', 'linearizable', 'available']) } }),
  () => ({ collectionUUID: new Blank('secretUuid') }),
  () => ({ $readPreference: { mode: 'secondaryPreferred' } }),
  () => ({ let: { db: 'vault' } }),
  () => ({ comment: { db: 'vault' } }),
  () => ({ $audit: { $impersonatedUser: everyone[0], $impersonatedRoles: [] } }),
  () => ({ fromMongos: true, needsMerge: true, fromRouter: true }),
  () => ({ bypassDocumentValidation: true, isMapReduceCommand: true }),
  () => ({ tailable: true, awaitData: true }),
  () => ({ maxTimeMS: 50 }),
  () => ({ apiVersion: '1', apiStrict: true }),
  () => ({ tenantId: new Binary(Buffer.alloc(12)), $tenant: new Binary(Buffer.alloc(12)) }),
];

const explained = (chance: Chance, { command, db }: Drawn): Drawn => ({
  command: {
    explain: { ...command, ...(chance.yes(0.2) && { $db: databaseOf(chance) }) },
    ...(chance.yes(0.5) && { verbosity: chance.pick(['queryPlanner', 'executionStats', 'allPlansExecution']) }),
  },
  db,
});

/** Draws a command, most often in one of the databases. */
export const drawRequest = (chance: Chance, homes: readonly string[] = ['vault']): Drawn => {
  const home = chance.yes(0.6) ? chance.pick(homes) : databaseOf(chance);
  const make = (list: readonly (readonly [number, Make])[]): Drawn => {
    const command = chance.weighted(list)(chance, home);
    const isForAdmin = ['bulkWrite', 'renameCollection', 'killOp', 'currentOp'].some(name => name in command);
    return { command, db: isForAdmin && chance.yes(0.9) ? 'admin' : home };
  };
  const drawn = chance.weighted<() => Drawn>([
    [4, () => make(reads)],
    [4, () => make(others)],
    [2, () => known(chance)],
    [0.5, () => chance.pick(attacks)],
  ])();
  const wrapped = chance.yes(0.12) ? explained(chance, drawn) : drawn;
  const more = chance.yes(0.35) ? chance.pick(additions)(chance) : {};
  // A command would wait without end for a document that an open transaction has written.
  const limit = 'getMore' in wrapped.command ? {} : { maxTimeMS: 500 };
  return { command: { ...wrapped.command, ...limit, ...more }, db: wrapped.db };
};
