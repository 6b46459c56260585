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
import type { RequestedUsers } from './requested-users.js';
import { requestedUsers } from './requested-users.js';

/** The optional parts of a user that `usersInfo` returns. */
interface InfoOptions {
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

const userInfo = async (auth: Auth, user: User, infoOptions: InfoOptions): Promise<Doc> => {
  const entries: Entry[] = [
    ['_id', keyOf(user)],
    ['userId', user.id],
    ['user', user.user],
    ['db', user.db],
  ];
  if (infoOptions.showCredentials && user.credentials.size > 0)
    entries.push(['credentials', await credentialDocs(user)]);
  if (infoOptions.showCustomData && user.customData !== undefined) entries.push(['customData', user.customData]);
  entries.push(['roles', roleDocs(user.roles)], ['mechanisms', mechanismsOf(user)]);
  if (infoOptions.showPrivileges) entries.push(...inherited(auth, user));
  if (infoOptions.showAuthenticationRestrictions || infoOptions.showPrivileges)
    entries.push(['authenticationRestrictions', user.restrictions]);
  return Doc.of(entries);
};

const isAmong = (requested: RequestedUsers, ownDb: string): ((user: User) => boolean) => {
  if (requested === 'everywhere') return () => true;
  if (requested === 'database') return ({ db }) => db === ownDb;
  return ({ user, db }) => requested.some(one => one.user === user && one.db === db);
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
    const requested = requestedUsers(target, db);
    if (showPrivileges && typeof requested === 'string')
      throw fail('IllegalOperation', 'Privilege details require exact-match usersInfo queries');
    const infoOptions = {
      ...{ showCustomData, showCredentials, showPrivileges },
      showAuthenticationRestrictions: args.showAuthenticationRestrictions === true,
    };
    const matcher = parseQuery(filter ?? Doc.EMPTY);
    const users = await Promise.all(
      auth.users
        .all()
        .filter(isAmong(requested, db))
        .map(user => userInfo(auth, user, infoOptions)),
    );
    return [['users', users.filter(doc => matcher.matches(doc))]];
  },
});
