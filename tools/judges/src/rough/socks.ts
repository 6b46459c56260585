/** The handshake of a SOCKS5 proxy without authentication. Specification: RFC 1928. */
import type { Socket } from 'node:net';

export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Returns the destination of a complete CONNECT request, else undefined. */
const destinationOf = (bytes: Buffer): Destination | undefined => {
  if (bytes.length < 5) return undefined;
  const isName = bytes[3] === 3;
  const start = isName ? 5 : 4;
  const end = start + (isName ? bytes[4]! : 4);
  if (bytes.length < end + 2) return undefined;
  const address = bytes.subarray(start, end);
  return { host: isName ? address.toString() : address.join('.'), port: bytes.readUInt16BE(end) };
};

/** Answers the handshake of a client, and calls `connect` with the requested destination. */
export const greet = (client: Socket, connect: (to: Destination) => void): void => {
  let bytes = Buffer.alloc(0);
  let isGreeted = false;
  const receive = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!isGreeted) {
      if (bytes.length < 2 || bytes.length < 2 + bytes[1]!) return;
      bytes = bytes.subarray(2 + bytes[1]!);
      isGreeted = true;
      client.write(Uint8Array.of(5, 0));
    }
    const to = destinationOf(bytes);
    if (to === undefined) return;
    client.off('data', receive);
    connect(to);
  };
  client.on('data', receive);
};

export const connected: Uint8Array = Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0);
