import type { Soon } from '@tessera/contracts';
import type { Call, Command, Fields, Registry, Reply } from '@tessera/server/parts';
import { any, createCommands, createRegistry } from '@tessera/server/parts';
import { endingSessions, listDatabases, toAll } from './broadcast-routes.js';
import { bulkWrite } from './bulk-route.js';
import type { OpenState } from './balanced-clients.js';
import { abandonedStatement, recordCursor, recordTransaction } from './balanced-clients.js';
import { explain } from './explain-route.js';
import { getMore, killAbandoned, killCursors } from './cursor-routes.js';
import { createIndexes, drop, dropDatabase, toRename, toOwningShards, wholeOnly } from './ddl-routes.js';
import type { Mongos } from './mongos.js';
import { currentOp, killOp } from './operation-routes.js';
import { aggregate, count, distinct, find } from './read-routes.js';
import type { Route } from './routes.js';
import { profile } from './profile-route.js';
import { toConfig, toHome } from './routes.js';
import { shardingCommands } from './sharding-commands.js';
import { collStats, dataSize, dbStats, fsync, validate } from './stats-routes.js';
import { abortAbandoned, abortTransaction, commitTransaction } from './transaction-routes.js';
import { deleteRoute, findAndModify, insert, refuseSpread, update } from './write-routes.js';

/** Commands that concern the mongos itself, which runs them like any server. */
const own: ReadonlySet<string> = new Set([
  ...['hello', 'isMaster', 'buildInfo', 'ping', 'connectionStatus', 'whatsmyuri', 'getLog', 'hostInfo'],
  ...['getCmdLineOpts', 'getFreeMonitoringStatus', 'serverStatus', 'getParameter', 'setParameter', 'listCommands'],
  ...['startSession', 'refreshSessions', 'saslStart', 'saslContinue', 'authenticate', 'logout', 'getnonce'],
  ...['logRotate', 'connPoolStats', 'invalidateUserCache', 'shutdown'],
  ...['configureFailPoint', 'waitForFailPoint', 'testVersion2', 'testDeprecationInVersion2'],
]);

/** Commands that only members of a shard support. */
const foreign: ReadonlySet<string> = new Set([
  ...['replSetFreeze', 'replSetGetConfig', 'replSetGetStatus', 'replSetInitiate', 'replSetStepDown'],
  ...['replSetReconfig', 'replSetMaintenance', 'replSetSyncFrom', 'top', 'appendOplogNote'],
  ...[
    'replSetStepUp',
    'replSetAbortPrimaryCatchUp',
    'compact',
    'dbHash',
    'reIndex',
    'cloneCollectionAsCapped',
    'applyOps',
  ],
]);

const settings: readonly string[] = [
  ...['createUser', 'updateUser', 'dropUser', 'dropAllUsersFromDatabase', 'usersInfo', 'grantRolesToUser'],
  ...['revokeRolesFromUser', 'createRole', 'updateRole', 'dropRole', 'dropAllRolesFromDatabase', 'rolesInfo'],
  ...['grantRolesToRole', 'revokeRolesFromRole', 'grantPrivilegesToRole', 'revokePrivilegesFromRole'],
];

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...settings.map(name => [name, toConfig] as const),
  ...['endSessions', 'killSessions', 'killAllSessions', 'killAllSessionsByPattern'].map(
    name => [name, endingSessions] as const,
  ),
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['listDatabases', listDatabases],
  ['find', find],
  ['aggregate', aggregate],
  ['count', count],
  ['distinct', distinct],
  ['insert', insert],
  ['update', update],
  ['delete', deleteRoute],
  ['findAndModify', findAndModify],
  ['mapReduce', refuseSpread],
  ['renameCollection', toRename],
  ['createIndexes', createIndexes],
  ['dropIndexes', toOwningShards],
  ['collMod', toOwningShards],
  ['planCacheClear', toOwningShards],
  ['convertToCapped', wholeOnly],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['collStats', collStats],
  ['dbStats', dbStats],
  ['dataSize', dataSize],
  ['validate', validate],
  ['fsync', fsync],
  ['setDefaultRWConcern', toAll],
  ['profile', profile],
  ['bulkWrite', bulkWrite],
  ['explain', explain],
  ['killOp', killOp],
  ['currentOp', currentOp],
  ['commitTransaction', commitTransaction],
  ['abortTransaction', abortTransaction],
]);

/** Fields that clients of a mongos may send, in addition to those of a shard's commands. */
const tokens: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction']);

/**
 * Runs a command of a client that came through a load balancer, and ties its cursors and transactions to the
 * connection.
 */
const forBalanced = async (
  mongos: Mongos,
  call: Call,
  command: Command,
  work: () => Soon<Fields | Reply>,
): Promise<Fields | Reply> => {
  const left = (open: OpenState): void => {
    void killAbandoned(mongos, call, open.cursors);
    const statement = abandonedStatement(open);
    if (statement !== undefined) void abortAbandoned(mongos, statement);
  };
  const held = mongos.balanced.of(call.client, left);
  recordTransaction(held, call, command);
  const reply = await work();
  recordCursor(held, call, command, reply);
  const { peer } = call.client;
  if (peer.signal.aborted && !peer.isCut) left(held);
  return reply;
};

const routed = (mongos: Mongos, command: Command): Command => {
  const route = routes.get(command.name) ?? toHome;
  const schema = tokens.has(command.name) ? { ...command.schema, recoveryToken: any() } : command.schema;
  return {
    ...command,
    schema,
    run: (call, args) =>
      call.client.isBalanced
        ? forBalanced(mongos, call, command, () => route(mongos, call, command, args))
        : route(mongos, call, command, args),
  };
};

/** Creates the commands of a mongos: those of a server, most of them executed on shards. */
export const createRouterCommands = (mongos: Mongos, forTests: boolean): Registry =>
  createRegistry([
    ...createCommands(forTests)
      .all.filter(({ name }) => !foreign.has(name))
      .map(command => (own.has(command.name) ? command : routed(mongos, command))),
    ...shardingCommands(mongos),
  ]);
