import type { Socket as NetSocket, OnReadOpts } from 'node:net';
import type { Socket, SocketSink } from '@tessera/contracts';

/**
 * On Windows a read is posted with its memory before bytes come, so that memory cannot be shared; elsewhere the memory is
 * only touched in the turn in which `filled` is called.
 */
export const readsAhead: boolean = process.platform === 'win32';

const firstRoom = (): Uint8Array => new Uint8Array(1024);
const sharedFirstRoom = firstRoom();

/**
 * Where the kernel's bytes land. Node.js asks for memory when the socket is made, before anyone listens, so the first read
 * goes to a room of our own; all later ones go straight into the sink's.
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

/** Copies the bytes into the sink's memory, until the sink destroys the socket. A sink without room loses the socket. */
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

/** A connected and paused `net.Socket` under the contract's terms. Reading starts with `listen`, so that no byte is lost. */
export class HostSocket implements Socket {
  readonly readsAhead: boolean;
  readonly peerSubject: string | undefined;
  readonly ownSubject: string | undefined;
  readonly #socket: NetSocket;
  readonly #intake: Intake | undefined;
  #sink: SocketSink | undefined;
  #cause: unknown;
  #isPeerGone = false;
  /** A large piece has left in this turn, and the sink is about to hear of it. */
  #taken = false;
  readonly #reportTaken = (): void => {
    this.#taken = false;
    // A later piece may still be leaving: 'drain' will tell, or, once the end was asked for, nothing but 'close'.
    const { writable, writableNeedDrain } = this.#socket;
    if (writable && !writableNeedDrain) this.#sink?.drained();
  };

  /**
   * Without an intake (a socket with TLS or through a proxy) its bytes are copied into the sink's
   * memory. `explain` puts the error that ends the socket in other words.
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
    // A peer that ended its side is gone for us: nobody speaks this protocol into a half-closed socket.
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
    // So large a piece flows only if the kernel took it whole. Whoever wrote it may have its memory back.
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

  /** Only TCP has resets: Node.js refuses them to unix sockets and to TLS. */
  reset(): void {
    try {
      this.#socket.resetAndDestroy();
    } catch {
      this.#socket.destroy();
    }
  }
}
