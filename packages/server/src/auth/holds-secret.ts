/** Commands whose arguments nobody but the server may see. */
export const holdsSecret: ReadonlySet<string> = new Set([
  ...['saslStart', 'saslContinue', 'authenticate'],
  ...['createUser', 'updateUser'],
]);
