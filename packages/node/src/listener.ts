import type { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server, Socket as NetSocket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { MongoError } from '@tessera/contracts';
import type { Listener, Listening, Socket } from '@tessera/contracts';
import { acceptedSocket } from './accepted.js';
import { addressOf, endpointOf } from './address.js';
import { HostSocket } from './socket.js';

/** TLS for those who connect; the words are those of `mongod`, every path that of a PEM file. */
export interface ListenTls {
  /** The server's certificate and its private key. */
  readonly tlsCertificateKeyFile: string;
  readonly tlsCertificateKeyFilePassword?: string | undefined;
  /** With it clients must show a certificate that this authority signed. */
  readonly tlsCAFile?: string | undefined;
  /** They may also show none; one that they show must still be signed by the authority. */
  readonly tlsAllowConnectionsWithoutCertificates?: boolean | undefined;
}

type Accept = (socket: NetSocket) => void;

const socketOptions = { noDelay: true, keepAlive: true };

const plain = (accept: Accept): Server => createServer({ ...socketOptions, pauseOnConnect: true }, accept);

const read = async (option: string, path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new MongoError('usage', `The file of ${option} could not be read: ${(cause as Error).message}`, { cause });
  }
};

/** Node.js gives the attributes as the certificate has them, one in a line, escaped already; RFC 2253 begins with the last. */
const subjectOf = (certificate: X509Certificate | undefined): string | undefined =>
  certificate?.subject.split('\n').reverse().join(',');

const subjectsOf = (socket: TLSSocket): Pick<Socket, 'peerSubject' | 'ownSubject'> => ({
  peerSubject: socket.authorized ? subjectOf(socket.getPeerX509Certificate()) : undefined,
  ownSubject: subjectOf(socket.getX509Certificate()),
});

/** How long a client may take for the handshake: it holds a socket that nobody knows of yet. */
const handshakeTimeout = 10_000;

const secured = async (tls: ListenTls, accept: (socket: TLSSocket) => void): Promise<Server> => {
  const { tlsCAFile, tlsCertificateKeyFilePassword: passphrase } = tls;
  // It takes milliseconds to load, which who speaks no TLS need not spend.
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
        handshakeTimeout,
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
    // A client that fails the handshake is none; Node.js has closed its connection.
    server.on('tlsClientError', () => undefined);
    return server;
  } catch (cause) {
    const message = `The TLS options of the server cannot be used: ${(cause as Error).message}`;
    throw new MongoError('usage', message, { cause });
  }
};

/**
 * TCP and unix sockets that others connect to. A unix socket's file is removed on close.
 * @throws MongoError on `listen`: `network` if the place is taken, `usage` for TLS files that cannot be used.
 */
export const createListener = (tls?: ListenTls): Listener => ({
  listen: async (at, accept) => {
    const endpoint = endpointOf(at);
    const server =
      tls === undefined
        ? plain(socket => {
            accept(acceptedSocket(socket));
          })
        : await secured(tls, socket => {
            accept(new HostSocket(socket, subjectsOf(socket)));
          });
    await new Promise<void>((resolve, reject) => {
      server.once('error', cause => {
        reject(new MongoError('network', `Cannot listen at ${at}: ${cause.message}`, { cause }));
      });
      server.listen(endpoint, resolve);
    });
    // An accept that fails (out of file descriptors) costs that one connection, not the process.
    server.on('error', () => undefined);
    const bound = server.address();
    const listening: Listening = {
      address: addressOf(endpoint, typeof bound === 'object' && bound !== null ? bound.port : 0),
      // The server's own callback would wait for the open sockets.
      close: () =>
        new Promise(resolve => {
          server.close();
          setImmediate(resolve);
        }),
    };
    return listening;
  },
});
