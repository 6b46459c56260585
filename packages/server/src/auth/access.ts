import type { Doc } from '@tessera/mql/engine';
import { fail, isAtLeast, isDoc, showDoc } from '@tessera/mql/engine';
import type { Call, ClientState, ServerState } from '../commands/command.js';
import type { Action } from './actions.js';
import type { Request } from './need.js';
import { internal, needsOf } from './needs.js';
import { allows, cluster, knows, reads } from './privilege.js';

/** What anybody may ask, as mongod has it. */
const open: ReadonlySet<string> = new Set([
  ...['hello', 'isMaster', 'buildInfo', 'ping', 'connectionStatus', 'whatsmyuri', 'listCommands'],
  ...['saslStart', 'saslContinue', 'authenticate', 'logout', 'getnonce', 'endSessions'],
]);

const withoutPassword = (body: Doc): Doc => (body.has('pwd') ? body.with('pwd', 'xxx') : body);

const shownIn = (body: Doc): string => {
  const explained = body.get('explain');
  return showDoc(isDoc(explained) ? body.with('explain', withoutPassword(explained)) : withoutPassword(body));
};

const notAuthorized = (db: string, body: Doc): Error =>
  fail('Unauthorized', `not authorized on ${db} to execute command ${shownIn(body)}`);

/** What is asked of the server on a connection. */
export interface Asking extends Omit<Request, 'asking'> {
  readonly command: string;
}

/** Checks that a client may run a command of a server whose users have to log in. @throws CommandError 13 */
export const checkAccess = (
  { command, db, body, named }: Asking,
  { auth, engine }: ServerState,
  { login }: ClientState,
): void => {
  if (open.has(command)) return;
  const present = login.present(auth);
  if (present.users.length === 0) {
    // While nobody is known, whoever comes first may make the first user. Rule: "Localhost Exception".
    if (command === 'createUser' && db === 'admin' && auth.users.size === 0) return;
    const word = isAtLeast(engine.version, '7.0') ? 'Command' : 'command';
    throw fail('Unauthorized', `${word} ${command} requires authentication`);
  }
  const { names, privileges } = present;
  const needs = needsOf(command, { db, body, asking: names, named }) ?? internal;
  if (needs.every(({ anyOf, on }) => anyOf.some(action => allows(privileges, action, on)))) return;
  throw notAuthorized(db, body);
};

/**
 * Whether somebody is told of a database. Rule: the command `listDatabases`.
 * @param authorizedOnly false: all, and whoever may not see all is refused; undefined: those that may be read unless all may be seen
 * @throws CommandError 13
 */
export const seenBy = (
  { server: { auth }, client: { login }, db, body }: Call,
  authorizedOnly: boolean | undefined,
): ((name: string) => boolean) => {
  if (!auth.required) return () => true;
  const { privileges } = login.present(auth);
  const seesAll = allows(privileges, 'listDatabases', cluster);
  if (seesAll && authorizedOnly !== true) return () => true;
  if (authorizedOnly === false) throw notAuthorized(db, body);
  return name => reads(privileges, name);
};

/** Which collections of the command's database somebody may do anything with. */
export const mayTouch = ({ server: { auth }, client: { login }, db }: Call): ((name: string) => boolean) => {
  if (!auth.required) return () => true;
  const { privileges } = login.present(auth);
  return name => knows(privileges, { kind: 'collection', db, collection: name });
};

/** Checks that a client may take an action on the cluster. @throws CommandError 13 */
export const checkCluster = (
  { server: { auth }, client: { login }, db, body }: Pick<Call, 'server' | 'client' | 'db' | 'body'>,
  action: Action,
): void => {
  if (!auth.required || allows(login.present(auth).privileges, action, cluster)) return;
  throw notAuthorized(db, body);
};
