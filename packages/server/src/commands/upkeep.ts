import type { Pieces } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDue, parseQuery, pause, toHex, utf8 } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { nameOf, isView, namespacesOf } from '@tessera/store';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf } from './command.js';
import { operationsUnderWay } from './current-op.js';
import { genericSchema } from './generic.js';
import { any, array, bool, object } from './schema.js';
import { piecewise } from './turns.js';
import { validateDBMetadata } from './validate-metadata.js';

/** Returns the collection. @throws CommandError 26, 166 */
const collectionIn = (call: Call, ns: string): Collection => {
  const namespace = call.data.value.namespaces.get(ns);
  if (namespace === undefined) throw fail('NamespaceNotFound', `ns does not exist: ${ns}`);
  if (isView(namespace)) throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  return namespace;
};

const compact = command({
  name: 'compact',
  schema: { force: bool(), dryRun: bool(), freeSpaceTargetMB: any() },
  help: 'Does nothing, because this server has no fragmented storage.',
  run: call => {
    collectionIn(call, namespaceOf(call));
    return [['bytesFreed', 0n]];
  },
});

const reIndex = command({
  name: 'reIndex',
  help: 'Returns the indexes without rebuilding them. Only on a standalone.',
  run: call => {
    if (call.server.role.kind === 'member')
      throw fail('IllegalOperation', 'reIndex is only allowed on a standalone mongod instance.');
    const { indexes } = collectionIn(call, namespaceOf(call));
    return [
      ['nIndexesWas', indexes.length],
      ['nIndexes', indexes.length],
      ['indexes', indexes.map(({ definition }) => definition.spec)],
    ];
  },
});

const dataSize = command({
  name: 'dataSize',
  schema: { keyPattern: object(), min: object(), max: object(), estimate: bool() },
  help: 'Returns the size and the number of documents of a collection.',
  run: call => {
    if (typeof call.target !== 'string' || !call.target.includes('.'))
      throw fail('InvalidNamespace', 'The first field of dataSize must be a namespace in the form database.collection');
    const namespace = call.data.value.namespaces.get(call.target);
    if (isView(namespace))
      throw fail('CommandNotSupportedOnView', `Namespace ${call.target} is a view, not a collection`);
    const { bytes, records } = namespace ?? { bytes: 0, records: { size: 0 } };
    return [
      ['estimate', call.body.get('estimate') === true],
      ['size', BigInt(bytes)],
      ['numObjects', BigInt(records.size)],
      ['millis', 0n],
    ];
  },
});

const planCacheClear = command({
  name: 'planCacheClear',
  schema: { query: object(), projection: object(), sort: object(), collation: object() },
  help: 'Does nothing, because this server does not cache plans.',
  run: () => [],
});

/** The number of documents that are hashed at once. */
const hashedAtOnce = 256;

const joinedBytes = (parts: readonly Uint8Array[]): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** Returns the hash of all documents' bytes, in the order of `_id`. */
const hashOf = function* ({ server: { auth } }: Call, { records }: Collection): Pieces<string> {
  const { crypto } = auth.scram;
  let hash = crypto.hash('md5', new Uint8Array(0));
  let parts: Uint8Array[] = [];
  for (const [, { bytes }] of records) {
    if (isDue()) yield pause;
    parts.push(bytes);
    if (parts.length < hashedAtOnce) continue;
    hash = crypto.hash('md5', joinedBytes([hash, ...parts]));
    parts = [];
  }
  return toHex(parts.length === 0 ? hash : crypto.hash('md5', joinedBytes([hash, ...parts])));
};

const hashes = function* (call: Call, requested: ReadonlySet<unknown> | undefined): Pieces<Fields> {
  const hashed: [string, string][] = [];
  for (const namespace of namespacesOf(call.data.value, call.db)) {
    const name = nameOf(namespace.settings.ns);
    if (!isView(namespace) && requested?.has(name) !== false) hashed.push([name, yield* hashOf(call, namespace)]);
  }
  const whole = utf8(hashed.map(([, hash]) => hash).join(''));
  return [
    ['host', call.server.address],
    ['collections', Doc.of(hashed)],
    ['md5', toHex(call.server.auth.scram.crypto.hash('md5', whole))],
    ['timeMillis', 0],
  ];
};

const dbHash = command({
  name: 'dbHash',
  aliases: ['dbhash'],
  schema: { collections: array(), skipTempCollections: bool() },
  help: 'Returns a hash of each collection. It is equal for equal documents in the same order.',
  run: (call, { collections }) => {
    const requested =
      collections !== undefined && isArray(collections) && collections.length > 0 ? new Set(collections) : undefined;
    return piecewise(call, hashes(call, requested));
  },
});

const connPoolStats = command({
  name: 'connPoolStats',
  lenient: true,
  help: 'Returns an empty report, because this server opens no connections.',
  run: () => [
    ['numClientConnections', 0],
    ['numAScopedConnections', 0],
    ['totalInUse', 0],
    ['totalAvailable', 0],
    ['totalCreated', 0],
    ['pools', Doc.EMPTY],
    ['hosts', Doc.EMPTY],
  ],
});

const logRotate = command({
  name: 'logRotate',
  lenient: true,
  adminOnly: true,
  help: 'Does nothing, because this server has no log.',
  run: () => [],
});

const fsync = command({
  name: 'fsync',
  schema: { lock: bool(), fsyncLockAcquisitionTimeoutMillis: any() },
  adminOnly: true,
  help: 'Saves all committed data. It cannot lock.',
  run: async (call, { lock }) => {
    if (lock === true) throw fail('CommandNotSupported', 'This server does not support locking against writes');
    await call.engine.flush();
    return [['numFiles', 1]];
  },
});

/** Fields of `currentOp` that are not part of its filter. */
const isOption = (name: string): boolean =>
  Object.hasOwn(genericSchema, name) || ['$ownOps', '$all', '$truncateOps'].includes(name);

const currentOp = command({
  name: 'currentOp',
  lenient: true,
  adminOnly: true,
  help: 'Returns the current operation, and the operations that are paused while others run.',
  run: call => {
    const filter = call.body.entries().filter(([name], at) => at > 0 && !isOption(name));
    const { matches } = parseQuery(Doc.of(filter));
    return [['inprog', operationsUnderWay(call, 'admin.$cmd', call.body.get('$ownOps') !== true).filter(matches)]];
  },
});

export const upkeep: readonly Command[] = [
  ...[
    validateDBMetadata,
    compact,
    reIndex,
    dataSize,
    planCacheClear,
    dbHash,
    connPoolStats,
    logRotate,
    fsync,
    currentOp,
  ],
];
