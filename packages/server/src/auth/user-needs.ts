import type { Value } from '@tessera/mql/engine';
import { isArray, isDoc } from '@tessera/mql/engine';
import type { Action } from './actions.js';
import type { Need, NeedsOf, Request } from './need.js';
import { database, need } from './need.js';
import type { Target } from './privilege.js';
import { cluster, readPrivileges } from './privilege.js';
import { requestedUsers } from './requested-users.js';

const ofDb = (action: Action, db: string): Need => need(action, database(db));

/** Returns the databases of the roles in a list. */
const dbsOf = ({ db, body }: Request, field: string): readonly string[] => {
  const list = body.get(field);
  if (!isArray(list)) return [];
  const dbs = list.map(item => (isDoc(item) ? item.get('db') : db));
  return [...new Set(dbs.filter(one => typeof one === 'string'))];
};

const roles = (action: Action, request: Request): readonly Need[] =>
  dbsOf(request, 'roles').map(db => ofDb(action, db));

/**
 * Returns the needs of granting or revoking privileges: the action on the database of each resource, or on `admin` if
 * the resource is not in one database.
 * @throws CommandError 9
 */
const privileges = (action: Action, { body }: Request): readonly Need[] => {
  const list = body.get('privileges');
  if (!isArray(list)) return [];
  return readPrivileges(list).map(({ resource }) =>
    ofDb(action, resource.kind === 'namespace' && resource.db !== '' ? resource.db : 'admin'),
  );
};

const restrictions = ({ db, body }: Request): readonly Need[] =>
  body.has('authenticationRestrictions') ? [ofDb('setAuthenticationRestriction', db)] : [];

/** Returns the needs of the roles, privileges and restrictions that a command gives to a user or a role. */
const grants: NeedsOf = request => [
  ...roles('grantRole', request),
  ...privileges('grantRole', request),
  ...restrictions(request),
];

/** The need of replacing a list of roles or privileges, which may revoke any of them. */
const revokesAny: Need = need('revokeRole', { kind: 'collection', db: '', collection: '' });

const nameOf = ({ body }: Request): Value | undefined => body.entries()[0]?.[1];

const isOwn = (request: Request): boolean => {
  const name = nameOf(request);
  return typeof name === 'string' && request.asking.has(`${request.db}.${name}`);
};

const updateUser: NeedsOf = request => {
  const { body, db } = request;
  const own = isOwn(request) ? (action: Action): readonly Action[] => [action] : (): readonly Action[] => [];
  const target: Target = { kind: 'database', db };
  return [
    ...(body.has('pwd') || body.has('mechanisms')
      ? [{ anyOf: ['changePassword', ...own('changeOwnPassword')], on: target }]
      : []),
    ...(body.has('customData') ? [{ anyOf: ['changeCustomData', ...own('changeOwnCustomData')], on: target }] : []),
    ...(body.has('roles') ? [revokesAny] : []),
    ...grants(request),
  ];
};

/** Returns the needs of a `usersInfo`. Users may view themselves. @throws CommandError 2 */
const usersInfo: NeedsOf = request => {
  const requested = requestedUsers(nameOf(request) ?? null, request.db);
  if (requested === 'everywhere') return [need('viewUser', cluster)];
  if (requested === 'database') return [ofDb('viewUser', request.db)];
  return requested.filter(({ user, db }) => !request.asking.has(`${db}.${user}`)).map(({ db }) => ofDb('viewUser', db));
};

/** Users may view their own roles. */
const rolesInfo: NeedsOf = request => {
  const requested = nameOf(request);
  return (isArray(requested) ? requested : [requested]).flatMap(one => {
    const [role, given] = isDoc(one) ? [one.get('role'), one.get('db')] : [one, undefined];
    const db = typeof given === 'string' ? given : request.db;
    return typeof role === 'string' && request.roles.has(`${db}.${role}`) ? [] : [ofDb('viewRole', db)];
  });
};

const inDb =
  (action: Action): NeedsOf =>
  ({ db }) => [ofDb(action, db)];

/** The needs of the commands that manage users and roles. */
export const userNeeds: readonly (readonly [string, NeedsOf])[] = [
  ['createUser', request => [ofDb('createUser', request.db), ...grants(request)]],
  ['updateUser', updateUser],
  ['dropUser', inDb('dropUser')],
  ['dropAllUsersFromDatabase', inDb('dropUser')],
  ['usersInfo', usersInfo],
  ['grantRolesToUser', request => roles('grantRole', request)],
  ['revokeRolesFromUser', request => roles('revokeRole', request)],
  ['createRole', request => [ofDb('createRole', request.db), ...grants(request)]],
  ['updateRole', request => [revokesAny, ...grants(request)]],
  ['dropRole', inDb('dropRole')],
  ['dropAllRolesFromDatabase', inDb('dropRole')],
  ['grantRolesToRole', request => roles('grantRole', request)],
  ['revokeRolesFromRole', request => roles('revokeRole', request)],
  ['grantPrivilegesToRole', request => privileges('grantRole', request)],
  ['revokePrivilegesFromRole', request => privileges('revokeRole', request)],
  ['rolesInfo', rolesInfo],
];
