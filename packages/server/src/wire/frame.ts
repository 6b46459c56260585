import { readInt32 } from '@tessera/mql/engine';

/** The maximum message size in bytes, as in hello. */
export const maxMessageSize = 48_000_000;

/** The maximum message size in bytes before authentication, if authentication is required. The same as in mongod. */
export const maxUnauthenticatedSize = 16_384;

export const headerSize = 16;

export const opCodes = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;

/** A received message. Its bytes never change, because documents read from them refer to them. */
export interface Frame {
  readonly requestId: number;
  readonly opCode: number;
  /** The whole message, including the header. */
  readonly bytes: Uint8Array;
}

/** The error for bytes that are not messages. The rest of the connection cannot be parsed either. */
export class FramingError extends Error {}

/** Splits the bytes of one socket into frames. Each byte of memory is used only once. */
export interface FrameReader {
  room(): Uint8Array;
  /** Passes on all frames that are complete. @throws FramingError */
  filled(length: number): void;
}

const chunkSize = 16_384;

const known: readonly number[] = Object.values(opCodes);

/** Whether the bytes are a TLS handshake. Its first bytes could be a length, but no opcode has its number. */
const isTls = (chunk: Uint8Array, start: number): boolean =>
  chunk[start] === 22 && chunk[start + 1] === 3 && !known.includes(readInt32(chunk, start + 12));

export const frameAt = (bytes: Uint8Array): Frame => ({
  requestId: readInt32(bytes, 4),
  opCode: readInt32(bytes, 12),
  bytes,
});

/** @param longest returns the maximum message size in bytes at present, at least `maxUnauthenticatedSize` */
export const createFrameReader = (longest: () => number, take: (frame: Frame) => void): FrameReader => {
  let chunk = new Uint8Array(0);
  let start = 0;
  let end = 0;

  /** Grow the buffer as bytes arrive, so that a peer cannot allocate memory by announcing a large message. */
  const renew = (): void => {
    const have = end - start;
    const announced = have >= 4 ? readInt32(chunk, start) : headerSize;
    const next = new Uint8Array(Math.max(chunkSize, Math.min(announced, 4 * have)));
    next.set(chunk.subarray(start, end));
    chunk = next;
    start = 0;
    end = have;
  };

  return {
    room: () => {
      if (end === chunk.length) renew();
      return chunk.subarray(end);
    },
    filled: length => {
      end += length;
      while (end - start >= headerSize) {
        if (isTls(chunk, start))
          throw new FramingError('The client started a TLS handshake, but the server does not use TLS.');
        const size = readInt32(chunk, start);
        if (size < headerSize || (size > maxUnauthenticatedSize && size > longest())) {
          throw new FramingError(`A message is ${size} bytes long, but must have ${headerSize} to ${longest()} bytes.`);
        }
        if (end - start < size) return;
        const bytes = chunk.subarray(start, start + size);
        start += size;
        take(frameAt(bytes));
      }
    },
  };
};
