import type { Socket as NetSocket, OnReadOpts } from 'node:net';
import type { Socket, SocketSink } from '@tessera/contracts';

/**
 * Whether a socket's read buffer must exist before bytes arrive, as on Windows, so that sockets cannot share it. On
 * other systems the buffer is used only in the turn in which `filled` is called.
 */
export const readsAhead: boolean = process.platform === 'win32';

const firstRoom = (): Uint8Array => new Uint8Array(1024);
const sharedFirstRoom = firstRoom();

/**
 * The memory that the kernel writes received bytes to. Node.js requires memory when the socket is created, before
 * `listen` provides a sink. The first read therefore uses a buffer of its own; later reads go directly into the sink's
 * memory.
 */
export class Intake {
  readonly options: OnReadOpts;
  readonly #first: Uint8Array = readsAhead ? firstRoom() : sharedFirstRoom;
  #sink: SocketSink | undefined;
  #socket: NetSocket | undefined;

  constructor() {
    this.options = {
      buffer: () => this.#sink?.room() ?? this.#first,
      callback: (length, buffer) => {
        const sink = this.#sink;
        if (buffer !== this.#first) sink?.filled(length);
        else if (sink !== undefined) pour(buffer.subarray(0, length), sink, this.#socket!);
        return true;
      },
    };
  }

  open(sink: SocketSink, socket: NetSocket): void {
    this.#sink = sink;
    this.#socket = socket;
  }

  close(): void {
    this.#sink = undefined;
  }
}

/**
 * Copies bytes into the sink's memory until the sink destroys the socket. If the sink has no room, the socket is
 * destroyed.
 */
const pour = (bytes: Uint8Array, sink: SocketSink, socket: NetSocket): void => {
  for (let at = 0; at < bytes.length && !socket.destroyed;) {
    const room = sink.room();
    if (room.length === 0) {
      socket.destroy(new Error(`The reader of the socket has no room for ${bytes.length - at} bytes.`));
      return;
    }
    const length = Math.min(room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + length));
    sink.filled(length);
    at += length;
  }
};

export interface HostSocketOptions {
  readonly intake?: Intake | undefined;
  readonly explain?: ((error: Error) => Error) | undefined;
  readonly peerSubject?: string | undefined;
  readonly ownSubject?: string | undefined;
}

const same = (error: Error): Error => error;

/**
 * A socket of the contract that wraps a connected, paused `net.Socket`. Reading starts with `listen`, so no byte is
 * lost.
 */
export class HostSocket implements Socket {
  readonly readsAhead: boolean;
  readonly peerSubject: string | undefined;
  readonly ownSubject: string | undefined;
  readonly #socket: NetSocket;
  readonly #intake: Intake | undefined;
  #sink: SocketSink | undefined;
  #cause: unknown;
  #isPeerGone = false;
  /** Whether the kernel accepted a large write in this turn, which the sink is about to be notified of. */
  #taken = false;
  readonly #reportTaken = (): void => {
    this.#taken = false;
    // If a later write is still pending, 'drain' reports it. After `end`, only 'close' follows.
    const { writable, writableNeedDrain } = this.#socket;
    if (writable && !writableNeedDrain) this.#sink?.drained();
  };

  /**
   * Without an intake (for TLS or a proxy), received bytes are copied into the sink's memory. `explain` rewords the
   * error that ends the socket.
   */
  constructor(socket: NetSocket, { intake, explain = same, peerSubject, ownSubject }: HostSocketOptions = {}) {
    this.#socket = socket;
    this.peerSubject = peerSubject;
    this.ownSubject = ownSubject;
    this.#intake = intake;
    this.readsAhead = intake !== undefined && readsAhead;
    socket.on('error', error => {
      this.#cause = explain(error);
    });
    socket.on('close', () => {
      this.#isPeerGone = true;
      this.#intake?.close();
      this.#sink?.closed(this.#cause);
    });
  }

  listen(sink: SocketSink): void {
    this.#sink = sink;
    const socket = this.#socket;
    if (this.#isPeerGone) {
      queueMicrotask(() => {
        sink.closed(this.#cause);
      });
      return;
    }
    socket.on('drain', () => {
      sink.drained();
    });
    // When the peer ends its side, the connection is over: the protocol does not use half-closed sockets.
    socket.on('end', () => socket.destroy());
    if (this.#intake === undefined) {
      socket.on('data', (chunk: Uint8Array) => {
        pour(chunk, sink, socket);
      });
    } else {
      this.#intake.open(sink, socket);
    }
    socket.resume();
  }

  write(bytes: Uint8Array): boolean {
    const socket = this.#socket;
    if (socket.destroyed) return true;
    const flowing = socket.write(bytes);
    if (!flowing || bytes.length < socket.writableHighWaterMark) return flowing;
    // A write this large returns true only if the kernel took all of it. The caller may then reuse its memory.
    if (!this.#taken) process.nextTick(this.#reportTaken);
    this.#taken = true;
    return false;
  }

  end(): void {
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Resets the connection. Only TCP supports this; Node.js throws for Unix sockets and TLS. */
  reset(): void {
    try {
      this.#socket.resetAndDestroy();
    } catch {
      this.#socket.destroy();
    }
  }
}
