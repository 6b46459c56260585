import { MongoError } from '@tessera/contracts';
import type { Crypto, Raw } from '@tessera/contracts';
import { utf8 } from './utf8.js';

const hexOf = (bytes: Raw): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** Whether SASLprep would leave the text unchanged. Its tables (a megabyte) are loaded only for other passwords. */
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Prepares a password. Rule: RFC 4013. @throws MongoError `usage` for forbidden characters */
const prepare = async (password: string): Promise<string> => {
  if (isPlain(password)) return password;
  const { saslprep } = await import('@mongodb-js/saslprep');
  try {
    return saslprep(password);
  } catch {
    // The original error might contain the password.
    throw new MongoError(
      'usage',
      'The password contains a character that SASLprep (RFC 4013) forbids. Change the password.',
    );
  }
};

/** Returns the input of the key derivation. Rule: Authentication, "SCRAM-SHA-1", "SCRAM-SHA-256". */
export const scramSecret = async (
  crypto: Crypto,
  mechanism: 'SCRAM-SHA-1' | 'SCRAM-SHA-256',
  username: string,
  password: string,
): Promise<Raw> =>
  utf8(
    mechanism === 'SCRAM-SHA-1'
      ? hexOf(crypto.hash('md5', utf8(`${username}:mongo:${password}`)))
      : await prepare(password),
  );
