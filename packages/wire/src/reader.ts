import type { BsonCodec, FrameReader, Soon } from '@tessera/contracts';
import { HEADER, int32, LONGEST, protocolError, OP_COMPRESSED } from './frame.js';
import { readMessage } from './reply.js';
import type { Take } from './reply.js';

/** The receive buffer that all sockets share if their bytes are read in the same turn. */
const SHARED_ROOM = 128 * 1024;
/** The receive buffer of a socket that reads ahead. */
const OWN_ROOM = 32 * 1024;
/** How much memory is allocated for a message before its bytes arrive: enough for a server's largest batch of documents. */
const PREALLOCATED = 17 << 20;
const GROWTH = 4;

let shared: Uint8Array | undefined;
const sharedRoom = (): Uint8Array => (shared ??= new Uint8Array(SHARED_ROOM));

export interface ReaderOptions {
  readonly readsAhead: boolean;
  readonly take: Take;
  readonly failed: (cause: unknown) => void;
}

const lengthAt = (bytes: Uint8Array, at: number): number => {
  const length = int32(bytes, at);
  if (length < HEADER || length > LONGEST) {
    throw protocolError(`Invalid message length of ${length} bytes: it must be from ${HEADER} to ${LONGEST}.`);
  }
  return length;
};

/** Messages received while another thread decompresses an earlier one. They wait so that replies keep their order. */
interface Backlog {
  readonly frames: Uint8Array[];
  bytes: number;
}

/**
 * Splits received bytes into messages. Complete messages are read in the receive buffer, which sockets share. For an
 * incomplete message only the header is copied; the rest is received directly into the message's own memory. A large
 * message is therefore copied only when its memory grows beyond the initial allocation, and its reply remains valid.
 */
export class Reader implements FrameReader {
  readonly #bson: BsonCodec;
  readonly #unpack: (frame: Uint8Array) => Soon<Uint8Array>;
  readonly #take: Take;
  readonly #failed: (cause: unknown) => void;
  readonly #room: Uint8Array;
  /** The received part of an incomplete message; only its header while the length is unknown. */
  #own: Uint8Array | undefined;
  #have = 0;
  #length = 0;
  #backlog: Backlog | undefined;
  #dead = false;

  constructor(bson: BsonCodec, unpack: (frame: Uint8Array) => Soon<Uint8Array>, options: ReaderOptions) {
    this.#bson = bson;
    this.#unpack = unpack;
    this.#take = options.take;
    this.#failed = options.failed;
    this.#room = options.readsAhead ? new Uint8Array(OWN_ROOM) : sharedRoom();
  }

  room(): Uint8Array {
    return this.#own === undefined ? this.#room : this.#own.subarray(this.#have);
  }

  filled(length: number): void {
    if (this.#dead) return;
    try {
      if (this.#own === undefined) this.#scan(length);
      else this.#gather(this.#own, length);
    } catch (cause) {
      this.#dead = true;
      // The socket may deliver more bytes before it is closed, and a full buffer would have no room for them.
      this.#own = undefined;
      throw cause;
    }
  }

  /** Reads the complete messages in the receive buffer, and copies the start of an incomplete one. */
  #scan(end: number): void {
    const room = this.#room;
    let at = 0;
    while (end - at >= HEADER) {
      const length = lengthAt(room, at);
      if (length > end - at) break;
      this.#deliver(room, at, at + length, false);
      at += length;
    }
    if (at === end) return;
    const rest = end - at;
    this.#length = rest >= HEADER ? lengthAt(room, at) : 0;
    const own = new Uint8Array(rest >= HEADER ? Math.min(this.#length, Math.max(PREALLOCATED, rest)) : HEADER);
    own.set(room.subarray(at, end));
    this.#own = own;
    this.#have = rest;
  }

  /** Adds bytes to the message that has its own memory. */
  #gather(own: Uint8Array, length: number): void {
    this.#have += length;
    if (this.#have < own.length) return;
    if (this.#length === 0) this.#length = lengthAt(own, 0);
    if (this.#have < this.#length) {
      this.#own = this.#grown(own);
      return;
    }
    this.#own = undefined;
    this.#have = 0;
    this.#deliver(own, 0, this.#length, true);
  }

  #grown(own: Uint8Array): Uint8Array {
    const next = new Uint8Array(Math.min(this.#length, Math.max(PREALLOCATED, own.length * GROWTH)));
    next.set(own);
    return next;
  }

  #deliver(bytes: Uint8Array, at: number, end: number, lasting: boolean): void {
    const packed = int32(bytes, at + 12) === OP_COMPRESSED;
    if (!packed && this.#backlog === undefined) {
      readMessage(this.#bson, bytes, at, end, lasting, this.#take);
      return;
    }
    // The frame must survive this turn: another thread decompresses it, or it waits in the queue.
    const frame = lasting ? bytes : bytes.slice(at, end);
    if (this.#backlog === undefined) this.#open(frame);
    else this.#enqueue(this.#backlog, frame);
  }

  /** Opens a frame in its own memory. Returns whether it was read at once. */
  #open(frame: Uint8Array): boolean {
    if (int32(frame, 12) !== OP_COMPRESSED) {
      readMessage(this.#bson, frame, 0, frame.length, true, this.#take);
      return true;
    }
    const message = this.#unpack(frame);
    if (!(message instanceof Promise)) {
      readMessage(this.#bson, message, 0, message.length, true, this.#take);
      return true;
    }
    this.#backlog ??= { frames: [], bytes: 0 };
    message
      .then(m => {
        if (this.#dead) return;
        readMessage(this.#bson, m, 0, m.length, true, this.#take);
        this.#workOff();
      })
      .catch((cause: unknown) => {
        this.#fail(cause);
      });
    return false;
  }

  #enqueue(backlog: Backlog, frame: Uint8Array): void {
    backlog.bytes += frame.length;
    if (backlog.bytes > LONGEST)
      throw protocolError('Too many bytes arrived while an earlier message was being decompressed.');
    backlog.frames.push(frame);
  }

  #workOff(): void {
    const backlog = this.#backlog!;
    for (let frame = backlog.frames.shift(); frame !== undefined; frame = backlog.frames.shift()) {
      backlog.bytes -= frame.length;
      if (!this.#open(frame)) return;
    }
    this.#backlog = undefined;
  }

  #fail(cause: unknown): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#backlog = undefined;
    this.#failed(cause);
  }
}
