import type { Entry } from '@tessera/mql/engine';
import { Doc, fail, parseQuery } from '@tessera/mql/engine';
import type { Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, bool, object } from '../commands/schema.js';
import type { Auth } from './auth.js';
import { privilegeDocs } from './privilege.js';
import { roleDocs } from './roles.js';
import { credentialDoc } from './user-document.js';
import type { User } from './user.js';
import { keyOf, mechanismsOf } from './user.js';
import type { AskedUsers } from './users-asked.js';
import { askedUsers } from './users-asked.js';

/** The optional parts of a user that `usersInfo` returns. */
interface Wishes {
  readonly showCredentials: boolean;
  readonly showPrivileges: boolean;
  readonly showAuthenticationRestrictions: boolean;
  readonly showCustomData: boolean;
}

/** Returns the keys as mongod shows them to privileged clients. The password cannot be recovered from them. */
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

const isAmong = (asked: AskedUsers, ownDb: string): ((user: User) => boolean) => {
  if (asked === 'everywhere') return () => true;
  if (asked === 'database') return ({ db }) => db === ownDb;
  return ({ user, db }) => asked.some(one => one.user === user && one.db === db);
};

export const usersInfo: Command = command({
  name: 'usersInfo',
  schema: {
    ...{ showCredentials: bool(), showCustomData: bool(), showPrivileges: bool() },
    ...{ showAuthenticationRestrictions: any(), filter: object() },
  },
  help: 'Returns information about users.',
  run: async ({ server: { auth }, db, target }, args) => {
    const { filter, showCustomData = true, showCredentials = false, showPrivileges = false } = args;
    const asked = askedUsers(target, db);
    if (showPrivileges && typeof asked === 'string')
      throw fail('IllegalOperation', 'Privilege details require exact-match usersInfo queries');
    const wishes = {
      ...{ showCustomData, showCredentials, showPrivileges },
      showAuthenticationRestrictions: args.showAuthenticationRestrictions === true,
    };
    const matcher = parseQuery(filter ?? Doc.EMPTY);
    const users = await Promise.all(
      auth.users
        .all()
        .filter(isAmong(asked, db))
        .map(user => told(auth, user, wishes)),
    );
    return [['users', users.filter(doc => matcher.matches(doc))]];
  },
});
