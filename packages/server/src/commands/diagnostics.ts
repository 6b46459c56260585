import type { Entry, Value } from '@tessera/mql/engine';
import { DateValue, Doc, double, fail, isDoc, isNumber, parseQuery, toDouble } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { indexSize, maxBatchBytes, databasesOf, isView, namespacesOf } from '@tessera/store';
import { authInfo } from '../auth/sasl-commands.js';
import { visibleDatabases } from '../auth/access.js';
import { internalDatabases } from '../engine/database.js';
import { languageOf } from '../engine/language.js';
import type { Call, Command } from './command.js';
import { command } from './command.js';
import { parameterCommands } from './parameters.js';
import type { Registry } from './registry.js';
import { any, bool } from './schema.js';

const doc = (...entries: readonly Entry[]): Doc => Doc.of(entries);

const versionArray = ({ engine: { version } }: Call): readonly Value[] => [
  version.major,
  version.minor,
  version.patch,
  0,
];

const gitVersion = '0000000000000000000000000000000000000000';

const buildInfo = command({
  name: 'buildInfo',
  aliases: ['buildinfo'],
  lenient: true,
  help: 'Returns the version that this server emulates.',
  run: call => [
    ['version', call.engine.version.text],
    ['gitVersion', gitVersion],
    ['modules', []],
    ['allocator', 'none'],
    ['javascriptEngine', 'none'],
    ['sysInfo', 'deprecated'],
    ['versionArray', versionArray(call)],
    ['openssl', doc(['running', 'disabled'], ['compiled', 'disabled'])],
    ['buildEnvironment', Doc.EMPTY],
    ['bits', 64],
    ['debug', false],
    ['maxBsonObjectSize', maxBatchBytes],
    ['storageEngines', ['tessera']],
  ],
});

const ping = command({ name: 'ping', stable: true, lenient: true, help: 'Returns ok.', run: () => [] });

const connectionStatus = command({
  name: 'connectionStatus',
  schema: { showPrivileges: bool() },
  stable: true,
  help: 'Returns the users authenticated on this connection.',
  run: (call, { showPrivileges }) => [['authInfo', doc(...authInfo(call, showPrivileges === true))]],
});

const whatsmyuri = command({
  name: 'whatsmyuri',
  lenient: true,
  help: 'Returns the name of the connection.',
  run: call => [['you', `connection-${call.client.peer.id}`]],
});

/** Returns a log line in the JSON format of mongod 4.4 and later, which shells parse. */
const warningLine = ({ engine }: Call): string =>
  JSON.stringify({
    t: { $date: new Date(engine.clock.wallTime()).toISOString() },
    s: 'W',
    c: 'CONTROL',
    id: 22120,
    ctx: 'initandlisten',
    msg: `This is Tessera, an embedded server for tests and development. ${engine.disk === undefined ? 'It keeps its data in memory only.' : 'It keeps its data in a folder.'}`,
  });

const getLog = command({
  name: 'getLog',
  lenient: true,
  adminOnly: true,
  help: 'Returns log lines. This server has no log, only a startup warning.',
  run: call => {
    if (call.target === '*') return [['names', ['global', 'startupWarnings']]];
    if (typeof call.target !== 'string') throw fail('TypeMismatch', 'Argument to getLog must be of type String');
    if (call.target === 'global')
      return [
        ['totalLinesWritten', 0],
        ['log', []],
      ];
    if (call.target !== 'startupWarnings') throw fail('OperationFailed', `No log named '${call.target}'`);
    return [
      ['totalLinesWritten', 1],
      ['log', [warningLine(call)]],
    ];
  },
});

const hostInfo = command({
  name: 'hostInfo',
  lenient: true,
  help: 'Returns information about the host, most of which is unknown to this server.',
  run: call => [
    [
      'system',
      doc(
        ['currentTime', new DateValue(call.engine.clock.wallTime())],
        ['hostname', call.server.address],
        ['cpuAddrSize', 64],
      ),
    ],
    ['os', doc(['type', 'unknown'], ['name', 'unknown'], ['version', 'unknown'])],
    ['extra', Doc.EMPTY],
  ],
});

const getCmdLineOpts = command({
  name: 'getCmdLineOpts',
  lenient: true,
  adminOnly: true,
  help: 'Returns the options with which the server was started.',
  run: ({ server: { testCommands, auth } }) => [
    ['argv', ['tessera-server', ...(testCommands ? ['--setParameter', 'enableTestCommands=1'] : [])]],
    [
      'parsed',
      doc(
        ...(auth.required ? ([['security', doc(['authorization', 'enabled'])]] as const) : []),
        ...(testCommands ? ([['setParameter', doc(['enableTestCommands', '1'])]] as const) : []),
      ),
    ],
  ],
});

const getFreeMonitoringStatus = command({
  name: 'getFreeMonitoringStatus',
  until: '7.0',
  lenient: true,
  adminOnly: true,
  help: 'Returns the state of free monitoring, which this server does not have.',
  run: () => [['state', 'undecided']],
});

