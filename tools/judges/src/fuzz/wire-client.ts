import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createCutter } from './frames.js';

/** A connection that sends arbitrary bytes and splits the received bytes into frames. */
export interface WireClient {
  readonly replies: readonly Buffer[];
  readonly isOpen: boolean;
  /** The received bytes that are not a complete frame. */
  readonly rest: Buffer;
  send(bytes: Uint8Array): void;
  /** Sends a request and waits up to 30 seconds for its reply. */
  ask(bytes: Uint8Array): Promise<Buffer | undefined>;
  /** Returns the next reply, or undefined if the connection or the time ends first. */
  next(within: number): Promise<Buffer | undefined>;
  /** Ends its side of the connection, and returns whether the server closes the other side within the time. */
  end(within: number): Promise<boolean>;
  /** Stops reading. */
  stopReading(): void;
  close(): void;
}

/**
 * Opens a connection.
 * @throws Error if no server listens on the port
 */
export const openClient = async (port: number): Promise<WireClient> => {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const replies: Buffer[] = [];
  const cutter = createCutter();
  let read = 0;
  let isOpen = true;
  let wake = (): void => undefined;
  socket.on('data', chunk => {
    replies.push(...cutter.add(chunk));
    wake();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOpen = false;
    wake();
  });
  const self: WireClient = {
    replies,
    get isOpen() {
      return isOpen;
    },
    get rest() {
      return cutter.rest();
    },
    send: bytes => {
      if (isOpen) socket.write(bytes);
    },
    ask: bytes => {
      self.send(bytes);
      return self.next(30_000);
    },
    next: async within => {
      if (read >= replies.length && isOpen) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>(resolve => {
          wake = () => {
            if (replies.length > read || !isOpen) resolve();
          };
          timer = setTimeout(resolve, within);
        });
        clearTimeout(timer);
      }
      return read < replies.length ? replies[read++] : undefined;
    },
    end: async within => {
      socket.end();
      const end = performance.now() + within;
      while (isOpen && performance.now() < end) {
        read = replies.length;
        await self.next(end - performance.now());
      }
      return !isOpen;
    },
    stopReading: () => {
      socket.pause();
    },
    close: () => {
      socket.destroy();
    },
  };
  return self;
};
