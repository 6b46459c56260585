/**
 * A SCRAM-SHA-256 mechanism that reads the password from a vault for each new connection, so that passwords can change
 * while a
 * client is open. It supports only ASCII usernames and passwords.
 */
import type { Connection, Document, Mechanism, Millis, Raw } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

export interface Secret {
  readonly username: string;
  readonly password: string;
}

const hash = 'sha256';
const utf8 = (text: string): Raw => new TextEncoder().encode(text);
const hex = (bytes: Raw): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

const toBase64 = (bytes: Raw): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Raw => Uint8Array.from(atob(text), character => character.charCodeAt(0));

/**
 * Returns the payload as text. The payload is a Binary of the codec with its bytes in `buffer`. Empty if there is none.
 */
const textOf = ({ payload }: Document): string => {
  const { buffer, position } = (payload ?? {}) as { readonly buffer?: Uint8Array; readonly position?: number };
  return String.fromCharCode(...(buffer ?? []).slice(0, position));
};

/** Parses `r=…,s=…,i=…` into values by letter. */
const attributesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split(',').map(part => [part.slice(0, 1), part.slice(2)]));

/** Sends a command. @throws MongoError `auth` if the server rejects the user */
const ask = async (connection: Connection, db: string, command: Document, deadline: Millis): Promise<Document> => {
  try {
    return await connection.command(db, command, deadline);
  } catch (error) {
    if (!MongoError.is(error) || error.kind !== 'server' || error.code !== 18) throw error;
    const { code, codeName, origin } = error;
    throw new MongoError('auth', `${connection.address} rejected the user of the vault.`, { code, codeName, origin });
  }
};

export const fromVault =
  (read: () => Promise<Secret>): Mechanism =>
  ({ bson, crypto, random }, { source }) => ({
    mechanism: 'vault',
    begin: async () => {
      const { username, password } = await read();
      const nonce = toBase64(random.bytes(24));
      const bare = `n=${username},r=${nonce}`;
      const binary = (text: string): unknown => new bson.values.Binary(utf8(text));
      return {
        async finish(connection, _answer, deadline) {
          const mechanism = 'SCRAM-SHA-256';
          const start = {
            saslStart: 1,
            mechanism,
            payload: binary(`n,,${bare}`),
            options: { skipEmptyExchange: true },
          };
          const first = await ask(connection, source, start, deadline);
          const serverFirst = textOf(first);
          const { r = '', s = '', i = '' } = attributesOf(serverFirst);
          const refuse = (why: string): never => {
            throw new MongoError('protocol', `${connection.address} violates ${mechanism}: ${why}`);
          };
          if (!r.startsWith(nonce) || !(Number(i) >= 4096))
            refuse('The nonce differs, or the iteration count is too low.');
          const salted = await crypto.pbkdf2(hash, utf8(password), fromBase64(s), Number(i), 32);
          const client = crypto.hmac(hash, salted, utf8('Client Key'));
          const signed = utf8(`${bare},${serverFirst},c=biws,r=${r}`);
          const signature = crypto.hmac(hash, crypto.hash(hash, client), signed);
          const proof = toBase64(client.map((byte, at) => byte ^ signature[at]!));
          const { conversationId } = first;
          const next = { saslContinue: 1, conversationId, payload: binary(`c=biws,r=${r},p=${proof}`) };
          const { v = '' } = attributesOf(textOf(await ask(connection, source, next, deadline)));
          const expected = crypto.hmac(hash, crypto.hmac(hash, salted, utf8('Server Key')), signed);
          if (hex(fromBase64(v)) !== hex(expected)) refuse('The server signature is wrong.');
        },
      };
    },
  });
