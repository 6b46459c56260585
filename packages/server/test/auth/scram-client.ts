/** The client side of SCRAM, written from RFC 5802 with Node.js crypto. It shares no code with the server. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Binary } from 'bson';
import type { Client, Reply } from '../client.js';

export interface LoginOptions {
  readonly mechanism?: 'SCRAM-SHA-1' | 'SCRAM-SHA-256';
  readonly db?: string;
  readonly skipEmptyExchange?: boolean;
}

const text = (reply: Reply): string => Buffer.from((reply['payload'] as Binary).value()).toString('utf8');

export const clientFirst = (
  user: string,
  nonce = randomBytes(18).toString('base64'),
): { bare: string; nonce: string } => ({
  bare: `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`,
  nonce,
});

/** Returns the client-final message, and the server signature to expect. */
export const clientFinal = (
  user: string,
  password: string,
  bare: string,
  serverFirst: string,
  mechanism: string,
): { payload: Binary; expected: string } => {
  const hash = mechanism === 'SCRAM-SHA-1' ? 'sha1' : 'sha256';
  const [nonce, salt, count] = serverFirst.split(',').map(part => part.slice(2));
  const secret =
    hash === 'sha1' ? createHash('md5').update(`${user}:mongo:${password}`).digest('hex') : password.normalize('NFKC');
  const size = hash === 'sha1' ? 20 : 32;
  const salted = pbkdf2Sync(secret, Buffer.from(salt!, 'base64'), Number(count), size, hash);
  const hmac = (key: Buffer, data: string): Buffer => createHmac(hash, key).update(data).digest();
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${nonce}`;
  const signed = `${bare},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash(hash).update(clientKey).digest(), signed);
  const proof = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!));
  return {
    payload: new Binary(Buffer.from(`${withoutProof},p=${proof.toString('base64')}`)),
    expected: `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`,
  };
};

/**
 * Runs a SCRAM conversation and returns every reply, up to the first error. Throws if the server's signature is wrong.
 */
export const logIn = async (
  client: Client,
  user: string,
  password: string,
  { mechanism = 'SCRAM-SHA-256', db = 'admin', skipEmptyExchange = true }: LoginOptions = {},
): Promise<Reply[]> => {
  const { bare } = clientFirst(user);
  const start = { saslStart: 1, mechanism, payload: new Binary(Buffer.from(`n,,${bare}`)), autoAuthorize: 1 };
  const first = await client.plain({ ...start, options: { skipEmptyExchange } }, db);
  if (first.ok !== 1) return [first];
  const { payload, expected } = clientFinal(user, password, bare, text(first), mechanism);
  const next = { saslContinue: 1, conversationId: first['conversationId'] };
  const second = await client.plain({ ...next, payload }, db);
  if (second.ok !== 1) return [first, second];
  if (text(second) !== expected) throw new Error('The server signature is wrong.');
  if (second['done'] === true) return [first, second];
  return [first, second, await client.plain({ ...next, payload: new Binary(new Uint8Array(0)) }, db)];
};
