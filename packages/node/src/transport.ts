import type { LookupFunction, Socket as NetSocket } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  ErrorKind,
  Millis,
  Phase,
  ProxySettings,
  Socket,
  Transport,
  TransportOptions,
} from '@tessera/contracts';
import { addressOf, endpointOf } from './address.js';
import type { Endpoint } from './address.js';
import { net } from './builtin.js';
import { hostLookups } from './lookups.js';
import { HostSocket, Intake } from './socket.js';
import type { Secure } from './tls.js';

/** The options for TCP connections, with the names of `net.connect`. */
export interface TcpOptions {
  /** Send small packets immediately. */
  readonly noDelay: boolean;
  /** The idle time in milliseconds after which the system checks whether the peer is alive. */
  readonly keepAliveInitialDelay: Millis;
  /** 4 for only IPv4, 6 for only IPv6, 0 for both. */
  readonly family: 0 | 4 | 6;
  /** Try a host's addresses in sequence, alternating between IPv6 and IPv4. */
  readonly autoSelectFamily: boolean;
  /** The time limit in milliseconds for each address except the last. */
  readonly autoSelectFamilyAttemptTimeout: Millis;
  /** The local address of connections. By default the system chooses it. */
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  /** The flags of `dns.lookup`. */
  readonly hints?: number | undefined;
  /** Resolves host names. By default `dns.lookup`, with a limit on parallel lookups. */
  readonly lookup?: LookupFunction | undefined;
}

/** Describes why a name was not resolved. ENOTFOUND means that the name does not exist. */
const unresolved = (error: Error, what: string): string =>
  'code' in error && error.code === 'ENOTFOUND' ? `it does not exist; check the name (${what})` : what;

const messageOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
};

