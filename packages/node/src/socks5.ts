import { isIP, isIPv4 } from 'node:net';
import type { Socket as NetSocket } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type { Address, ProxySettings } from '@tessera/contracts';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USERNAME_PASSWORD = 2;
const CONNECT = 1;
const atyp = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** Rule: RFC 1928, "Replies". */
const refusals: Readonly<Record<number, string>> = {
  1: 'it failed without a reason',
  2: 'its rules do not allow it',
  3: 'the network is unreachable',
  4: 'the host is unreachable, or its name unknown there',
  5: 'the connection was refused',
  6: 'the way there is too long',
  7: 'it does not know the command CONNECT',
  8: 'it does not know this type of address',
};

const short = (what: string, text: string): Uint8Array => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 255) throw new MongoError('usage', `The ${what} is too long for SOCKS5: 255 bytes at most.`);
  return Uint8Array.of(bytes.length, ...bytes);
};

const ipv6Bytes = (host: string): readonly number[] => {
  // A zone means nothing to another machine. The last 32 bits may be written as IPv4.
  const plain = host
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map(group => group.toString(16)).join(':'),
    );
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): readonly number[] =>
    text
      .split(':')
      .filter(Boolean)
      .map(group => parseInt(group, 16));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const zeros = new Array<number>(8 - front.length - back.length).fill(0);
  return [...front, ...zeros, ...back].flatMap(group => [group >> 8, group & 255]);
};

/** Names go to the proxy as they are: they are never resolved here. Rule: SOCKS5 Support, "Connection Establishment". */
const destination = (host: string): readonly number[] => {
  if (isIP(host.replace(/%.*$/, '')) === 0) return [atyp.name, ...short('name of the host', host)];
  return isIPv4(host) ? [atyp.ipv4, ...host.split('.').map(Number)] : [atyp.ipv6, ...ipv6Bytes(host)];
};

/** What the proxy says, so many bytes at a time; no more are taken from the socket. */
class Answers {
  readonly #socket: NetSocket;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(socket: NetSocket) {
    this.#socket = socket.on('readable', this.#look).on('end', this.#end);
  }

  async take(length: number): Promise<Uint8Array> {
    for (;;) {
      const bytes = this.#socket.read(length) as Uint8Array | null;
      if (bytes?.length === length) return bytes;
      if (this.#ended) throw new Error('it closed the connection during the SOCKS5 handshake');
      await new Promise<void>(resolve => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#socket.off('readable', this.#look).off('end', this.#end);
  }

  readonly #look = (): void => {
    this.#wake?.();
  };
  readonly #end = (): void => {
    this.#ended = true;
    this.#wake?.();
  };
}

/**
 * Asks the SOCKS5 proxy at the other end of the socket for a way to the host; afterwards the socket is that way. It waits as
 * long as it takes: the caller destroys the socket when the time is up. No more bytes are read than the answers have.
 * @throws an Error with the second half of a sentence whose first names the proxy; MongoError `usage` for a name too long.
 */
export const openTunnel = async (
  socket: NetSocket,
  { username, password }: ProxySettings,
  to: { readonly host: string; readonly port: number },
): Promise<void> => {
  const request = Uint8Array.of(VERSION, CONNECT, 0, ...destination(to.host), to.port >> 8, to.port & 255);
  const credentials =
    username === undefined || password === undefined
      ? undefined
      : Uint8Array.of(1, ...short('proxyUsername', username), ...short('proxyPassword', password));
  const answers = new Answers(socket);
  try {
    const methods = credentials === undefined ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USERNAME_PASSWORD];
    socket.write(Uint8Array.of(VERSION, methods.length, ...methods));
    await authenticate(socket, answers, credentials);
    socket.write(request);
    await accepted(answers);
  } finally {
    answers.close();
  }
};

/** Rule: RFC 1928, section 3; RFC 1929. */
const authenticate = async (socket: NetSocket, answers: Answers, credentials?: Uint8Array): Promise<void> => {
  const [version, method] = await answers.take(2);
  if (version !== VERSION) throw new Error(`it speaks no SOCKS5 (its first byte is ${version})`);
  if (method === NO_AUTHENTICATION) return;
  if (credentials === undefined)
    throw new Error('it takes nobody without authentication; give proxyUsername and proxyPassword');
  if (method !== USERNAME_PASSWORD) throw new Error('it takes neither proxyUsername and proxyPassword nor anybody');
  socket.write(credentials);
  const [, status] = await answers.take(2);
  if (status !== 0) throw new Error('it does not accept proxyUsername and proxyPassword');
};

/** Rule: RFC 1928, section 6. */
const accepted = async (answers: Answers): Promise<void> => {
  const [version, reply = 1, , type] = await answers.take(4);
  if (version !== VERSION) throw new Error(`it does not keep to SOCKS5 (a reply begins with ${version})`);
  if (reply !== 0)
    throw new Error(`it made no connection: ${refusals[reply] ?? `its reason is the unknown number ${reply}`}`);
  // Where the proxy connects from, and its port: of no interest.
  await answers.take((await boundLength(type, answers)) + 2);
};

const boundLength = async (type: number | undefined, answers: Answers): Promise<number> => {
  switch (type) {
    case atyp.ipv4:
      return 4;
    case atyp.ipv6:
      return 16;
    case atyp.name:
      return (await answers.take(1))[0] ?? 0;
    default:
      throw new Error(`it does not keep to SOCKS5 (an address of type ${type})`);
  }
};

/** What a proxy did wrong, with its own address: it is nowhere else named. */
export const proxyFailed = (to: Address, proxy: Address, cause: unknown): MongoError => {
  const origin = { phase: 'proxy', sent: false, address: to } as const;
  if (MongoError.is(cause)) return new MongoError(cause.kind, cause.message, { cause, origin });
  const message = cause instanceof Error ? cause.message : String(cause);
  return new MongoError('network', `No way to ${to} through the proxy ${proxy}: ${message}`, { cause, origin });
};
