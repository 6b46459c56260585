import type { Soon } from './clock.js';
import type { BsonCodec, Reply } from './codec.js';
import type { Compressor } from './compressor.js';
import type { Message } from './message.js';
import type { Document } from './values.js';

/** Bytes to messages, for one socket: the two ends of a {@link SocketSink} that matter. */
export interface FrameReader {
  room(): Uint8Array;
  /**
   * Hands every message that is now whole to `take`, in order. A compressed one may come in a later turn.
   * @throws MongoError `protocol`: the stream is lost, close the socket.
   */
  filled(length: number): void;
}

/** What of a message is written. */
export interface Writing {
  readonly db: string;
  readonly name: string;
  readonly answer: Message['answer'];
  readonly body: Message['body'];
  readonly sections?: Message['sections'] | undefined;
}

/** Messages and frames. Rule: OP_MSG and OP_COMPRESSED. */
export interface WireCodec {
  /** @throws what the message's body throws; nothing was taken then. */
  write(requestId: number, message: Writing): Uint8Array;
  /** Nobody reads a frame any more that `write` made: see `BsonWriter.release`. Other bytes are left alone. */
  release(frame: Uint8Array): void;
  /** The same frame in an envelope. Rule: OP_COMPRESSED; commands that must not be compressed are the caller's to know. */
  compress(frame: Uint8Array, compressor: Compressor): Soon<Uint8Array>;
  /** The command of a frame that `write` made, its sequences as arrays: for command events. */
  document(frame: Uint8Array): Document;
  /** `failed` hears what goes wrong after `filled` has returned (decompression in another thread). */
  reader(options: {
    readonly readsAhead: boolean;
    /** The reply's own id is what the next one answers, if more come. Rule: OP_MSG, "moreToCome On Responses". */
    take(responseTo: number, reply: Reply, more: boolean, id: number): void;
    failed(cause: unknown): void;
  }): FrameReader;
}

export interface WireDeps {
  readonly bson: BsonCodec;
  /** The compressors that the codec can decompress. The handshake determines which of them compresses requests. */
  readonly compressors: readonly Compressor[];
}

/** Makes the wire codec of a client. */
export type CreateWire = (deps: WireDeps) => WireCodec;
