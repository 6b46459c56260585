/** A relay between clients and the server, over each transport. It can replace replies by an HTTP response. */
import { createServer, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Garbage, Transport } from './program.js';
import { connected, greet } from './socks.js';
import type { Destination } from './socks.js';

export interface Relay {
  readonly port: number;
  /** Replaces the replies on all connections from now on, or none. */
  set(garbage: Garbage | undefined): void;
  close(): Promise<void>;
}

export interface RelayOptions {
  readonly transport: Transport;
  /** The server's port; a SOCKS5 client names the port itself. */
  readonly port: number;
  /** For TLS, which the relay ends. */
  readonly identity?: { readonly key: string; readonly certificate: string };
  /** Makes a function for each connection, which gets the bytes of the client. */
  readonly hear?: () => (chunk: Buffer) => void;
}

const response = Buffer.from(
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nnot HTTP\r\n',
);

/** Writes the response in pieces, each in a turn of its own. */
const babble = async (client: Socket, piece: number): Promise<void> => {
  for (let at = 0; at < response.length && client.writable; at += piece) {
    client.write(response.subarray(at, at + piece));
    await new Promise(resolve => setImmediate(resolve));
  }
};

/** Sends the server's chunks to the client, until the response takes their place. */
const forward = (upstream: Socket, client: Socket, garbageNow: () => Garbage | undefined): void => {
  let chunks = 0;
  upstream.on('data', chunk => {
    const garbage = garbageNow();
    if (garbage === undefined || chunks < garbage.after) client.write(chunk);
    else if (chunks === garbage.after) void babble(client, garbage.piece);
    chunks += 1;
  });
};

export const startRelay = async ({ transport, port, identity, hear }: RelayOptions): Promise<Relay> => {
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
        if (hear !== undefined) client.on('data', hear());
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
