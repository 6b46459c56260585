import type { Doc } from '@tessera/mql/engine';
import { fail, isAtLeast, isDoc, showDoc } from '@tessera/mql/engine';
import type { Call, ClientState, ServerState } from '../commands/command.js';
import type { Action } from './actions.js';
import type { Need, Request } from './need.js';
import { internal, needsOf } from './needs.js';
import type { Privilege } from './privilege.js';
import { allows, anything, cluster } from './privilege.js';

/** Commands that a client may run without authentication, as in mongod. */
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

/** A request on a connection, before the server decides whether the client may run it. */
export interface AccessRequest extends Omit<Request, 'asking' | 'roles'> {
  readonly command: string;
}

const meets = (privileges: readonly Privilege[], { anyOf, on, or, ofReadersOf }: Need): boolean =>
  anyOf.some(action => allows(privileges, action, on)) ||
  (ofReadersOf !== undefined && !allows(privileges, 'find', ofReadersOf)) ||
  or?.every(each => meets(privileges, each)) === true;

/** Checks that a client may run a command on a server that requires authentication. @throws CommandError 13 */
export const checkAccess = (
  { command, db, body, named }: AccessRequest,
  { auth, engine }: ServerState,
  { login }: ClientState,
): void => {
  if (open.has(command)) return;
  const present = login.present(auth);
  if (present.users.length === 0) {
    // While there are no users, any client may create the first one. Rule: "Localhost Exception".
    if (command === 'createUser' && db === 'admin' && auth.users.size === 0) return;
    const word = isAtLeast(engine.version, '7.0') ? 'Command' : 'command';
    throw fail('Unauthorized', `${word} ${command} requires authentication`);
  }
  const { names, roles, privileges } = present;
  const needs = needsOf(command, { db, body, asking: names, roles, named }) ?? internal;
  if (needs.every(each => meets(privileges, each))) return;
  throw notAuthorized(db, body);
};

/**
 * Returns a predicate for the databases that `listDatabases` lists for the client. Rule: the command `listDatabases`.
 * @param authorizedOnly false: all databases, or an error if the client may not list all; undefined: all if the client
 * may list all, else the databases that it may read
 * @throws CommandError 13
 */
export const visibleDatabases = (
  { server: { auth }, client: { login }, db, body }: Call,
  authorizedOnly: boolean | undefined,
): ((name: string) => boolean) => {
  if (!auth.required) return () => true;
  const { privileges } = login.present(auth);
  const seesAll = allows(privileges, 'listDatabases', cluster);
  if (seesAll && authorizedOnly !== true) return () => true;
  if (authorizedOnly === false) throw notAuthorized(db, body);
  return name => allows(privileges, 'find', { kind: 'within', db: name });
};

/** Returns a predicate for the collections of the command's database on which the client may perform any action. */
export const accessibleCollections = ({
  server: { auth },
  client: { login },
  db,
}: Call): ((name: string) => boolean) => {
  if (!auth.required) return () => true;
  const { privileges } = login.present(auth);
  return name => allows(privileges, anything, { kind: 'collection', db, collection: name });
};

/** Checks that a client may perform an action on the cluster. @throws CommandError 13 */
export const checkCluster = (
  { server: { auth }, client: { login }, db, body }: Pick<Call, 'server' | 'client' | 'db' | 'body'>,
  action: Action,
): void => {
  if (!auth.required || allows(login.present(auth).privileges, action, cluster)) return;
  throw notAuthorized(db, body);
};
