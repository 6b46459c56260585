import type { Action } from './actions.js';
import { actions, everyAction } from './actions.js';
import type { Privilege, Resource } from './privilege.js';
import { anyResource, cluster, namespace } from './privilege.js';

const on = (resource: Resource, ...groups: readonly (readonly Action[])[]): Privilege => ({
  resource,
  actions: new Set(groups.flat()),
});

type Make = (db: string) => readonly Privilege[];

const reads: Make = db => [on(namespace(db), actions.reading), on(namespace(db, 'system.js'), actions.reading)];

const writes: Make = db => [
  on(namespace(db), actions.reading, actions.writing, actions.shaping),
  on(namespace(db, 'system.js'), actions.reading, actions.writing, actions.shaping),
];

const administers: Make = db => [
  on(namespace(db), actions.administering),
  on(namespace(db, 'system.profile'), actions.reading, ['convertToCapped', 'createCollection', 'dropCollection']),
];

const administersUsers: Make = db => [on(namespace(db), actions.users)];

const usersAndRoles = [namespace('admin', 'system.users'), namespace('admin', 'system.roles')];
const versions = namespace('admin', 'system.version');
const [config, local] = [namespace('config'), namespace('local')];

const monitors: readonly Privilege[] = [
  ...[...reads('config'), ...reads('local')],
  on(cluster, actions.monitoring),
  ...[namespace(''), config, local, namespace('config', 'system.sessions')].map(resource =>
    on(resource, actions.measuring),
  ),
  on(namespace('', 'system.profile'), ['find']),
  on(namespace('local', 'system.replset'), ['find']),
];

const manages: readonly Privilege[] = [
  ...reads('config'),
  on(cluster, actions.managing),
  on(namespace(''), actions.chunks),
  ...[config, local].map(resource => on(resource, actions.chunks, actions.writing)),
  on(namespace('local', 'system.replset'), actions.reading),
];

const hosts: readonly Privilege[] = [on(cluster, actions.hosting), on(namespace(''), ['killCursors'])];

const backsUp: readonly Privilege[] = [
  on(anyResource, ['collStats', 'listCollections', 'listIndexes', 'listSearchIndexes']),
  on(cluster, ['appendOplogNote', 'getParameter', 'listDatabases', 'serverStatus', 'setUserWriteBlockMode', 'useUUID']),
  ...[namespace(''), config, local, versions, ...usersAndRoles].map(resource => on(resource, ['find'])),
  ...['system.js', 'system.users', 'system.profile'].map(name => on(namespace('', name), ['find'])),
  on(namespace('config', 'settings'), ['find', 'insert', 'update']),
];

const restores: readonly Privilege[] = [
  on(cluster, ['applyOps', 'bypassWriteBlockingMode', 'forceUUID', 'getParameter', 'setUserWriteBlockMode', 'useUUID']),
  on(anyResource, ['listCollections']),
  on(namespace(''), actions.restoring, actions.users),
  ...[config, local, namespace('', 'system.js'), namespace('local', 'system.replset')].map(resource =>
    on(resource, actions.restoring),
  ),
  on(versions, actions.restoring, ['find']),
  on(namespace('', 'system.users'), actions.restoring, ['find', 'update', 'remove']),
  on(namespace('admin', 'system.roles'), ['createIndex']),
];

const listsDatabases = on(cluster, ['listDatabases']);

const administersAllUsers: readonly Privilege[] = [
  ...['', 'config', 'local'].flatMap(administersUsers),
  on(namespace(''), ['listCachedAndActiveUsers']),
  on(cluster, ['authSchemaUpgrade', 'invalidateUserCache', 'listDatabases', 'viewUser']),
  ...usersAndRoles.map(resource =>
    on(resource, actions.reading, ['createIndex', 'createSearchIndexes', 'dropIndex', 'dropSearchIndex']),
  ),
  ...[namespace('', 'system.users'), versions].map(resource => on(resource, actions.reading)),
];

const owns: Make = db => [...writes(db), ...administers(db), ...administersUsers(db)];

const administersCluster: readonly Privilege[] = [
  ...monitors,
  ...manages,
  ...hosts,
  on(namespace(''), ['dropDatabase']),
];

/** The built-in roles that every database has. Rule: "Built-In Roles". */
const ofDatabase: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['read', reads],
  ['readWrite', writes],
  ['dbAdmin', administers],
  ['userAdmin', administersUsers],
  ['dbOwner', owns],
  [
    'enableSharding',
    () => [
      on(namespace(''), [
        ...['analyzeShardKey', 'enableSharding', 'moveCollection', 'refineCollectionShardKey', 'reshardCollection'],
        'unshardCollection',
      ]),
    ],
  ],
]);

const ofAdmin: ReadonlyMap<string, readonly Privilege[]> = new Map<string, readonly Privilege[]>([
  ['readAnyDatabase', [...reads(''), listsDatabases]],
  ['readWriteAnyDatabase', [...writes(''), listsDatabases]],
  ['dbAdminAnyDatabase', [...administers(''), on(cluster, ['listDatabases', 'applyOps'])]],
  ['userAdminAnyDatabase', administersAllUsers],
  ['clusterMonitor', monitors],
  ['clusterManager', manages],
  ['hostManager', hosts],
  ['clusterAdmin', administersCluster],
  ['backup', backsUp],
  ['restore', restores],
  ['directShardOperations', [on(cluster, ['issueDirectShardOperations'])]],
  [
    'root',
    [
      ...[...writes(''), ...administers(''), ...administersAllUsers, ...administersCluster, ...backsUp, ...restores],
      on(cluster, ['issueDirectShardOperations']),
      on(anyResource, ['validate']),
    ],
  ],
  ['__system', [on(anyResource, [...everyAction])]],
]);

/** Returns the privileges of a built-in role of a database, or undefined if there is no such role. */
export const builtIn = (role: string, db: string): readonly Privilege[] | undefined =>
  ofDatabase.get(role)?.(db) ?? (db === 'admin' ? ofAdmin.get(role) : undefined);

/** Returns the names of a database's built-in roles. */
export const builtInNames = (db: string): readonly string[] => [
  ...ofDatabase.keys(),
  ...(db === 'admin' ? ofAdmin.keys() : []),
];
