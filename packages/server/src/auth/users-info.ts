import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc, isNumber, parseQuery } from '@tessera/mql/engine';
import type { Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, bool, object } from '../commands/schema.js';
import type { Auth } from './auth.js';
import { privilegeDocs } from './privilege.js';
import { roleDocs } from './roles.js';
import { credentialDoc } from './user-document.js';
import type { User } from './user.js';
import { keyOf, mechanismsOf } from './user.js';

/** What of a user is told beside who it is. */
interface Wishes {
  readonly showCredentials: boolean;
  readonly showPrivileges: boolean;
  readonly showAuthenticationRestrictions: boolean;
  readonly showCustomData: boolean;
}

/** The keys as mongod shows them to whoever may see them; the password is not known. */
const credentialDocs = async ({ credentials }: User): Promise<Doc> =>
  Doc.of(
    await Promise.all(
      [...credentials].map(async ([mechanism, derive]): Promise<Entry> => [mechanism, credentialDoc(await derive())]),
    ),
  );

const inherited = ({ roles }: Auth, user: User): readonly Entry[] => [
  ['inheritedRoles', roleDocs(roles.closure(user.roles))],
  ['inheritedPrivileges', privilegeDocs(roles.privileges(user.roles))],
  ['inheritedAuthenticationRestrictions', []],
];

const told = async (auth: Auth, user: User, wishes: Wishes): Promise<Doc> => {
  const entries: Entry[] = [
    ['_id', keyOf(user)],
    ['userId', user.id],
    ['user', user.user],
    ['db', user.db],
  ];
  if (wishes.showCredentials && user.credentials.size > 0) entries.push(['credentials', await credentialDocs(user)]);
  if (wishes.showCustomData && user.customData !== undefined) entries.push(['customData', user.customData]);
  entries.push(['roles', roleDocs(user.roles)], ['mechanisms', mechanismsOf(user)]);
  if (wishes.showPrivileges) entries.push(...inherited(auth, user));
  if (wishes.showAuthenticationRestrictions || wishes.showPrivileges)
    entries.push(['authenticationRestrictions', user.restrictions]);
  return Doc.of(entries);
};

/** @throws CommandError 2 */
const isAsked = (value: Value, ownDb: string): ((user: User) => boolean) => {
  if (isNumber(value)) return ({ db }) => db === ownDb;
  if (isArray(value)) {
    const tests = value.map(one => isAsked(one, ownDb));
    return user => tests.some(test => test(user));
  }
  if (isDoc(value) && value.get('forAllDBs') === true) return () => true;
  const name = isDoc(value) ? value.get('user') : value;
  const where = isDoc(value) ? value.get('db') : ownDb;
  if (typeof name !== 'string' || typeof where !== 'string')
    throw fail('BadValue', 'UserName must either be a string or an object with fields "user" and "db"');
  return ({ user, db }) => user === name && db === where;
};

export const usersInfo: Command = command({
  name: 'usersInfo',
  schema: {
    ...{ showCredentials: bool(), showCustomData: bool(), showPrivileges: bool() },
    ...{ showAuthenticationRestrictions: any(), filter: object() },
  },
  help: 'Tells of users.',
  run: async ({ server: { auth }, db, target }, args) => {
    const { filter, showCustomData = true, showCredentials = false, showPrivileges = false } = args;
    const test = isAsked(target, db);
    if (showPrivileges && (isNumber(target) || (isDoc(target) && target.has('forAllDBs'))))
      throw fail('IllegalOperation', 'Privilege details require exact-match usersInfo queries');
    const wishes = {
      ...{ showCustomData, showCredentials, showPrivileges },
      showAuthenticationRestrictions: args.showAuthenticationRestrictions === true,
    };
    const matcher = parseQuery(filter ?? Doc.EMPTY);
    const users = await Promise.all(
      auth.users
        .all()
        .filter(test)
        .map(user => told(auth, user, wishes)),
    );
    return [['users', users.filter(doc => matcher.matches(doc))]];
  },
});
