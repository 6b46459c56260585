/** A server in the simulated world that supports MONGODB-OIDC, with the fail points of the prose tests. */
import type { World } from '@tessera/sim';
import { Binary, deserialize, Long, serialize } from 'bson';
import type { Document } from 'bson';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Peer, ScriptedServer } from './scripted-server.js';

export interface OidcServer extends ScriptedServer {
  /** The tokens that the server accepts. */
  readonly valid: Set<string>;
  /** Makes the next `times` of these commands fail with the given code, or lose their connection. */
  failNext(commands: readonly string[], how: number | 'hang up', times?: number): void;
  /** Returns how often the server received the command. */
  count(name: string): number;
}

/**
 * Identity provider information by principal. Without a principal name there is a single provider; with several, the
 * name selects one.
 */
export type Providers = Readonly<Record<string, Document>>;

export const PEOPLE: Document = { issuer: 'https://issuer', clientId: 'abcd', requestScopes: ['fizz', 'buzz'] };

const refusal = (code: number, errmsg: string): Document => ({ ok: 0, code, errmsg });
const refused = refusal(18, 'Authentication failed.');
const step = (payload: Document | undefined, done: boolean): Document => ({
  conversationId: 1,
  done,
  payload: new Binary(payload === undefined ? new Uint8Array(0) : serialize(payload)),
});

export const startOidcServer = async (
  world: World,
  providers: Providers = { '': PEOPLE },
  address = 'localhost:27017',
): Promise<OidcServer> => {
  const valid = new Set<string>();
  let fail: { commands: readonly string[]; how: number | 'hang up'; times: number } | undefined;

  const login = (peer: Peer, token: unknown): boolean => {
    peer['isKnown'] = valid.has(token as string);
    return peer['isKnown'] as boolean;
  };
  const converse = (peer: Peer, payload: Binary): Document => {
    const expectedText = deserialize(payload.value());
    if ('jwt' in expectedText) return login(peer, expectedText['jwt']) ? step(undefined, true) : refused;
    const names = Object.keys(providers);
    const info = providers[(expectedText['n'] as string | undefined) ?? (names.length === 1 ? names[0]! : 'nobody')];
    return info === undefined ? refused : step(info, false);
  };
  const greet = (peer: Peer, { speculativeAuthenticate: first }: Document): Document => {
    const answer = first === undefined ? refused : converse(peer, (first as Document)['payload'] as Binary);
    return answer === refused ? HELLO : { ...HELLO, speculativeAuthenticate: answer };
  };

  const server = await scriptServer(world, address, (command, peer) => {
    const name = Object.keys(command)[0]!;
    if (fail?.commands.includes(name) === true && fail.times > 0) {
      fail.times -= 1;
      return fail.how === 'hang up' ? 'hang up' : refusal(fail.how, `fail point of ${name}`);
    }
    if (isHello(command)) return greet(peer, command);
    if (name.startsWith('sasl')) return converse(peer, command['payload'] as Binary);
    if (peer['isKnown'] !== true) return refusal(13, `${name} requires authentication`);
    return name === 'find' ? { cursor: { id: Long.ZERO, ns: 'test.c', firstBatch: [] } } : { n: 1 };
  });
  return {
    received: server.received,
    close: server.close,
    valid,
    failNext: (commands, how, times = 1) => {
      fail = { commands, how, times };
    },
    count: name => server.received.filter(command => Object.keys(command)[0] === name).length,
  };
};
