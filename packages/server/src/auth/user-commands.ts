import type { Value } from '@tessera/mql/engine';
import { detached, fail } from '@tessera/mql/engine';
import type { Call, Command, Fields } from '../commands/command.js';
import { command } from '../commands/command.js';
import { array, bool, object, required, string } from '../commands/schema.js';
import { checkRestrictions } from './restrictions.js';
import type { Role } from './roles.js';
import { readRoleNames, roleKey } from './roles.js';
import { isMechanism, makeCredential, mechanisms } from './scram.js';
import type { Mechanism, ScramCredential } from './scram.js';
import { external } from './user.js';
import type { User } from './user.js';
import { usersInfo } from './users-info.js';

/** Returns the user name in the command's first field. @throws CommandError 2 */
const nameIn = ({ target }: Call): string => {
  if (typeof target !== 'string' || target === '')
    throw fail('BadValue', "User document needs 'user' field to be a non-empty string");
  return target;
};

/** Returns the mechanisms in a list. @throws CommandError 2 */
const mechanismsIn = (given: readonly Value[] | undefined): readonly Mechanism[] => {
  if (given === undefined) return mechanisms;
  if (given.length === 0) throw fail('BadValue', 'mechanisms field must not be empty');
  return given.map(name => {
    if (typeof name !== 'string' || !isMechanism(name))
      throw fail('BadValue', `Unknown auth mechanism '${typeof name === 'string' ? name : ''}'`);
    return name;
  });
};

/** A password in a command. The client may have sent a digest of it. */
interface Secret {
  readonly pwd: string | undefined;
  readonly digestPassword: boolean | undefined;
}

type Keys = ReadonlyMap<Mechanism, ScramCredential>;

const derived = async (credentials: User['credentials']): Promise<Keys> =>
  new Map(await Promise.all([...credentials].map(async ([mechanism, derive]) => [mechanism, await derive()] as const)));

/**
 * Derives the keys before the user is stored, so that an unusable password is rejected at once.
 * @throws CommandError 2
 */
const credentialsOf = async (
  { server: { auth }, db }: Call,
  user: string,
  { pwd, digestPassword = true }: Secret,
  own: readonly Mechanism[],
): Promise<Keys> => {
  if (pwd === undefined) {
    if (db === external) return new Map();
    throw fail(
      'BadValue',
      "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
    );
  }
  if (db === external) throw fail('BadValue', "Cannot set the password for users defined on the '$external' database");
  if (pwd === '') throw fail('BadValue', 'Password cannot be empty');
  if (!digestPassword && own.includes('SCRAM-SHA-256'))
    throw fail('BadValue', 'Use of SCRAM-SHA-256 requires undigested passwords');
  const owner = { user, digest: digestPassword };
  return derived(new Map(own.map(mechanism => [mechanism, () => makeCredential(auth.scram, mechanism, owner, pwd)])));
};

/** Checks that a database can have users. @throws CommandError 2 */
const checkDb = (db: string): void => {
  if (db === 'local') throw fail('BadValue', 'Cannot create users in the local database');
};

const fields = {
  pwd: string(),
  customData: object(),
  authenticationRestrictions: array(),
  mechanisms: array(),
  digestPassword: bool(),
  passwordDigestor: string(),
};

const createUser = command({
  name: 'createUser',
  schema: { ...fields, roles: required(array()) },
  writeConcern: true,
  help: 'Creates a user.',
  run: async (call, args): Promise<Fields> => {
    const { pwd, digestPassword, customData, roles: given, mechanisms: own, authenticationRestrictions } = args;
    const { users, roles } = call.server.auth;
    const { db } = call;
    const user = nameIn(call);
    checkDb(db);
    checkRestrictions(authenticationRestrictions);
    const made = {
      ...{ user, db, id: call.engine.newUuid(), roles: roles.read(given, db) },
      customData: customData && detached(customData),
      restrictions: authenticationRestrictions ?? [],
    };
    if (users.get(db, user) !== undefined) throw fail(51003, `User "${user}@${db}" already exists`);
    users.add({ ...made, kept: await credentialsOf(call, user, { pwd, digestPassword }, mechanismsIn(own)) });
    return [];
  },
});

