import type { Entry } from '@tessera/mql/engine';
import { Doc, toHex } from '@tessera/mql/engine';
import type { Call, Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, integer, object, required, string } from '../commands/schema.js';
import { privilegeDocs } from './privilege.js';
import { roleDocs } from './roles.js';
import { mechanismsOf } from './user.js';

const saslStart = command({
  name: 'saslStart',
  schema: {
    mechanism: required(string()),
    payload: required(any()),
    autoAuthorize: any(),
    options: object(),
    db: any(),
  },
  stable: true,
  help: 'Starts a SASL authentication.',
  run: ({ server, client, db, body }) => client.login.start(server.auth, db, body),
});

const saslContinue = command({
  name: 'saslContinue',
  schema: { conversationId: required(integer()), payload: required(any()) },
  stable: true,
  help: 'Continues a SASL authentication.',
  run: ({ client }, { conversationId, payload }) => client.login.continue(conversationId, payload),
});

const authenticate = command({
  name: 'authenticate',
  lenient: true,
  stable: true,
  help: 'Authenticates with the certificate of the connection.',
  run: ({ server, client, db, body }) => client.login.authenticate(server.auth, db, body, client.peer.subject),
});

const logout = command({
  name: 'logout',
  lenient: true,
  help: 'Logs out the user of a database on this connection.',
  run: ({ client, db }) => {
    client.login.leave(db);
    return [];
  },
});

/** The command of a removed mechanism. Drivers must still redact it in their events. */
const getnonce = command({
  name: 'getnonce',
  until: '6.2',
  lenient: true,
  help: 'Returns a random number for a removed authentication mechanism.',
  run: ({ engine }) => [['nonce', toHex(engine.random.bytes(8))]],
});

export const saslCommands: readonly Command[] = [saslStart, saslContinue, authenticate, logout, getnonce];

/** Returns hello's list of the mechanisms of an existing user, `db.name`. */
export const supportedMechanisms = ({ server: { auth } }: Call, name: string): readonly Entry[] => {
  const dot = name.indexOf('.');
  const user = auth.users.get(name.slice(0, dot), name.slice(dot + 1));
  return user === undefined ? [] : [['saslSupportedMechs', mechanismsOf(user)]];
};

/**
 * Returns hello's reply to a speculative saslStart or authenticate, or nothing if it fails. Rule: MongoDB Handshake,
 * "Speculative Authentication".
 */
export const speculate = async ({ server, client }: Call, start: Doc): Promise<readonly Entry[]> => {
  const name = start.entries()[0]?.[0];
  // Some drivers send no database for the command `authenticate`, as mongod allows.
  const db = start.get('db') ?? (name === 'authenticate' ? '$external' : undefined);
  if ((name !== 'saslStart' && name !== 'authenticate') || typeof db !== 'string') return [];
  const { login, peer } = client;
  try {
    const fields =
      name === 'saslStart'
        ? await login.start(server.auth, db, start)
        : login.authenticate(server.auth, db, start, peer.subject);
    return [['speculativeAuthenticate', Doc.of(fields)]];
  } catch {
    return [];
  }
};

/** Returns the authentication fields of a connectionStatus reply. */
export const authInfo = ({ client: { login }, server: { auth } }: Call, withPrivileges: boolean): readonly Entry[] => {
  const { users, privileges } = login.present(auth);
  return [
    [
      'authenticatedUsers',
      users.map(({ user, db }) =>
        Doc.of([
          ['user', user],
          ['db', db],
        ]),
      ),
    ],
    ['authenticatedUserRoles', roleDocs(auth.roles.closure(users.flatMap(({ roles }) => roles)))],
    ...(withPrivileges ? ([['authenticatedUserPrivileges', privilegeDocs(privileges)]] as const) : []),
  ];
};
