import { MongoError, whenLoaded } from '@tessera/contracts';
import type { Crypto, Host, Raw } from '@tessera/contracts';
import { utf8 } from './utf8.js';

const hexOf = (bytes: Raw): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** Whether SASLprep leaves the text unchanged. The check avoids loading the tables for most passwords. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Prepares a password. Rule: RFC 4013. @throws MongoError `usage` for forbidden characters */
const prepare = async (password: string, host: Host | undefined): Promise<string> => {
  if (isPlain(password)) return password;
  const { saslprep } = await whenLoaded(host, import('./saslprep.js'));
  const prepared = saslprep(password);
  // The message does not contain the password.
  if (prepared === undefined)
    throw new MongoError(
      'usage',
      'The password contains a character that SASLprep (RFC 4013) forbids. Change the password.',
    );
  return prepared;
};

/** Returns the input of the key derivation. Rule: Authentication, "SCRAM-SHA-1", "SCRAM-SHA-256". */
export const scramSecret = async (
  { crypto, host }: { readonly crypto: Crypto; readonly host?: Host | undefined },
  mechanism: 'SCRAM-SHA-1' | 'SCRAM-SHA-256',
  username: string,
  password: string,
): Promise<Raw> =>
  utf8(
    mechanism === 'SCRAM-SHA-1'
      ? hexOf(crypto.hash('md5', utf8(`${username}:mongo:${password}`)))
      : await prepare(password, host),
  );
