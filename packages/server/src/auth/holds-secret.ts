import type { Doc } from '@tessera/mql/engine';
import { isDoc } from '@tessera/mql/engine';

const commands: ReadonlySet<string> = new Set([
  ...['saslStart', 'saslContinue', 'authenticate'],
  ...['createUser', 'updateUser'],
]);

/** Whether a request has in it what nobody but the server may see: a password, or what is said to prove that one knows it. */
export const holdsSecret = (command: string, body: Doc): boolean => {
  if (commands.has(command) || body.has('speculativeAuthenticate')) return true;
  const explained = command === 'explain' ? body.get('explain') : undefined;
  return isDoc(explained) && commands.has(explained.keys()[0] ?? '');
};
