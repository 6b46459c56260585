import { fail } from '@tessera/mql/engine';

/**
 * Returns the password prepared with SASLprep. Loads the tables only if the password has other characters than
 * printable ASCII.
 * @throws CommandError 2
 */
export const prepared = async (password: string): Promise<string> => {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  const { saslprep } = await import('@mongodb-js/saslprep');
  try {
    return saslprep(password);
  } catch {
    throw fail('BadValue', 'Error preparing password: it contains a character that SASLprep forbids');
  }
};
