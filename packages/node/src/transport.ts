import { connect, isIP } from 'node:net';
import type { Socket as NetSocket } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type { Address, Clock, ErrorKind, Millis, Origin, Signal, Socket, Transport } from '@tessera/contracts';
import { endpointOf } from './address.js';
import type { Endpoint } from './address.js';
import { HostSocket, Intake } from './socket.js';

/** How TCP connections are made; the words are those of `net.connect`. */
export interface TcpOptions {
  /** Send small packets at once. */
  readonly noDelay: boolean;
  /** Idle time after which the system asks whether the peer still lives. */
  readonly keepAliveDelay: Millis;
  /** Only IPv4, only IPv6, or 0 for both. */
  readonly family: 0 | 4 | 6;
  /** Try a host's addresses one after the other, IPv6 and IPv4 in turn. */
  readonly autoSelectFamily: boolean;
  /** How long each address but the last is tried. */
  readonly autoSelectFamilyAttemptTimeout: Millis;
}

const messageOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  return cause instanceof Error ? cause.message : String(cause);
};

/** One attempt to connect: settled once, and whatever way it ends, nothing is left open but the socket handed over. */
const open = (clock: Clock, tcp: TcpOptions, to: Address, endpoint: Endpoint, deadline: Millis, signal?: Signal) =>
  new Promise<Socket>((resolve, reject) => {
    const began = clock.now();
    let phase: 'resolve' | 'connect' = 'host' in endpoint && isIP(endpoint.host) === 0 ? 'resolve' : 'connect';
    const intake = new Intake();
    const socket: NetSocket = connect({
      ...endpoint,
      ...(tcp.family === 0 ? {} : { family: tcp.family }),
      noDelay: tcp.noDelay,
      keepAlive: true,
      keepAliveInitialDelay: tcp.keepAliveDelay,
      autoSelectFamily: tcp.autoSelectFamily,
      autoSelectFamilyAttemptTimeout: tcp.autoSelectFamilyAttemptTimeout,
      onread: intake.options,
    }).pause();

    const settle = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      socket.off('connect', connected).off('lookup', resolved);
    };
    const fail = (kind: ErrorKind, message: string, cause?: unknown): void => {
      settle();
      socket.destroy();
      const origin: Origin = { phase, sent: false, address: to };
      reject(new MongoError(kind, message, { cause, origin }));
    };
    const connected = (): void => {
      settle();
      socket.off('error', failed);
      resolve(new HostSocket(socket, intake));
    };
    const resolved = (error: Error | null): void => {
      if (error === null) phase = 'connect';
    };
    const failed = (error: Error): void => {
      const what = phase === 'resolve' ? `The host name of ${to} could not be resolved` : `No connection to ${to}`;
      fail('network', `${what}: ${messageOf(error)}`, error);
    };
    const abort = (): void => {
      fail('aborted', `Connecting to ${to} was aborted`, signal?.reason);
    };
    const expire = (): void => {
      const spent = Math.round(clock.now() - began);
      const what = phase === 'resolve' ? `The host name of ${to} was not resolved` : `No connection to ${to}`;
      fail('timeout', `${what} within ${spent} ms; is the host reachable, or the limit too short?`);
    };

    const timer = clock.startTimer(deadline - began, expire, { background: true }); // the socket keeps the process alive
    signal?.addEventListener('abort', abort);
    // The handler of errors stays when the attempt has failed: a late one must not end the process.
    socket.on('error', failed).on('lookup', resolved).on('connect', connected);
  });

/** TCP and unix sockets. */
export const createTransport = (clock: Clock, tcp: TcpOptions): Transport => ({
  connect: async (to, { deadline, signal }) => {
    const endpoint = endpointOf(to);
    const origin: Origin = { phase: 'connect', sent: false, address: to };
    if (signal?.aborted === true) {
      throw new MongoError('aborted', `Connecting to ${to} was aborted`, { cause: signal.reason, origin });
    }
    if (deadline <= clock.now()) {
      throw new MongoError('timeout', `The time was up before connecting to ${to} began`, { origin });
    }
    return open(clock, tcp, to, endpoint, deadline, signal);
  },
});
