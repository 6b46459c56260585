import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** One connection: what it sent is not looked at, what it gets is cut into frames. */
export interface WireClient {
  readonly replies: readonly Buffer[];
  readonly isOpen: boolean;
  /** What came and is no whole frame. */
  readonly rest: Buffer;
  send(bytes: Uint8Array): void;
  /** Sends a request and waits for its reply, for half a minute at most. */
  ask(bytes: Uint8Array): Promise<Buffer | undefined>;
  /** The next reply that has not been waited for; undefined when the connection ends before, or the time. */
  next(within: number): Promise<Buffer | undefined>;
  /** Takes no more of what comes. */
  deafen(): void;
  close(): void;
}

const greatest = 48_000_000;

/** @throws Error if nobody listens at that port */
export const openClient = async (port: number): Promise<WireClient> => {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const replies: Buffer[] = [];
  let pending = Buffer.alloc(0);
  let read = 0;
  let isOpen = true;
  let wake = (): void => undefined;
  socket.on('data', chunk => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= 4) {
      const length = pending.readInt32LE(0);
      // What is no length stays where it is: the judge sees it.
      if (length < 16 || length > greatest || pending.length < length) break;
      replies.push(Buffer.from(pending.subarray(0, length)));
      pending = pending.subarray(length);
    }
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
      return pending;
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
    deafen: () => {
      socket.pause();
    },
    close: () => {
      socket.destroy();
    },
  };
  return self;
};