const updateUser = command({
  name: 'updateUser',
  schema: { ...fields, roles: array() },
  writeConcern: true,
  help: 'Changes the given fields of a user.',
  run: async (call, args): Promise<Fields> => {
    const { pwd, digestPassword, customData, roles: given, mechanisms: own, authenticationRestrictions } = args;
    const { users, roles } = call.server.auth;
    const { db } = call;
    const user = nameIn(call);
    const known = users.known(db, user);
    if (call.body.size === 1) throw fail('BadValue', 'Must specify at least one field to update in updateUser');
    checkRestrictions(authenticationRestrictions);
    const changed = {
      ...(given === undefined ? {} : { roles: roles.read(given, db) }),
      ...(customData === undefined ? {} : { customData: detached(customData) }),
      ...(authenticationRestrictions === undefined ? {} : { restrictions: authenticationRestrictions }),
    };
    const wanted = own === undefined ? undefined : mechanismsIn(own);
    if (pwd === undefined && wanted?.some(mechanism => !known.credentials.has(mechanism)) === true)
      throw fail('BadValue', 'mechanisms field must be a subset of previously set mechanisms');
    const kept =
      pwd !== undefined
        ? await credentialsOf(call, user, { pwd, digestPassword }, wanted ?? [...known.credentials.keys()])
        : wanted && (await derived(new Map([...known.credentials].filter(([name]) => wanted.includes(name)))));
    // Another client may have changed the other fields in the meantime.
    users.replace({ ...users.known(db, user), ...changed, ...(kept === undefined ? {} : { kept }) });
    return [];
  },
});

const dropUser = command({
  name: 'dropUser',
  writeConcern: true,
  help: 'Removes a user.',
  run: call => {
    const { users } = call.server.auth;
    users.remove(users.known(call.db, nameIn(call)));
    return [];
  },
});

const dropAllUsersFromDatabase = command({
  name: 'dropAllUsersFromDatabase',
  writeConcern: true,
  help: 'Removes all users of a database.',
  run: ({ server: { auth }, db }) => {
    const gone = auth.users.all().filter(user => user.db === db);
    for (const user of gone) auth.users.remove(user);
    return [['n', gone.length]];
  },
});

const changeRoles = (
  name: string,
  help: string,
  change: (has: readonly Role[], given: readonly Role[]) => readonly Role[],
) =>
  command({
    name,
    schema: { roles: required(array()) },
    writeConcern: true,
    help,
    run: (call, { roles: given }): Fields => {
      const { users, roles } = call.server.auth;
      const known = users.known(call.db, nameIn(call));
      const named = name.startsWith('grant') ? roles.read(given, call.db) : readRoleNames(given, call.db);
      users.replace({ ...known, roles: change(known.roles, named) });
      return [];
    },
  });

/** Returns the union of two lists of roles. */
export const joined = (has: readonly Role[], given: readonly Role[]): readonly Role[] => [
  ...new Map([...has, ...given].map(role => [roleKey(role), role])).values(),
];

export const lessened = (has: readonly Role[], given: readonly Role[]): readonly Role[] =>
  has.filter(role => !given.some(one => roleKey(one) === roleKey(role)));

const grantRolesToUser = changeRoles('grantRolesToUser', 'Grants roles to a user.', joined);
const revokeRolesFromUser = changeRoles('revokeRolesFromUser', 'Revokes roles from a user.', lessened);

export const userCommands: readonly Command[] = [
  ...[createUser, updateUser, dropUser, dropAllUsersFromDatabase],
  ...[grantRolesToUser, revokeRolesFromUser, usersInfo],
];
