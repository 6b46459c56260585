import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc, isNumber } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, array, bool, required } from '../commands/schema.js';
import type { Auth } from './auth.js';
import { builtIn, builtInNames } from './built-in.js';
import { merged, privilegeDocs, readPrivileges, without } from './privilege.js';
import type { OwnRole, Role, Roles } from './roles.js';
import { readRoleNames, roleDocs, roleKey } from './roles.js';
import { checkRestrictions } from './restrictions.js';
import { joined, lessened } from './user-commands.js';

/** Returns the name of the role in the command's first field. @throws CommandError 2 */
const nameIn = ({ target }: Call): string => {
  if (typeof target !== 'string' || target === '') throw fail('BadValue', 'Role name must be non-empty');
  return target;
};

/** Returns the user-defined role that the command names. @throws CommandError 31, 49 */
const knownIn = (call: Call): OwnRole => call.server.auth.roles.known({ role: nameIn(call), db: call.db });

/**
 * Returns the role after checking it. Outside of `admin`, a role can have only privileges and roles of its own
 * database.
 * @throws CommandError 49
 */
const checked = (role: OwnRole): OwnRole => {
  const { db } = role;
  if (db === 'admin') return role;
  if (role.privileges.some(({ resource }) => resource.kind !== 'namespace' || resource.db !== db))
    throw fail(
      'InvalidRoleModification',
      `Roles on the '${db}' database cannot be granted privileges that target other databases or the cluster`,
    );
  if (role.roles.some(part => part.db !== db))
    throw fail('InvalidRoleModification', `Roles on the '${db}' database cannot be granted roles from other databases`);
  return role;
};

const createRole = command({
  name: 'createRole',
  schema: { privileges: required(array()), roles: required(array()), authenticationRestrictions: array() },
  writeConcern: true,
  help: 'Creates a role.',
  run: (call, { privileges, roles: parts, authenticationRestrictions }): Fields => {
    const { roles } = call.server.auth;
    const { db } = call;
    const role = nameIn(call);
    checkRestrictions(authenticationRestrictions);
    if (db === 'local') throw fail('BadValue', 'Cannot create roles in the local database');
    if (db === '$external') throw fail('BadValue', 'Cannot create roles in the $external database');
    if (builtIn(role, db) !== undefined)
      throw fail('BadValue', 'Cannot create roles with the same name as a built-in role');
    const made = { role, db, privileges: merged(readPrivileges(privileges)), roles: roles.read(parts, db) };
    roles.add(checked(made));
    return [];
  },
});

const updateRole = command({
  name: 'updateRole',
  schema: { privileges: array(), roles: array(), authenticationRestrictions: array() },
  writeConcern: true,
  help: 'Changes the given fields of a role.',
  run: (call, { privileges, roles: parts, authenticationRestrictions }): Fields => {
    const { roles } = call.server.auth;
    const known = knownIn(call);
    if (privileges === undefined && parts === undefined && authenticationRestrictions === undefined)
      throw fail('BadValue', 'Must specify at least one field to update in updateRole');
    checkRestrictions(authenticationRestrictions);
    const changed = {
      ...known,
      ...(privileges === undefined ? {} : { privileges: merged(readPrivileges(privileges)) }),
      ...(parts === undefined ? {} : { roles: roles.read(parts, call.db) }),
    };
    roles.replace(checked(changed));
    return [];
  },
});

/** Removes roles, and revokes them from all users. */
const forget = (auth: Auth, gone: readonly Role[]): void => {
  for (const role of gone) auth.roles.remove(role);
  for (const user of auth.users.all()) {
    const roles = lessened(user.roles, gone);
    if (roles.length < user.roles.length) auth.users.replace({ ...user, roles });
  }
};

const dropRole = command({
  name: 'dropRole',
  writeConcern: true,
  help: 'Removes a role.',
  run: call => {
    forget(call.server.auth, [knownIn(call)]);
    return [];
  },
});

const dropAllRolesFromDatabase = command({
  name: 'dropAllRolesFromDatabase',
  writeConcern: true,
  help: 'Removes all user-defined roles of a database.',
  run: ({ server: { auth }, db }) => {
    const gone = auth.roles.own().filter(role => role.db === db);
    forget(auth, gone);
    return [['n', gone.length]];
  },
});

