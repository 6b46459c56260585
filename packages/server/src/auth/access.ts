import type { ClientState, ServerState } from '../commands/command.js';
import { isAtLeast } from '../engine/version.js';
import { fail } from '../errors.js';

/** What anybody may ask, as mongod has it. */
const open: ReadonlySet<string> = new Set([
  ...['hello', 'isMaster', 'buildInfo', 'ping', 'connectionStatus', 'whatsmyuri', 'listCommands'],
  ...['saslStart', 'saslContinue', 'authenticate', 'logout', 'getnonce'],
]);

/** Roles are not looked at: whoever is logged in may do everything. @throws CommandError 13 */
export const checkAccess = (
  command: string,
  { auth, engine }: ServerState,
  { login }: ClientState,
  db: string,
): void => {
  if (!auth.required || login.users.length > 0 || open.has(command)) return;
  // While nobody is known, whoever comes first may make the first user. Rule: "Localhost Exception".
  if (command === 'createUser' && db === 'admin' && auth.users.size === 0) return;
  const word = isAtLeast(engine.version, '7.0') ? 'Command' : 'command';
  throw fail('Unauthorized', `${word} ${command} requires authentication`);
};
