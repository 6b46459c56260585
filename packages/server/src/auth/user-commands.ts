import type { Call, Command, Fields } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, array, bool, object, required, string } from '../commands/schema.js';
import { fail } from '../errors.js';
import { parseQuery } from '../query/parse.js';
import { detached } from '../value/bson.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc, isNumber } from '../value/value.js';
import type { Credentials } from './auth.js';
import { readRoles, roleDocs } from './roles.js';
import { isMechanism, mechanisms } from './scram.js';
import type { Mechanism } from './scram.js';
import type { User } from './users.js';
import { external, keyOf, mechanismsOf } from './users.js';

/** The user that the command's first field names. @throws CommandError 2 */
const nameIn = ({ target }: Call): string => {
  if (typeof target !== 'string' || target === '')
    throw fail('BadValue', "User document needs 'user' field to be a non-empty string");
  return target;
};

/** @throws CommandError 2 */
const mechanismsIn = (given: readonly Value[] | undefined): readonly Mechanism[] => {
  if (given === undefined) return mechanisms;
  if (given.length === 0) throw fail('BadValue', 'mechanisms field must not be empty');
  return given.map(name => {
    if (typeof name !== 'string' || !isMechanism(name))
      throw fail('BadValue', `Unknown auth mechanism '${typeof name === 'string' ? name : ''}'`);
    return name;
  });
};

/** The keys are derived before the user is there: a password that cannot be used is refused at once. @throws CommandError 2 */
const credentialsOf = async (
  { server: { auth }, db }: Call,
  user: string,
  pwd: string | undefined,
  own: readonly Mechanism[],
): Promise<Credentials> => {
  if (pwd === undefined) {
    if (db === external) return new Map();
    throw fail(
      'BadValue',
      "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
    );
  }
  if (pwd === '') throw fail('BadValue', 'Password cannot be empty');
  const credentials = auth.credentials(user, pwd, own);
  await Promise.all([...credentials.values()].map(derive => derive()));
  return credentials;
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
  help: 'Makes a user.',
  run: async (call, { pwd, customData, roles: given, mechanisms: own }): Promise<Fields> => {
    const { users } = call.server.auth;
    const { db } = call;
    const user = nameIn(call);
    const made = {
      ...{ user, db, id: call.engine.newUuid(), roles: readRoles(given, db) },
      customData: customData && detached(customData),
    };
    if (users.get(db, user) !== undefined) throw fail(51003, `User "${user}@${db}" already exists`);
    users.add({ ...made, credentials: await credentialsOf(call, user, pwd, mechanismsIn(own)) });
    return [];
  },
});

const updateUser = command({
  name: 'updateUser',
  schema: { ...fields, roles: array() },
  writeConcern: true,
  help: 'Changes what is given of a user.',
  run: async (call, { pwd, customData, roles: given, mechanisms: own }): Promise<Fields> => {
    const { users } = call.server.auth;
    const { db } = call;
    const user = nameIn(call);
    const known = users.known(db, user);
    const changed = {
      ...(given === undefined ? {} : { roles: readRoles(given, db) }),
      ...(customData === undefined ? {} : { customData: detached(customData) }),
    };
    const kept = own === undefined ? undefined : mechanismsIn(own);
    const credentials =
      pwd === undefined
        ? new Map([...known.credentials].filter(([mechanism]) => kept?.includes(mechanism) ?? true))
        : await credentialsOf(call, user, pwd, kept ?? [...known.credentials.keys()]);
    users.replace({ ...users.known(db, user), ...changed, credentials });
    return [];
  },
});

const dropUser = command({
  name: 'dropUser',
  writeConcern: true,
  help: 'Forgets a user.',
  run: call => {
    const { users } = call.server.auth;
    users.remove(users.known(call.db, nameIn(call)));
    return [];
  },
});

const dropAllUsersFromDatabase = command({
  name: 'dropAllUsersFromDatabase',
  writeConcern: true,
  help: 'Forgets all users of a database.',
  run: ({ server: { auth }, db }) => {
    const gone = auth.users.all().filter(user => user.db === db);
    for (const user of gone) auth.users.remove(user);
    return [['n', gone.length]];
  },
});

/** A user as it is told; never the password, and its keys not either. */
const told = (user: User): Doc => {
  const entries: Entry[] = [
    ['_id', keyOf(user)],
    ['userId', user.id],
    ['user', user.user],
    ['db', user.db],
  ];
  if (user.customData !== undefined) entries.push(['customData', user.customData]);
  entries.push(['roles', roleDocs(user.roles)], ['mechanisms', mechanismsOf(user)]);
  return Doc.of(entries);
};

/** @throws CommandError 2 */
const isAsked = (value: Value, ownDb: string): ((user: User) => boolean) => {
  if (isNumber(value)) return ({ db }) => db === ownDb;
  if (isArray(value)) {
    const any = value.map(one => isAsked(one, ownDb));
    return user => any.some(test => test(user));
  }
  if (isDoc(value) && value.get('forAllDBs') === true) return () => true;
  const name = isDoc(value) ? value.get('user') : value;
  const where = isDoc(value) ? value.get('db') : ownDb;
  if (typeof name !== 'string' || typeof where !== 'string')
    throw fail('BadValue', 'UserName must either be a string or an object with fields "user" and "db"');
  return ({ user, db }) => user === name && db === where;
};

const usersInfo = command({
  name: 'usersInfo',
  schema: {
    ...{ showCredentials: bool(), showCustomData: bool(), showPrivileges: bool() },
    ...{ showAuthenticationRestrictions: any(), filter: object() },
  },
  help: 'Tells of users.',
  run: ({ server: { auth }, db, target }, { filter, showCustomData }) => {
    const test = isAsked(target, db);
    const matcher = parseQuery(filter ?? Doc.EMPTY);
    const users = auth.users
      .all()
      .filter(test)
      .map(told)
      .map(doc => (showCustomData === false ? doc.without('customData') : doc));
    return [['users', users.filter(doc => matcher.matches(doc))]];
  },
});

export const userCommands: readonly Command[] = [createUser, updateUser, dropUser, dropAllUsersFromDatabase, usersInfo];
