/** The greeting of a SOCKS5 proxy without authentication. Rule: RFC 1928. */
import type { Socket } from 'node:net';

export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** The destination of a whole CONNECT request, or undefined. */
const destinationOf = (bytes: Buffer): Destination | undefined => {
  if (bytes.length < 5) return undefined;
  const isName = bytes[3] === 3;
  const start = isName ? 5 : 4;
  const end = start + (isName ? bytes[4]! : 4);
  if (bytes.length < end + 2) return undefined;
  const address = bytes.subarray(start, end);
  return { host: isName ? address.toString() : address.join('.'), port: bytes.readUInt16BE(end) };
};

/** Answers the greeting of a client, and calls back with the destination that the client asks for. */
export const greet = (client: Socket, connect: (to: Destination) => void): void => {
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
    connect(to);
  };
  client.on('data', hear);
};

export const connected: Uint8Array = Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0);
