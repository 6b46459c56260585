import type { Socket as NetSocket } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type { Address, ProxySettings } from '@tessera/contracts';
import { net } from './builtin.js';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USERNAME_PASSWORD = 2;
const CONNECT = 1;
const atyp = { ipv4: 1, name: 3, ipv6: 4 } as const;

/** The reasons by reply code. Rule: RFC 1928, "Replies". */
const refusals: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'its rules do not allow the connection',
  3: 'the network is unreachable',
  4: 'the host is unreachable or unknown',
  5: 'the connection was refused',
  6: 'the TTL expired',
  7: 'it does not support the command CONNECT',
  8: 'it does not support the address type',
};

const short = (what: string, text: string): Uint8Array => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 255)
    throw new MongoError('usage', `The ${what} is too long for SOCKS5: at most 255 bytes are allowed.`);
  return Uint8Array.of(bytes.length, ...bytes);
};

const ipv6Bytes = (host: string): readonly number[] => {
  // A zone is meaningless on another machine, so it is removed. The last 32 bits may be written as IPv4.
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

/**
 * Encodes the destination. Host names are sent unchanged and never resolved locally. Rule: SOCKS5 Support, "Connection
 * Establishment".
 */
const destination = (host: string): readonly number[] => {
  const { isIP, isIPv4 } = net();
  if (isIP(host.replace(/%.*$/, '')) === 0) return [atyp.name, ...short('host name', host)];
  return isIPv4(host) ? [atyp.ipv4, ...host.split('.').map(Number)] : [atyp.ipv6, ...ipv6Bytes(host)];
};

/** Reads the proxy's replies in pieces of a given size, and takes no further bytes from the socket. */
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
      if (this.#ended) throw new Error('The proxy closed the connection during the SOCKS5 handshake.');
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
 * Asks the SOCKS5 proxy at the other end of the socket to connect to the host. Afterwards the socket is connected to
 * that host. There is no time limit: the caller destroys the socket when its deadline passes. No more bytes are read
 * than the replies have.
 * @throws an Error that says what the proxy did wrong; MongoError `usage` if a name is too
 * long
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

/** Authenticates. Rule: RFC 1928, section 3; RFC 1929. */
const authenticate = async (socket: NetSocket, answers: Answers, credentials?: Uint8Array): Promise<void> => {
  const [version, method] = await answers.take(2);
  if (version !== VERSION) throw new Error(`The proxy does not support SOCKS5 (the first byte is ${version}).`);
  if (method === NO_AUTHENTICATION) return;
  if (credentials === undefined)
    throw new Error('The proxy requires authentication. Set "proxyUsername" and "proxyPassword".');
  if (method !== USERNAME_PASSWORD)
    throw new Error(
      'The proxy supports neither "proxyUsername" and "proxyPassword" nor connections without authentication.',
    );
  socket.write(credentials);
  const [, status] = await answers.take(2);
  if (status !== 0) throw new Error('The proxy rejected "proxyUsername" and "proxyPassword".');
};

/** Reads the reply to the request. Rule: RFC 1928, section 6. */
const accepted = async (answers: Answers): Promise<void> => {
  const [version, reply = 1, , type] = await answers.take(4);
  if (version !== VERSION) throw new Error(`The proxy violates SOCKS5 (a reply begins with ${version}).`);
  if (reply !== 0) throw new Error(`The proxy could not connect: ${refusals[reply] ?? `unknown reason ${reply}`}.`);
  // Skip the proxy's own address and port.
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
      throw new Error(`The proxy violates SOCKS5 (an address has type ${type}).`);
  }
};

/**
 * Returns the error for a failure of the proxy. The message contains the proxy's address, which appears nowhere else.
 */
export const proxyFailed = (to: Address, proxy: Address, cause: unknown): MongoError => {
  const origin = { phase: 'proxy', sent: false, address: to } as const;
  if (MongoError.is(cause)) return new MongoError(cause.kind, cause.message, { cause, origin });
  const message = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new MongoError('network', `Could not connect to ${to} through the proxy ${proxy}: ${message}.`, {
    cause,
    origin,
  });
};
