/**
 * The BSON codec: converts documents to bytes and back. A client has one codec. The codec receives the options of a collection as
 * a {@link Shape}. Rule: BSON specification.
 */
import type { Document, ObjectId, Raw, Values } from './values.js';

/** Options for encoding and decoding documents, with the names and defaults of the official driver. */
export interface BsonOptions {
  /** Omits fields whose value is undefined; otherwise they are encoded as null. Default: false. */
  ignoreUndefined?: boolean;
  /** Encodes functions as Code; otherwise they are omitted. Default: false. */
  serializeFunctions?: boolean;
  /** Rejects keys that start with `$` or contain `.`. Default: false. */
  checkKeys?: boolean;
  /** Decodes an int64 to a number if it is a safe integer, else to a Long. Default: true. */
  promoteLongs?: boolean;
  /** Decodes every int64 to a bigint. Default: false. */
  useBigInt64?: boolean;
  /** Decodes int32, double, int64 and symbol to numbers and strings; otherwise to their classes. Default: true. */
  promoteValues?: boolean;
  /** Decodes binary of any subtype to a Uint8Array (on Node.js a Buffer), unless `promoteValues` is false. Default: false. */
  promoteBuffers?: boolean;
  /** Decodes regular expressions to BSONRegExp; otherwise to RegExp. Default: false. */
  bsonRegExp?: boolean;
  /** Returns documents as their bytes, not decoded. Default: false. */
  raw?: boolean;
  /** The names of fields whose documents are returned as bytes, each with the value true. Default: none. */
  fieldsAsRaw?: Document;
  /** Rejects strings that are not valid UTF-8; otherwise U+FFFD replaces the invalid bytes. Default: true. */
  enableUtf8Validation?: boolean;
}

/**
 * Encoded elements (keys with values) that are appended to commands as bytes, such as `find: "users"`, `lsid` or
 * `$clusterTime`. Only the codec that created them can read them.
 */
export interface Elements {
  /** The number of bytes. */
  readonly byteLength: number;
}

/**
 * The options of one collection, and the data that a codec caches about its documents, such as field names. Each handle creates one
 * shape with {@link BsonCodec.shape}.
 */
export interface Shape {
  /** The options with which the decoder reads documents of this shape. */
  readonly options: BsonOptions;
}

/**
 * Writes elements into the open document: the document or array that was begun last and is not closed. Initially this is the body.
 * @throws MongoError `usage` for a value or key that BSON cannot represent
 */
export interface BodyWriter {
  /** The length of the message so far in bytes, including its header. */
  readonly length: number;
  /** Appends encoded elements. */
  elements(elements: Elements): void;
  /** Writes every field of a document, like a call of `value` for each field. */
  fields(document: Document | Raw, shape?: Shape): void;
  /** Writes an int32. */
  int32(key: string, value: number): void;
  /** Writes an int64. */
  int64(key: string, value: number | bigint): void;
  /** Writes a value of any type. `shape` gives the options; without it, the defaults apply. */
  value(key: string, value: unknown, shape?: Shape): void;
  /** Starts a nested document or array. The calls until `close` write its elements. */
  open(key: string, as: 'document' | 'array'): void;
  /** Ends the open document or array. */
  close(): void;
}

/**
 * Writes document sequences after the body. A document sequence is a list of documents that belongs to a field of the command, such
 * as the documents of an insert. Rule: OP_MSG, section kind 1.
 */
export interface SectionWriter {
  /** The length of the message so far in bytes, including its header. */
  readonly length: number;
  /** Ends the previous sequence and starts a sequence for this field of the command, such as `documents`. */
  section(name: string): void;
  /**
   * Writes one document and returns its length in bytes. If `id` is given, writes it first, as `_id`.
   * @throws MongoError `usage` for a value or key that BSON cannot represent
   */
  document(document: Document | Raw, shape?: Shape, id?: ObjectId): number;
  /** Shortens the message to this length in bytes, to remove a document that exceeds a size limit. */
  cut(length: number): void;
}

