import type { Soon } from './clock.js';
import type { BsonCodec, Reply } from './codec.js';
import type { Compressor } from './compressor.js';
import type { Message } from './message.js';
import type { Document } from './values.js';

/** Splits the bytes of one socket into messages. Its methods have the meaning of those of {@link SocketSink}. */
export interface FrameReader {
  /** Returns memory for the next bytes. */
  room(): Uint8Array;
  /**
   * Takes `length` bytes and calls `take` with each message that is now complete, in order. Messages that are decompressed
   * asynchronously, and those behind them, follow in a later turn.
   * @throws MongoError `protocol` if the bytes are not a valid message; then the socket must be closed
   */
  filled(length: number): void;
}

/** The part of a {@link Message} that determines its bytes. */
export interface Writing {
  readonly db: string;
  readonly name: string;
  readonly answer: Message['answer'];
  readonly body: Message['body'];
  readonly sections?: Message['sections'] | undefined;
}

/** Converts messages to frames and back. `wireSuite` of `@tessera/sim` tests an implementation. Rule: OP_MSG; OP_COMPRESSED. */
export interface WireCodec {
  /**
   * Returns the frame of a message.
   * @throws the error that the message's `body` or `sections` throws
   */
  write(requestId: number, message: Writing): Uint8Array;
  /** Allows the codec to reuse the memory of a frame that `write` returned: see {@link BsonWriter.release}. Ignores other bytes. */
  release(frame: Uint8Array): void;
  /** Returns an OP_COMPRESSED frame with the content of `frame`. The caller must exclude commands that must not be compressed. */
  compress(frame: Uint8Array, compressor: Compressor): Soon<Uint8Array>;
  /** Decodes the command of a frame that `write` returned, for command events. Document sequences become arrays. */
  document(frame: Uint8Array): Document;
  /** Creates the reader of one socket. */
  reader(options: {
    /** See {@link Socket.readsAhead}. */
    readonly readsAhead: boolean;
    /**
     * Receives each reply. `responseTo` is the id of the request, or of the previous reply if that had the flag moreToCome.
     * `more` is this flag, and `id` the reply's own id. Rule: OP_MSG, "moreToCome On Responses".
     */
    take(responseTo: number, reply: Reply, more: boolean, id: number): void;
    /** Receives an error that occurs after `filled` has returned, during asynchronous decompression. Close the socket. */
    failed(cause: unknown): void;
  }): FrameReader;
}

/** The dependencies of a wire codec. */
export interface WireDeps {
  readonly bson: BsonCodec;
  /** The compressors that the codec can decompress. The handshake determines which of them compresses requests. */
  readonly compressors: readonly Compressor[];
}

/** Creates the wire codec of a client. */
export type CreateWire = (deps: WireDeps) => WireCodec;
