/**
 * A server in the simulated world that supports MONGODB-AWS. It verifies signatures as STS does, following Amazon's
 * description.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { World } from '@tessera/sim';
import { Binary, deserialize, Long, serialize } from 'bson';
import type { Document } from 'bson';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Peer, ScriptedServer } from './scripted-server.js';

export interface AwsServer extends ScriptedServer {
  /** Secrets and session tokens by access key. */
  readonly users: Map<string, { readonly secret: string; readonly token?: string }>;
  /** The access keys that authenticated, in order. */
  readonly signed: readonly string[];
  /** Closes the connection of the next find. */
  hangUp(): void;
}

const HOST = 'sts.us-east-2.amazonaws.com';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const signatureOf = (secret: string, nonce: Buffer, date: string, token: string | undefined): string => {
  const headers = [
    ['content-length', '43'],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['host', HOST],
    ['x-amz-date', date],
    ...(token === undefined ? [] : [['x-amz-security-token', token]]),
    ['x-mongodb-gs2-cb-flag', 'n'],
    ['x-mongodb-server-nonce', nonce.toString('base64')],
  ];
  const canonical = [
    ...['POST', '/', ''],
    ...headers.map(([name, value]) => `${name}:${value}`),
    ...['', headers.map(([name]) => name).join(';'), sha256('Action=GetCallerIdentity&Version=2011-06-15')],
  ].join('\n');
  const scope = [date.slice(0, 8), 'us-east-2', 'sts', 'aws4_request'];
  const key = scope.reduce<Buffer | string>((last, part) => hmac(last, part), `AWS4${secret}`);
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n')).toString('hex');
};

const step = (payload: Document | undefined, done: boolean): Document => ({
  conversationId: 1,
  done,
  payload: new Binary(payload === undefined ? new Uint8Array(0) : serialize(payload)),
});

export const startAwsServer = async (world: World, address = 'db1:27017'): Promise<AwsServer> => {
  const users = new Map<string, { readonly secret: string; readonly token?: string }>();
  const signed: string[] = [];
  let hangsUp = false;

  const proves = (peer: Peer, { a, d, t }: Document): boolean => {
    const [, key = '', signature] = /Credential=(\w+)\/.*Signature=(\w+)$/.exec(a as string) ?? [];
    signed.push(key);
    const user = users.get(key);
    if (user === undefined || user.token !== t) return false;
    return signatureOf(user.secret, peer['nonce'] as Buffer, d as string, t as string | undefined) === signature;
  };
  const converse = (peer: Peer, payload: Binary): Document => {
    const expectedText = deserialize(payload.value());
    if (expectedText['r'] instanceof Binary) {
      peer['nonce'] = Buffer.concat([expectedText['r'].value(), randomBytes(32)]);
      return step({ s: new Binary(peer['nonce'] as Buffer), h: HOST }, false);
    }
    peer['isKnown'] = proves(peer, expectedText);
    return peer['isKnown'] === true ? step(undefined, true) : { ok: 0, code: 18, errmsg: 'Authentication failed.' };
  };

  const server = await scriptServer(world, address, (command, peer) => {
    const name = Object.keys(command)[0]!;
    if (isHello(command)) return HELLO;
    if (name.startsWith('sasl')) return converse(peer, command['payload'] as Binary);
    if (peer['isKnown'] !== true) return { ok: 0, code: 13, errmsg: `${name} requires authentication` };
    if (name !== 'find') return {};
    if (!hangsUp) return { cursor: { id: Long.ZERO, ns: 'test.c', firstBatch: [] } };
    hangsUp = false;
    return 'hang up';
  });
  return {
    received: server.received,
    close: server.close,
    users,
    signed,
    hangUp: () => {
      hangsUp = true;
    },
  };
};