/** Removes undefined options, which `net.connect` would use as values. */
const withoutUndefined = (tcp: TcpOptions): Partial<TcpOptions> =>
  Object.fromEntries(
    Object.entries({ ...tcp, family: tcp.family === 0 ? undefined : tcp.family }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** The steps between connecting a socket and returning it. */
interface Steps {
  readonly proxy: Tunnel | undefined;
  readonly secure: Secure | undefined;
}

/** A proxy, and the functions of its protocol, which are loaded on demand. */
interface Tunnel {
  readonly at: Address;
  open(socket: NetSocket): Promise<void>;
  failed(cause: unknown): MongoError;
}

/** The current step of an attempt, which determines the text of its errors. */
type Stage = Extract<Phase, 'resolve' | 'proxy' | 'connect' | 'tls'>;

/** Runs one attempt to connect. It settles once, and leaves nothing open except the returned socket. */
const open = (
  clock: Clock,
  tcp: Partial<TcpOptions>,
  to: Address,
  endpoint: Endpoint,
  { proxy, secure }: Steps,
  { deadline, signal }: TransportOptions,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { connect, isIP } = net();
    const began = clock.now();
    const isName = 'host' in endpoint && isIP(endpoint.host) === 0;
    let stage: Stage = proxy !== undefined ? 'proxy' : isName ? 'resolve' : 'connect';
    // Set here and not in the socket's event, which a synchronous lookup emits before a listener is attached.
    const lookup: LookupFunction = (host, options, done) => {
      (tcp.lookup ?? hostLookups.lookup)(host, options, (error, ...answer) => {
        if (error === null && stage === 'resolve') stage = 'connect';
        done(error, ...answer);
      });
    };
    // TLS and the proxy handshake read in their own way.
    const intake = proxy === undefined && secure === undefined ? new Intake() : undefined;
    let socket: NetSocket = connect({
      ...endpoint,
      ...tcp,
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
      const explain = stage === 'tls' ? (error: Error) => secure?.explain(error) ?? error : undefined;
      resolve(new HostSocket(socket, { intake, explain }));
    };
    const connected = (): void => {
      if (proxy === undefined) return secured();
      proxy.open(socket).then(secured, (cause: unknown) => {
        refuse(proxy.failed(cause));
      });
    };
    const secured = (): void => {
      if (secure === undefined) return done();
      // The attempt failed in the meantime.
      if (socket.destroyed) return;
      stage = 'tls';
      socket.off('error', failed).off('close', closed).on('error', passOver);
      socket = secure.start(socket).pause().on('error', failed).on('close', closed).once('secureConnect', done);
    };
    const failed = (error: Error): void => {
      const what = messageOf(error);
      switch (stage) {
        case 'resolve':
          return fail('network', `Could not resolve the host name of ${to}: ${unresolved(error, what)}.`, error);
        case 'proxy':
          return refuse(proxy!.failed(error));
        case 'connect':
          return fail('network', `Could not connect to ${to}: ${what}.`, error);
        case 'tls': {
          const known = secure!.explain(error);
          if (known !== undefined) return refuse(known);
          return fail('network', `${to} closed the connection during the TLS handshake (${what}); ${maybe}`, error);
        }
      }
    };
    const closed = (): void => {
      failed(new Error('The peer closed the connection.'));
    };
    const abort = (): void => {
      fail('aborted', `The connection attempt to ${to} was aborted.`, signal?.reason);
    };
    const expire = (): void => {
      const spent = `within ${Math.round(clock.now() - began)} ms`;
      switch (stage) {
        case 'resolve':
          return fail('timeout', `The host name of ${to} was not resolved ${spent}; ${reachable}`);
        case 'proxy':
          return fail('timeout', `The proxy ${proxy?.at} did not connect to ${to} ${spent}; ${reachable}`);
        case 'connect':
          return fail('timeout', `Could not connect to ${to} ${spent}; ${reachable}`);
        case 'tls':
          return fail('timeout', `${to} did not complete the TLS handshake ${spent}; ${maybe}`);
      }
    };

    // Used instead of `limitWait`, whose timer would keep the process alive. The socket already does that.
    const timer = clock.startTimer(deadline - began, expire, { background: true });
    signal?.addEventListener('abort', abort);
    // The error handler stays after the attempt has failed, because a late error must not end the process.
    socket.on('error', failed).on('close', closed).on('connect', connected);
  });

const reachable = 'check that the host is reachable, or increase the limit.';
const maybe = 'it may not support TLS, or may require a client certificate (tlsCertificateKeyFile).';
const passOver = (): void => undefined;

/** The modules that are loaded for the first connection that needs them. */
const onDemand: { tls?: typeof import('./tls.js'); socks5?: typeof import('./socks5.js') } = {};

/** Returns the tunnel through a proxy to a host. Loads the proxy's protocol. */
const tunnelTo = async (
  to: Address,
  host: Extract<Endpoint, { host: string }>,
  proxy: ProxySettings,
): Promise<Tunnel> => {
  const { openTunnel, proxyFailed } = (onDemand.socks5 ??= await import('./socks5.js'));
  const at = addressOf(proxy, proxy.port);
  return { at, open: socket => openTunnel(socket, proxy, host), failed: cause => proxyFailed(to, at, cause) };
};

/** Creates a transport for TCP and Unix sockets, optionally with TLS and through a SOCKS5 proxy. */
export const createTransport = (clock: Clock, given: TcpOptions): Transport => {
  const tcp = withoutUndefined(given);
  return {
    connect: async (to, options) => {
      const { deadline, signal, tls, proxy } = options;
      const endpoint = endpointOf(to);
      const refuseLate = (): void => {
        const origin = { phase: 'connect', sent: false, address: to } as const;
        if (signal?.aborted === true)
          throw new MongoError('aborted', `The connection attempt to ${to} was aborted.`, {
            cause: signal.reason,
            origin,
          });
        if (deadline <= clock.now())
          throw new MongoError('timeout', `The deadline passed before connecting to ${to} started.`, { origin });
      };
      refuseLate();
      const host = 'host' in endpoint ? endpoint : undefined;
      const secure =
        tls === undefined
          ? undefined
          : await (onDemand.tls ??= await import('./tls.js')).prepareTls(tls, to, host?.host);
      if (secure !== undefined) refuseLate();
      if (proxy === undefined || host === undefined) {
        return open(clock, tcp, to, endpoint, { proxy: undefined, secure }, options);
      }
      const tunnel = await tunnelTo(to, host, proxy);
      refuseLate();
      return open(clock, tcp, to, { host: proxy.host, port: proxy.port }, { proxy: tunnel, secure }, options);
    },
  };
};
