import { Doc, fail, isArray, toHex, utf8 } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { nameOf } from '@tessera/store';
import { isView, namespacesOf } from '../engine/database.js';
import type { Call, Command } from './command.js';
import { command, namespaceOf } from './command.js';
import { operationsUnderWay } from './current-op.js';
import { any, array, bool, object } from './schema.js';

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

/** Returns the hash of all documents' bytes, in the order of `_id`. */
const hashOf = ({ server: { auth } }: Call, { records }: Collection): string => {
  const parts = [...records].map(([, doc]) => doc.bytes);
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return toHex(auth.scram.crypto.hash('md5', all));
};

const dbHash = command({
  name: 'dbHash',
  aliases: ['dbhash'],
  schema: { collections: array(), skipTempCollections: bool() },
  help: 'Returns a hash of each collection. It is equal for equal documents in the same order.',
  run: (call, { collections }) => {
    const requested =
      collections !== undefined && isArray(collections) && collections.length > 0 ? new Set(collections) : undefined;
    const hashed = namespacesOf(call.data.value, call.db)
      .filter((namespace): namespace is Collection => !isView(namespace))
      .filter(({ settings }) => requested?.has(nameOf(settings.ns)) ?? true)
      .map(one => [nameOf(one.settings.ns), hashOf(call, one)] as const);
    const whole = utf8(hashed.map(([, hash]) => hash).join(''));
    return [
      ['host', call.server.address],
      ['collections', Doc.of(hashed)],
      ['md5', toHex(call.server.auth.scram.crypto.hash('md5', whole))],
      ['timeMillis', 0],
    ];
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

const currentOp = command({
  name: 'currentOp',
  lenient: true,
  adminOnly: true,
  help: 'Returns the current operation, and the operations that are paused while others run.',
  run: call => [['inprog', operationsUnderWay(call, 'admin.$cmd', call.body.get('$ownOps') !== true)]],
});

export const upkeep: readonly Command[] = [
  ...[compact, reIndex, dataSize, planCacheClear, dbHash, connPoolStats, logRotate, fsync, currentOp],
];
