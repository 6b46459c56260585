import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { OnReadOpts, Server, Socket as NetSocket, SocketConstructorOpts } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { MongoError } from '@tessera/contracts';
import type { Listener, Listening, Socket } from '@tessera/contracts';
import { addressOf, endpointOf } from './address.js';
import { net } from './builtin.js';
import { HostSocket, Intake } from './socket.js';

/** TLS for incoming connections. The options have the names of `mongod`; every path is that of a PEM file. */
export interface ListenTls {
  /** The server's certificate and private key. */
  readonly tlsCertificateKeyFile: string;
  readonly tlsCertificateKeyFilePassword?: string | undefined;
  /** If given, clients must present a certificate signed by this authority. */
  readonly tlsCAFile?: string | undefined;
  /** Allows clients without a certificate. A certificate that is presented must still be signed by the authority. */
  readonly tlsAllowConnectionsWithoutCertificates?: boolean | undefined;
}

type Accept = (socket: NetSocket) => void;

const socketOptions = { noDelay: true, keepAlive: true };

const plain = (accept: Accept): Server => net().createServer({ ...socketOptions, pauseOnConnect: true }, accept);

const read = async (option: string, path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new MongoError('usage', `Could not read the file of "${option}": ${(cause as Error).message}.`, { cause });
  }
};

/**
 * Returns the subject of a certificate by RFC 2253, which begins with the last attribute. Node.js returns one escaped
 * attribute per line, in the order of the certificate.
 */
const subjectOf = (certificate: X509Certificate | undefined): string | undefined =>
  certificate?.subject.split('\n').reverse().join(',');

const subjectsOf = (socket: TLSSocket): Pick<Socket, 'peerSubject' | 'ownSubject'> => ({
  peerSubject: socket.authorized ? subjectOf(socket.getPeerX509Certificate()) : undefined,
  ownSubject: subjectOf(socket.getX509Certificate()),
});

/**
 * The time limit of the handshake in milliseconds. Until then, a client holds a socket that the server has not
 * accepted.
 */
const handshakeTimeout = 10_000;

const secured = async (tls: ListenTls, patience: number, accept: (socket: TLSSocket) => void): Promise<Server> => {
  const { tlsCAFile, tlsCertificateKeyFilePassword: passphrase } = tls;
  // Loaded on demand, because it takes milliseconds and is not needed without TLS.
  const { createServer: createTlsServer } = await import('node:tls');
  const certificateKey = await read('tlsCertificateKeyFile', tls.tlsCertificateKeyFile);
  const ca = tlsCAFile === undefined ? undefined : await read('tlsCAFile', tlsCAFile);
  const mayBeNameless = tls.tlsAllowConnectionsWithoutCertificates === true;
  const isWelcome = (socket: TLSSocket): boolean =>
    ca === undefined || socket.authorized || Object.keys(socket.getPeerCertificate()).length === 0;
  try {
    const server = createTlsServer(
      {
        ...socketOptions,
        handshakeTimeout: patience,
        cert: certificateKey,
        key: certificateKey,
        ...(passphrase === undefined ? {} : { passphrase }),
        ...(ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: !mayBeNameless }),
      },
      socket => {
        if (isWelcome(socket)) accept(socket.pause());
        else socket.destroy();
      },
    );
    // Node.js does not close a connection whose handshake exceeds the time limit.
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return server;
  } catch (cause) {
    const message = `The TLS options of the server are invalid: ${(cause as Error).message}.`;
    throw new MongoError('usage', message, { cause });
  }
};

// The members used here are undocumented: the handle of a socket, and the way Node.js creates sockets for its own
// server.

interface Handle {
  readonly useUserBuffer?: unknown;
}

interface Holder {
  _handle: Handle | null | undefined;
}

interface FromHandle extends SocketConstructorOpts {
  readonly handle: Handle;
  readonly onread: OnReadOpts;
  readonly pauseOnCreate: true;
}

/**
 * Converts an accepted, paused socket to a socket of the contract. Node.js supports `onread` only for sockets that
 * connect. The handle, from which nothing was read yet, therefore moves to a new socket with `onread`, which halves the
 * cost of a read. If the handle has an unexpected form, the socket stays as it is, and its bytes are copied.
 */
export const acceptedSocket = (accepted: NetSocket): HostSocket => {
  const holder = accepted as unknown as Holder;
  const handle = holder._handle;
  if (typeof handle?.useUserBuffer !== 'function') return new HostSocket(accepted);
  holder._handle = null;
  accepted.destroy();
  const intake = new Intake();
  const options: FromHandle = { handle, onread: intake.options, pauseOnCreate: true };
  const { Socket } = net();
  return new HostSocket(new Socket(options), { intake });
};

/**
 * Creates a listener for TCP and Unix sockets. The file of a Unix socket is removed on close.
 * @param patience the time limit of a TLS handshake in milliseconds
 * @throws MongoError on `listen`: `network` if the address is in use, `usage` for invalid TLS files.
 */
export const createListener = (tls?: ListenTls, patience: number = handshakeTimeout): Listener => ({
  listen: async (at, accept, limit) => {
    const endpoint = endpointOf(at);
    const server =
      tls === undefined
        ? plain(socket => accept(acceptedSocket(socket)))
        : await secured(tls, patience, socket => accept(new HostSocket(socket, subjectsOf(socket))));
    if (tls !== undefined && limit !== undefined) {
      server.maxConnections = limit.most;
      server.on('drop', () => limit.refused?.());
    }
    await new Promise<void>((resolve, reject) => {
      server.once('error', cause => {
        reject(new MongoError('network', `Cannot listen at ${at}: ${cause.message}.`, { cause }));
      });
      server.listen(endpoint, resolve);
    });
    // A failed accept, such as for lack of file descriptors, must cost only that connection, not the process.
    server.on('error', () => undefined);
    const bound = server.address();
    const listening: Listening = {
      address: addressOf(endpoint, typeof bound === 'object' && bound !== null ? bound.port : 0),
      // The callback of `server.close` would wait for open sockets.
      close: () =>
        new Promise(resolve => {
          server.close();
          setImmediate(resolve);
        }),
    };
    return listening;
  },
});
