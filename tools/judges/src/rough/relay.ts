/** A relay between clients and the server for each transport. It can replace replies with an HTTP response. */
import { createServer, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Garbage, Transport } from './program.js';
import { connected, greet } from './socks.js';
import type { Destination } from './socks.js';

export interface Relay {
  readonly port: number;
  /** Replaces the replies on all connections from now on. Undefined restores them. */
  set(garbage: Garbage | undefined): void;
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly transport: Transport;
  /** The server's port. A SOCKS5 client sends the port itself. */
  readonly port: number;
  /** The identity for TLS, which the relay terminates. */
  readonly identity?: { readonly key: string; readonly certificate: string };
  /** Creates a function for each connection, which receives the bytes of the client. */
  readonly listen?: () => (chunk: Buffer) => void;
}

const response = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nnot HTTP\r\n',
);

/** Writes the response in pieces, each in its own turn of the event loop. */
const writeGarbage = async (client: Socket, piece: number): Promise<void> => {
  for (let at = 0; at < response.length && client.writable; at += piece) {
    client.write(response.subarray(at, at + piece));
    await new Promise(resolve => setImmediate(resolve));
  }
};

/** Forwards the server's chunks to the client, until the response replaces them. */
const forward = (upstream: Socket, client: Socket, garbageNow: () => Garbage | undefined): void => {
  let chunks = 0;
  upstream.on('data', chunk => {
    const garbage = garbageNow();
    if (garbage === undefined || chunks < garbage.after) client.write(chunk);
    else if (chunks === garbage.after) void writeGarbage(client, garbage.piece);
    chunks += 1;
  });
};

export const startRelay = async ({ transport, port, identity, listen }: RelayOptions): Promise<Relay> => {
  const sockets = new Set<Socket>();
  let garbage: Garbage | undefined;
  const keep = (socket: Socket, peer: Socket): void => {
    sockets.add(socket);
    socket
      .on('error', () => peer.destroy())
      .on('end', () => peer.end())
      .on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
  };
  const attend = (client: Socket): void => {
    const upstream = new Socket();
    client.setNoDelay();
    keep(client, upstream);
    keep(upstream, client);
    const connect = (to: Destination): void => {
      upstream.connect({ ...to, noDelay: true }, () => {
        if (transport === 'socks5') client.write(connected);
        forward(upstream, client, () => garbage);
        if (listen !== undefined) client.on('data', listen());
        client.pipe(upstream);
      });
    };
    if (transport === 'socks5') greet(client, connect);
    else connect({ host: '127.0.0.1', port });
  };
  const server =
    transport === 'tls'
      ? createTlsServer({ key: identity!.key, cert: identity!.certificate }, attend)
      : createServer(attend);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    set: wanted => {
      garbage = wanted;
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
