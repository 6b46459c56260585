/** A SOCKS5 proxy without authentication. Rule: RFC 1928. */
import { createServer, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/** The destination of a CONNECT request that is whole, or undefined. */
const destinationOf = (bytes: Buffer): { host: string; port: number } | undefined => {
  if (bytes.length < 5) return undefined;
  const isName = bytes[3] === 3;
  const start = isName ? 5 : 4;
  const end = start + (isName ? bytes[4]! : 4);
  if (bytes.length < end + 2) return undefined;
  const address = bytes.subarray(start, end);
  return { host: isName ? address.toString() : address.join('.'), port: bytes.readUInt16BE(end) };
};

const attend = (client: Socket): Socket => {
  const upstream = new Socket();
  let bytes = Buffer.alloc(0);
  let isGreeted = false;
  const hear = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isGreeted) {
      if (bytes.length < 2 || bytes.length < 2 + bytes[1]!) return;
      bytes = bytes.subarray(2 + bytes[1]!);
      isGreeted = true;
      client.write(Uint8Array.of(5, 0));
    }
    const to = destinationOf(bytes);
    if (to === undefined) return;
    client.off('data', hear);
    upstream.connect(to.port, to.host, () => {
      client.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
      client.pipe(upstream).pipe(client);
    });
  };
  client.on('data', hear);
  return upstream;
};

export const startProxy = async (): Promise<Proxy> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket, peer: Socket): void => {
    sockets.add(socket);
    socket
      .on('error', () => peer.destroy())
      .on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
  };
  const server = createServer(client => {
    const upstream = attend(client);
    keep(client, upstream);
    keep(upstream, client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
