import type { Doc } from '@tessera/mql/engine';
import { isDoc } from '@tessera/mql/engine';

const commands: ReadonlySet<string> = new Set([
  ...['saslStart', 'saslContinue', 'authenticate'],
  ...['createUser', 'updateUser'],
]);

/** Whether a request contains a secret that must not be logged: a password, or a proof that the client has one. */
export const holdsSecret = (command: string, body: Doc): boolean => {
  if (commands.has(command) || body.has('speculativeAuthenticate')) return true;
  const explained = command === 'explain' ? body.get('explain') : undefined;
  return isDoc(explained) && commands.has(explained.keys()[0] ?? '');
};
