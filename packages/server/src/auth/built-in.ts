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

const monitors: readonly Privilege[] = [
  on(cluster, actions.monitoring),
  on(namespace(''), ['collStats', 'dbStats', 'getDatabaseVersion', 'getShardVersion', 'indexStats', 'useUUID']),
  on(namespace('', 'system.profile'), ['find']),
  on(namespace('config'), actions.reading),
  on(namespace('local'), actions.reading),
];

const manages: readonly Privilege[] = [
  on(cluster, actions.managing),
  on(namespace(''), actions.chunks),
  on(namespace('config'), actions.reading, actions.writing, actions.shaping),
  on(namespace('local', 'system.replset'), actions.reading),
  on(namespace('local'), actions.reading),
];

const hosts: readonly Privilege[] = [on(cluster, actions.hosting), on(namespace(''), ['killCursors'])];

const backsUp: readonly Privilege[] = [
  on(anyResource, ['listDatabases', 'listCollections', 'listIndexes']),
  on(cluster, ['appendOplogNote', 'getParameter', 'listDatabases', 'serverStatus']),
  on(namespace(''), ['find']),
  on(namespace('', 'system.js'), ['find']),
  on(namespace('', 'system.profile'), ['find']),
  ...usersAndRoles.map(resource => on(resource, ['find'])),
  on(namespace('config', 'settings'), ['find', 'insert', 'update']),
];

const restores: readonly Privilege[] = [
  on(cluster, ['getParameter', 'forceUUID', 'useUUID']),
  on(namespace(''), actions.restoring),
  on(namespace('', 'system.js'), actions.restoring),
  ...usersAndRoles.map(resource => on(resource, actions.writing, ['find', 'collMod', 'createIndex'])),
];

const listsDatabases = on(cluster, ['listDatabases']);

const administersAllUsers: readonly Privilege[] = [
  ...administersUsers(''),
  on(cluster, ['authSchemaUpgrade', 'invalidateUserCache', 'listDatabases', 'viewUser']),
  ...usersAndRoles.map(resource => on(resource, actions.reading)),
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
  ['enableSharding', db => [on(namespace(db), ['enableSharding'])]],
]);

const ofAdmin: ReadonlyMap<string, readonly Privilege[]> = new Map<string, readonly Privilege[]>([
  ['readAnyDatabase', [...reads(''), listsDatabases]],
  ['readWriteAnyDatabase', [...writes(''), listsDatabases]],
  ['dbAdminAnyDatabase', [...administers(''), on(cluster, ['listDatabases', 'applicationMessage'])]],
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
      ...writes(''),
      ...administers(''),
      ...administersAllUsers,
      ...administersCluster,
      ...backsUp,
      ...restores,
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