const dbStats = command({
  name: 'dbStats',
  aliases: ['dbstats'],
  schema: { scale: any(), freeStorage: any() },
  help: 'Returns the sizes of a database.',
  run: (call, { scale }) => {
    const factor = scaleOf(scale);
    const namespaces = namespacesOf(call.data.value, call.db);
    const collections = namespaces.filter((namespace): namespace is Collection => !isView(namespace));
    const objects = collections.reduce((sum, { records }) => sum + records.size, 0);
    const bytes = collections.reduce((sum, collection) => sum + collection.bytes, 0);
    const indexes = collections.flatMap(collection => collection.indexes);
    const indexBytes = indexes.reduce((sum, index) => sum + indexSize(index), 0);
    return [
      ['db', call.db],
      // The views are stored in a collection of their own.
      ['collections', BigInt(collections.length + (namespaces.length > collections.length ? 1 : 0))],
      ['views', BigInt(namespaces.length - collections.length)],
      ['objects', BigInt(objects)],
      ['avgObjSize', double(objects === 0 ? 0 : bytes / objects)],
      ['dataSize', double(bytes / factor)],
      ['storageSize', double(bytes / factor)],
      ['indexes', BigInt(indexes.length)],
      ['indexSize', double(indexBytes / factor)],
      ['totalSize', double((bytes + indexBytes) / factor)],
      ['scaleFactor', BigInt(factor)],
      ['fsUsedSize', double(0)],
      ['fsTotalSize', double(0)],
    ];
  },
});

/** Returns the `scale` of a command that reports sizes. @throws CommandError 2, 14 */
export const scaleOf = (scale: Value | undefined): number => {
  if (scale === undefined || scale === null) return 1;
  if (!isNumber(scale)) throw fail('TypeMismatch', "BSON field 'scale' is the wrong type, expected a number");
  const n = toDouble(scale);
  if (n < 1) throw fail('BadValue', `BSON field 'scale' value must be >= 1, actual value '${Math.trunc(n)}'`);
  if (n > 2 ** 50) throw fail('BadValue', `BSON field 'scale' value must be <= ${2 ** 50}, actual value '${n}'`);
  return Math.trunc(n);
};

const listDatabases = command({
  name: 'listDatabases',
  schema: { nameOnly: bool(), filter: any(), authorizedDatabases: bool() },
  adminOnly: true,
  stable: true,
  help: 'Lists all databases that have collections, and the internal databases.',
  run: (call, { nameOnly, filter, authorizedDatabases }) => {
    if (filter !== undefined && filter !== null && !isDoc(filter)) {
      throw fail('TypeMismatch', "BSON field 'listDatabases.filter' is the wrong type, expected type 'object'");
    }
    const all = [...new Set([...internalDatabases, ...databasesOf(call.data.value)])]
      .sort()
      .filter(visibleDatabases(call, authorizedDatabases))
      .map(name => {
        const sizes = namespacesOf(call.data.value, name).map(namespace => (isView(namespace) ? 0 : namespace.bytes));
        const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
        return { size, shown: doc(['name', name], ['sizeOnDisk', BigInt(size)], ['empty', false]) };
      });
    const { expression } = languageOf(call.engine, undefined, undefined).context;
    const matcher = parseQuery(isDoc(filter) ? filter : Doc.EMPTY, { expression });
    const chosen = all.filter(({ shown }) => matcher.matches(shown));
    const databases = chosen.map(({ shown }) => (nameOnly === true ? doc(['name', shown.get('name')!]) : shown));
    if (nameOnly === true) return [['databases', databases]];
    const total = chosen.reduce((sum, { size }) => sum + size, 0);
    return [
      ['databases', databases],
      ['totalSize', BigInt(total)],
      ['totalSizeMb', BigInt(Math.floor(total / 0x100000))],
    ];
  },
});

/** Commands that report on the server and its commands. */
export const diagnostics: readonly Command[] = [
  buildInfo,
  ping,
  connectionStatus,
  whatsmyuri,
  getLog,
  hostInfo,
  getCmdLineOpts,
  getFreeMonitoringStatus,
  dbStats,
  listDatabases,
  ...parameterCommands,
];

/** Defines `listCommands`. It lists all other commands, so it receives them as a function. */
export const listCommands = (all: () => Registry): Command =>
  command({
    name: 'listCommands',
    lenient: true,
    help: 'Lists all commands.',
    run: () => [
      [
        'commands',
        Doc.of(
          all().all.map(({ name, help, adminOnly, stable, inVersion2 }) => [
            name,
            doc(
              ['help', help],
              ['requiresAuth', false],
              ['secondaryOk', false],
              ['adminOnly', adminOnly],
              ['apiVersions', [...(stable ? ['1'] : []), ...(inVersion2 === undefined ? [] : ['2'])]],
            ),
          ]),
        ),
      ],
    ],
  });