/** Writes messages, one at a time and synchronously. A codec has one writer, which allocates the memory of messages. */
export interface BsonWriter extends BodyWriter, SectionWriter {
  /** Starts a message: writes `header` zero bytes and opens the body. Discards an unfinished message. */
  begin(header: number): void;
  /** Closes the document that `begin` opened. Document sequences follow. */
  endBody(): void;
  /** Overwrites 4 bytes at offset `at` of the message with a little-endian int32, such as a length in the header. */
  patch(at: number, value: number): void;
  /** Ends the message and returns its bytes. The writer does not change them before `release`. */
  take(): Uint8Array;
  /** Allows the writer to reuse the memory of a message that `take` returned. Calling it is optional. Do not read the bytes after. */
  release(message: Uint8Array): void;
}

/**
 * Reads fields of an encoded document without decoding the rest. `int`, `long`, `text`, `view` and `batch` return undefined if the
 * field is missing or has another type.
 * @throws MongoError `protocol` with the byte offset if the bytes are not valid BSON
 */
export interface View {
  /** Returns whether the document has this field. */
  has(key: string): boolean;
  /** Returns the value of any numeric BSON type as a number, or a boolean as 0 or 1. A large int64 loses precision. */
  int(key: string): number | undefined;
  /** Returns an int32, an int64 or a double without a fraction, or the 64 bits of a Timestamp (seconds in the upper 32 bits). */
  long(key: string): bigint | undefined;
  /** Returns a string or symbol. */
  text(key: string): string | undefined;
  /**
   * Returns the bytes of a document or array, the content of a binary, or the encoded bytes of any other value. They are not a
   * copy.
   */
  bytes(key: string): Raw | undefined;
  /** Returns a view of a nested document or array. */
  view(key: string): View | undefined;
  /** Returns a {@link Batch}, an iterator over an array of documents. */
  batch(key: string): Batch | undefined;
  /** Decodes one field. Returns undefined if it is missing. */
  value(key: string, shape?: Shape): unknown;
  /**
   * Decodes the whole document. Without a shape it accepts invalid UTF-8, because servers truncate quoted text in error messages
   * at any byte.
   */
  document(shape?: Shape): Document;
}

/** An iterator over the documents of an array. It decodes each document when `next` is called. */
export interface Batch {
  /** The number of remaining documents. */
  readonly length: number;
  /** Decodes the next document. Returns undefined after the last one. */
  next(shape?: Shape): Document | undefined;
  /**
   * Returns a batch of the remaining documents that stays valid after the receive buffer is reused. Copies the bytes only if
   * necessary.
   */
  keep(): Batch;
}

/**
 * A server's reply, read inside the receive buffer. It is only valid until `Message.reply` returns; copy fields that you need
 * later.
 */
export interface Reply extends View {
  /** Whether the field `ok` is 1. */
  readonly ok: boolean;
}

/** Converts documents to bytes and back. `codecSuite` of `@tessera/sim` tests an implementation. */
export interface BsonCodec {
  /** The constructors of BSON values. */
  readonly values: Values;
  /** Creates a shape with these options, and the defaults for the others. */
  shape(options?: BsonOptions): Shape;
  /** Encodes the fields of a document, so that they can be appended to many commands without encoding them again. */
  elements(document: Document): Elements;
  /** Returns an element whose value is an encoded document. */
  element(key: string, document: Raw): Elements;
  /**
   * Returns a view of the document between two offsets, by default of all bytes. Pass true as `lasting` if these bytes never
   * change, so that `Batch.keep` does not copy them. The default is false.
   */
  read(bytes: Uint8Array, start?: number, end?: number, lasting?: boolean): Reply;
  /** Returns the writer of this codec, always the same. */
  writer(): BsonWriter;
}
