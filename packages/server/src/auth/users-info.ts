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
  const { showPrivileges, showAuthenticationRestrictions } = infoOptions;
  if (showPrivileges || showAuthenticationRestrictions) entries.push(...inherited(auth, user));
  if (showAuthenticationRestrictions) entries.push(['authenticationRestrictions', user.restrictions]);
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
    const showAuthenticationRestrictions = args.showAuthenticationRestrictions === true;
    if ((showPrivileges || showAuthenticationRestrictions) && typeof requested === 'string')
      throw fail('IllegalOperation', 'Privilege or restriction details require exact-match usersInfo queries');
    const infoOptions = { showCustomData, showCredentials, showPrivileges, showAuthenticationRestrictions };
    const matcher = parseQuery(filter ?? Doc.EMPTY);
    const users = await Promise.all(
      auth.users
        .all()
        .filter(isAmong(requested, db))
        .sort((a, b) => (`${a.user}\0${a.db}` < `${b.user}\0${b.db}` ? -1 : 1))
        .map(user => userInfo(auth, user, infoOptions)),
    );
    return [['users', users.filter(doc => matcher.matches(doc))]];
  },
});
