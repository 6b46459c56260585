import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { Binary } from 'bson';
import type { Document } from 'bson';
import { documentOf } from '../judge.js';
import { frameOfCommand } from '../message.js';
import type { WireClient } from '../wire-client.js';

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const salted = new Map<string, Buffer>();

const saltedPassword = (password: string, salt: string, rounds: number): Buffer => {
  const key = `${password} ${salt} ${rounds}`;
  const known = salted.get(key) ?? pbkdf2Sync(password, Buffer.from(salt, 'base64'), rounds, 32, 'sha256');
  salted.set(key, known);
  return known;
};

/** Returns the first message of SCRAM without its header. */
export const clientFirst = (name: string, nonce = 'clientnonce'): string => `n=${name},r=${nonce}`;

/** Returns the last message of SCRAM that answers the server's first one. */
export const clientFinal = (first: string, serverFirst: string, password: string): string => {
  const [, nonce = '', salt = '', rounds = '1'] = /^r=(.*),s=(.*),i=(\d+)/.exec(serverFirst) ?? [];
  const bare = `c=biws,r=${nonce}`;
  const client = hmac(saltedPassword(password, salt, Number(rounds)), 'Client Key');
  const stored = createHash('sha256').update(client).digest();
  const signature = hmac(stored, `${first},${serverFirst},${bare}`);
  return `${bare},p=${Buffer.from(client.map((byte, at) => byte ^ signature[at]!)).toString('base64')}`;
};

/** Returns the payload of a reply to saslStart. */
export const payloadOf = (reply: Document): string => {
  const payload = reply['payload'] as Binary | undefined;
  return payload === undefined ? '' : Buffer.from(payload.buffer.subarray(0, payload.position)).toString();
};

/**
 * Logs in with SCRAM-SHA-256. The password is the name.
 * @throws Error if the server does not accept it
 */
export const login = async (client: WireClient, name: string): Promise<void> => {
  const ask = async (command: Document): Promise<Document> => {
    const reply = await client.ask(frameOfCommand(command, 'admin'));
    if (reply === undefined) throw new Error(`The server did not answer the login of ${name}.`);
    return documentOf(reply);
  };
  const first = clientFirst(name);
  const started = await ask({
    saslStart: 1,
    mechanism: 'SCRAM-SHA-256',
    payload: new Binary(Buffer.from(`n,,${first}`)),
    options: { skipEmptyExchange: true },
  });
  const payload = new Binary(Buffer.from(clientFinal(first, payloadOf(started), name)));
  const done = await ask({ saslContinue: 1, conversationId: 1, payload });
  if (done['done'] !== true) throw new Error(`The login of ${name} failed: ${JSON.stringify(done)}`);
};
