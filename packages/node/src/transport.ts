import { lookup as hostLookup } from 'node:dns';
import { connect, isIP } from 'node:net';
import type { LookupFunction, Socket as NetSocket } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type { Address, Clock, ErrorKind, Millis, Phase, Socket, Transport, TransportOptions } from '@tessera/contracts';
import { addressOf, endpointOf } from './address.js';
import type { Endpoint } from './address.js';
import { HostSocket, Intake } from './socket.js';
import { openTunnel, proxyFailed } from './socks5.js';
import { explainTls, prepareTls } from './tls.js';
import type { Secure } from './tls.js';

/** How TCP connections are made; the words are those of `net.connect`. */
export interface TcpOptions {
  /** Send small packets at once. */
  readonly noDelay: boolean;
  /** Idle time after which the system asks whether the peer still lives. */
  readonly keepAliveInitialDelay: Millis;
  /** Only IPv4, only IPv6, or 0 for both. */
  readonly family: 0 | 4 | 6;
  /** Try a host's addresses one after the other, IPv6 and IPv4 in turn. */
  readonly autoSelectFamily: boolean;
  /** How long each address but the last is tried. */
  readonly autoSelectFamilyAttemptTimeout: Millis;
  /** Where connections come from; the system's choice if absent. */
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  /** Flags of `dns.lookup`. */
  readonly hints?: number | undefined;
  /** Resolves host names. By default `dns.lookup`, with a bound on how many names are looked up at once. */
  readonly lookup?: LookupFunction | undefined;
}

const messageOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
};

/** Without what is undefined: `net.connect` takes that for a value. */
const given = (tcp: TcpOptions): object =>
  Object.fromEntries(
    Object.entries({ ...tcp, family: tcp.family === 0 ? undefined : tcp.family }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** What lies between a connected socket and one that may be handed over. */
interface Steps {
  readonly proxy: { readonly at: Address; open(socket: NetSocket): Promise<void> } | undefined;
  readonly secure: Secure | undefined;
}

/** What an attempt is about to do; its errors are told in these words. */
type Stage = Extract<Phase, 'resolve' | 'proxy' | 'connect' | 'tls'>;

/** One attempt to connect: settled once, and whatever way it ends, nothing is left open but the socket handed over. */
const open = (
  clock: Clock,
  tcp: TcpOptions,
  to: Address,
  endpoint: Endpoint,
  { proxy, secure }: Steps,
  { deadline, signal }: TransportOptions,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const began = clock.now();
    const isName = 'host' in endpoint && isIP(endpoint.host) === 0;
    let stage: Stage = proxy !== undefined ? 'proxy' : isName ? 'resolve' : 'connect';
    // Not the event of the socket: a look-up that answers at once emits it before anyone listens.
    const lookup: LookupFunction = (host, options, done) => {
      (tcp.lookup ?? hostLookup)(host, options, (error, ...answer) => {
        if (error === null && stage === 'resolve') stage = 'connect';
        done(error, ...answer);
      });
    };
    // TLS and the handshake with a proxy read in their own way.
    const intake = proxy === undefined && secure === undefined ? new Intake() : undefined;
    let socket: NetSocket = connect({
      ...endpoint,
      ...given(tcp),
      lookup,
      keepAlive: true,
      ...(intake === undefined ? {} : { onread: intake.options }),
    }).pause();

    const settle = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      socket.off('connect', connected);
    };
    const refuse = (error: MongoError): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const fail = (kind: ErrorKind, message: string, cause?: unknown): void => {
      refuse(new MongoError(kind, message, { cause, origin: { phase: stage, sent: false, address: to } }));
    };
    const done = (): void => {
      settle();
      socket.off('error', failed).off('close', closed);
      const explain = stage === 'tls' ? (error: Error) => explainTls(to, error) ?? error : undefined;
      resolve(new HostSocket(socket, { intake, explain }));
    };
    const connected = (): void => {
      if (proxy === undefined) return secured();
      proxy.open(socket).then(secured, (cause: unknown) => {
        refuse(proxyFailed(to, proxy.at, cause));
      });
    };
    const secured = (): void => {
      if (secure === undefined) return done();
      // An attempt that failed meanwhile.
      if (socket.destroyed) return;
      stage = 'tls';
      socket.off('error', failed).off('close', closed).on('error', passOver);
      socket = secure(socket).pause().on('error', failed).on('close', closed).once('secureConnect', done);
    };
    const failed = (error: Error): void => {
      const what = messageOf(error);
      switch (stage) {
        case 'resolve':
          return fail('network', `The host name of ${to} could not be resolved: ${what}`, error);
        case 'proxy':
          return refuse(proxyFailed(to, proxy?.at ?? to, error));
        case 'connect':
          return fail('network', `No connection to ${to}: ${what}`, error);
        case 'tls': {
          const known = explainTls(to, error);
          if (known !== undefined) return refuse(known);
          return fail('network', `${to} closed the connection during the TLS handshake (${what}); ${maybe}`, error);
        }
      }
    };
    const closed = (): void => {
      failed(new Error('the peer closed the connection'));
    };
    const abort = (): void => {
      fail('aborted', `Connecting to ${to} was aborted`, signal?.reason);
    };
    const expire = (): void => {
      const spent = `within ${Math.round(clock.now() - began)} ms`;
      switch (stage) {
        case 'resolve':
          return fail('timeout', `The host name of ${to} was not resolved ${spent}; ${reachable}`);
        case 'proxy':
          return fail('timeout', `The proxy ${proxy?.at} made no connection to ${to} ${spent}; ${reachable}`);
        case 'connect':
          return fail('timeout', `No connection to ${to} ${spent}; ${reachable}`);
        case 'tls':
          return fail('timeout', `${to} did not finish the TLS handshake ${spent}; ${maybe}`);
      }
    };

    // In place of `limitWait`, whose timer would keep the process alive: the socket does.
    const timer = clock.startTimer(deadline - began, expire, { background: true });
    signal?.addEventListener('abort', abort);
    // The handler of errors stays when the attempt has failed: a late one must not end the process.
    socket.on('error', failed).on('close', closed).on('connect', connected);
  });

const reachable = 'is the host reachable, or the limit too short?';
const maybe = 'it may speak no TLS, or want a certificate of the client (tlsCertificateKeyFile)';
const passOver = (): void => undefined;

/** TCP and unix sockets, with TLS and through a SOCKS5 proxy where that is asked for. */
export const createTransport = (clock: Clock, tcp: TcpOptions): Transport => ({
  connect: async (to, options) => {
    const { deadline, signal, tls, proxy } = options;
    const endpoint = endpointOf(to);
    const refuseLate = (): void => {
      const origin = { phase: 'connect', sent: false, address: to } as const;
      if (signal?.aborted === true)
        throw new MongoError('aborted', `Connecting to ${to} was aborted`, { cause: signal.reason, origin });
      if (deadline <= clock.now())
        throw new MongoError('timeout', `The time was up before connecting to ${to} began`, { origin });
    };
    refuseLate();
    const host = 'host' in endpoint ? endpoint : undefined;
    const secure = tls === undefined ? undefined : await prepareTls(tls, to, host?.host);
    if (secure !== undefined) refuseLate();
    if (proxy === undefined || host === undefined) {
      return open(clock, tcp, to, endpoint, { proxy: undefined, secure }, options);
    }
    const tunnel = { at: addressOf(proxy, proxy.port), open: (socket: NetSocket) => openTunnel(socket, proxy, host) };
    return open(clock, tcp, to, { host: proxy.host, port: proxy.port }, { proxy: tunnel, secure }, options);
  },
});
