import type { Soon } from './clock.js';
import type { BsonCodec, Reply } from './codec.js';
import type { Compressor } from './compressor.js';
import type { Message } from './message.js';
import type { Document } from './values.js';

/** Splits the bytes of one socket into messages. Call its methods as a socket calls those of {@link SocketSink}. */
export interface FrameReader {
  /** Returns memory for the next bytes. */
  room(): Uint8Array;
  /**
   * Processes `length` bytes of that memory and calls `take` with each complete message, in order. After a message that is
   * decompressed asynchronously, `take` is called in a later turn of the event loop.
   * @throws MongoError `protocol` if the bytes are not a valid message; then the socket must be closed
   */
  filled(length: number): void;
}

/** The part of a {@link Message} that determines its bytes. */
export interface Writing {
  /** The name of the database. `body` writes it as `$db`; the codec must not. */
  readonly db: string;
  /** The name of the command. */
  readonly name: string;
  /** The number of replies. For `none`, the codec sets the flag moreToCome; for `many`, exhaustAllowed. */
  readonly answer: Message['answer'];
  /** Writes the whole command. */
  readonly body: Message['body'];
  /** Writes the document sequences. Absent: there are none. */
  readonly sections?: Message['sections'] | undefined;
}

/**
 * Converts messages to frames and back. A frame is the bytes of one message, header included. `wireSuite` of `@tessera/sim`
 * tests an implementation. Rule: OP_MSG; OP_COMPRESSED.
 */
export interface WireCodec {
  /**
   * Returns the frame of a message.
   * @throws the error that the message's `body` or `sections` throws
   */
  write(requestId: number, message: Writing): Uint8Array;
  /** Allows the codec to reuse the memory of a frame that `write` returned: see {@link BsonWriter.release}. Ignores other bytes. */
  release(frame: Uint8Array): void;
  /**
   * Returns an OP_COMPRESSED frame with the content of `frame`. Do not call it for commands that must not be compressed, such
   * as hello.
   */
  compress(frame: Uint8Array, compressor: Compressor): Soon<Uint8Array>;
  /** Decodes the command of a frame that `write` returned, for command events. Document sequences become arrays. */
  document(frame: Uint8Array): Document;
  /** Creates the reader of one socket. */
  reader(options: {
    /** See {@link Socket.readsAhead}. */
    readonly readsAhead: boolean;
    /**
     * Receives each reply. `responseTo` is the id of the request, or of the previous reply if the previous reply had the flag
     * moreToCome. `more` is whether this reply has the flag. `id` is the id of this reply. Rule: OP_MSG, "moreToCome On Responses".
     */
    take(responseTo: number, reply: Reply, more: boolean, id: number): void;
    /** Receives an error that occurs after `filled` has returned, during asynchronous decompression. Must close the socket. */
    failed(cause: unknown): void;
  }): FrameReader;
}

/** The dependencies of a wire codec. */
export interface WireDeps {
  /** Encodes and decodes the documents of messages. */
  readonly bson: BsonCodec;
  /** The compressors that the codec can decompress. The handshake determines which of them compresses requests. */
  readonly compressors: readonly Compressor[];
}

/** Creates the wire codec of a client. */
export type CreateWire = (deps: WireDeps) => WireCodec;
