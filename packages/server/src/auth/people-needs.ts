import type { Value } from '@tessera/mql/engine';
import { isArray, isDoc } from '@tessera/mql/engine';
import type { Action } from './actions.js';
import type { Need, NeedsOf, Request } from './need.js';
import { database, need } from './need.js';
import type { Target } from './privilege.js';
import { cluster } from './privilege.js';

const ofDb = (action: Action, db: string): Need => need(action, database(db));

/** The databases of the roles in a list. */
const dbsOf = ({ db, body }: Request, field: string): readonly string[] => {
  const list = body.get(field);
  if (!isArray(list)) return [];
  const dbs = list.map(item => (isDoc(item) ? item.get('db') : db));
  return [...new Set(dbs.filter(one => typeof one === 'string'))];
};

const roles = (action: Action, request: Request): readonly Need[] =>
  dbsOf(request, 'roles').map(db => ofDb(action, db));

/** Who gives a privilege away must be allowed to give roles of the database that it is about. */
const privileges = (action: Action, { body }: Request): readonly Need[] => {
  const list = body.get('privileges');
  if (!isArray(list)) return [];
  const resources = list.map(one => (isDoc(one) ? one.get('resource') : undefined)).filter(isDoc);
  return resources.map(resource => {
    const db = resource.get('db');
    return ofDb(action, typeof db === 'string' && db !== '' ? db : 'admin');
  });
};

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
    ...(body.has('roles') ? [ofDb('revokeRole', db), ...roles('grantRole', request)] : []),
    ...(body.has('authenticationRestrictions') ? [ofDb('setAuthenticationRestriction', db)] : []),
  ];
};

/** Of oneself everybody may know. */
const usersInfo: NeedsOf = request => {
  const asked = nameOf(request);
  const { db } = request;
  if (isDoc(asked) && asked.get('forAllDBs') === true) return [need('viewUser', cluster)];
  const named = (isArray(asked) ? asked : [asked]).map(one => {
    const user = isDoc(one) ? one.get('user') : one;
    const home = isDoc(one) ? one.get('db') : db;
    return { user, db: typeof home === 'string' ? home : db };
  });
  return named
    .filter(one => !(typeof one.user === 'string' && request.asking.has(`${one.db}.${one.user}`)))
    .map(one => ofDb('viewUser', one.db));
};

const rolesInfo: NeedsOf = request => {
  const asked = nameOf(request);
  const dbs = (isArray(asked) ? asked : [asked]).map(one => (isDoc(one) ? one.get('db') : undefined));
  return dbs.map(db => ofDb('viewRole', typeof db === 'string' ? db : request.db));
};

const inDb =
  (action: Action): NeedsOf =>
  ({ db }) => [ofDb(action, db)];

/** What the commands about users and roles need. */
export const peopleNeeds: readonly (readonly [string, NeedsOf])[] = [
  ['createUser', request => [ofDb('createUser', request.db), ...roles('grantRole', request)]],
  ['updateUser', updateUser],
  ['dropUser', inDb('dropUser')],
  ['dropAllUsersFromDatabase', inDb('dropUser')],
  ['usersInfo', usersInfo],
  ['grantRolesToUser', request => roles('grantRole', request)],
  ['revokeRolesFromUser', request => roles('revokeRole', request)],
  [
    'createRole',
    request => [ofDb('createRole', request.db), ...roles('grantRole', request), ...privileges('grantRole', request)],
  ],
  [
    'updateRole',
    request => [
      ...(request.body.has('roles') || request.body.has('privileges') ? [ofDb('revokeRole', request.db)] : []),
      ...roles('grantRole', request),
      ...privileges('grantRole', request),
    ],
  ],
  ['dropRole', inDb('dropRole')],
  ['dropAllRolesFromDatabase', inDb('dropRole')],
  ['grantRolesToRole', request => roles('grantRole', request)],
  ['revokeRolesFromRole', request => roles('revokeRole', request)],
  ['grantPrivilegesToRole', request => privileges('grantRole', request)],
  ['revokePrivilegesFromRole', request => privileges('revokeRole', request)],
  ['rolesInfo', rolesInfo],
];