const changing = (
  name: string,
  help: string,
  field: 'roles' | 'privileges',
  change: (known: OwnRole, given: readonly Value[], roles: Roles) => OwnRole,
): Command =>
  command({
    name,
    schema: { roles: array(), privileges: array() },
    writeConcern: true,
    help,
    run: (call, args): Fields => {
      const { roles } = call.server.auth;
      const given = args[field];
      if (given === undefined)
        throw fail('IDLFailedToParse', `BSON field '${name}.${field}' is missing but a required field`);
      roles.replace(change(knownIn(call), given, roles));
      return [];
    },
  });

const grantRolesToRole = changing(
  'grantRolesToRole',
  'Lets a role inherit from other roles.',
  'roles',
  (known, given, roles) => checked({ ...known, roles: joined(known.roles, roles.read(given, known.db)) }),
);

const revokeRolesFromRole = changing(
  'revokeRolesFromRole',
  'Stops a role from inheriting from other roles.',
  'roles',
  (known, given) => ({
    ...known,
    roles: lessened(known.roles, readRoleNames(given, known.db)),
  }),
);

const grantPrivilegesToRole = changing(
  'grantPrivilegesToRole',
  'Adds privileges to a role.',
  'privileges',
  (known, given) => checked({ ...known, privileges: merged([...known.privileges, ...readPrivileges(given)]) }),
);

const revokePrivilegesFromRole = changing(
  'revokePrivilegesFromRole',
  'Removes privileges from a role.',
  'privileges',
  (known, given) => ({ ...known, privileges: without(known.privileges, readPrivileges(given)) }),
);

const roleInfo = ({ roles }: Auth, role: Role, showPrivileges: boolean): Doc => {
  const own = roles.own().find(one => roleKey(one) === roleKey(role));
  const parts = own?.roles ?? [];
  const entries: Entry[] = [
    ...(own === undefined ? [] : [['_id', roleKey(role)] as const]),
    ['role', role.role],
    ['db', role.db],
  ];
  if (showPrivileges) entries.push(['privileges', privilegeDocs(own?.privileges ?? builtIn(role.role, role.db) ?? [])]);
  entries.push(['roles', roleDocs(parts)], ['inheritedRoles', roleDocs(roles.closure(parts))]);
  if (showPrivileges) entries.push(['inheritedPrivileges', privilegeDocs(roles.privileges([role]))]);
  entries.push(['isBuiltin', own === undefined]);
  return Doc.of(entries);
};

const requestedRoles = ({ target, db, server: { auth } }: Call, showBuiltin: boolean): readonly Role[] => {
  if (!isNumber(target)) {
    const all = readRoleNames(isArray(target) ? target : [target], db);
    return all.filter(role => auth.roles.has(role));
  }
  const own = auth.roles.own().filter(role => role.db === db);
  return showBuiltin ? [...own, ...builtInNames(db).map(role => ({ role, db }))] : own;
};

/** Returns the roles in the form of a user who has them: `showPrivileges: 'asUserFragment'`. */
const userFragment = (call: Call): Doc => {
  const { roles } = call.server.auth;
  const requested = requestedRoles(call, false);
  return Doc.of([
    ['roles', roleDocs(requested)],
    ['inheritedRoles', roleDocs(roles.closure(requested))],
    ['inheritedPrivileges', privilegeDocs(roles.privileges(requested))],
  ]);
};

const rolesInfo = command({
  name: 'rolesInfo',
  schema: { showPrivileges: any(), showBuiltinRoles: bool(), showAuthenticationRestrictions: bool() },
  help: 'Returns information about roles.',
  run: (call, { showPrivileges, showBuiltinRoles }) => {
    if (isDoc(call.target) && !call.target.has('role'))
      throw fail('BadValue', 'RoleName must either be a string or an object with fields "role" and "db"');
    if (showPrivileges === 'asUserFragment') {
      if (isNumber(call.target)) throw fail('IllegalOperation', 'Cannot get user fragment for all roles in a database');
      return [['userFragment', userFragment(call)]];
    }
    const shows = showPrivileges === true || showPrivileges === 1;
    const docs = requestedRoles(call, showBuiltinRoles === true).map(role => roleInfo(call.server.auth, role, shows));
    return [['roles', docs]];
  },
});

const invalidateUserCache = command({
  name: 'invalidateUserCache',
  adminOnly: true,
  lenient: true,
  help: 'Does nothing, because this server does not cache users.',
  run: () => [],
});

export const roleCommands: readonly Command[] = [
  ...[createRole, updateRole, dropRole, dropAllRolesFromDatabase, grantRolesToRole, revokeRolesFromRole],
  ...[grantPrivilegesToRole, revokePrivilegesFromRole, rolesInfo, invalidateUserCache],
];
