/** Documents and bytes. A codec is one value; what differs from collection to collection lives in a {@link Shape}. */
import type { Document, ObjectId, Raw, Values } from './values.js';

/** How documents are written and read, under the option names of the official driver and with its defaults. */
export interface BsonOptions {
  /** Leave out members that are undefined; otherwise they are written as null. Default false. */
  readonly ignoreUndefined?: boolean;
  /** Write functions as Code; otherwise they are left out. Default false. */
  readonly serializeFunctions?: boolean;
  /** Refuse keys that start with `$` or contain `.`. Default false. */
  readonly checkKeys?: boolean;
  /** int64 as number where it is safe, else Long. Default true. */
  readonly promoteLongs?: boolean;
  /** int64 as bigint. Default false. */
  readonly useBigInt64?: boolean;
  /** int32, double, int64, symbol as number or string instead of their classes. Default true. */
  readonly promoteValues?: boolean;
  /** Binary of any subtype as Uint8Array (Buffer where there is one), unless `promoteValues` is false. Default false. */
  readonly promoteBuffers?: boolean;
  /** Regular expressions as BSONRegExp. Default false. */
  readonly bsonRegExp?: boolean;
  /** Documents as their bytes. Default false. */
  readonly raw?: boolean;
  /** Names of fields whose document values are handed over as bytes. */
  readonly fieldsAsRaw?: Readonly<Record<string, boolean>>;
  /** Refuse strings that are not UTF-8; otherwise U+FFFD stands for what is wrong. Default true. */
  readonly enableUtf8Validation?: boolean;
}

/** Elements encoded once and appended as bytes: `find: "users"`, an lsid, `$clusterTime`. */
export interface Elements {
  readonly byteLength: number;
}

/** Options, and what was learned of the documents of one collection. Made once per handle by {@link BsonCodec.shape}. */
export interface Shape {
  readonly options: BsonOptions;
}

/** Writes the elements of the document that is open. @throws MongoError `usage` for what BSON cannot hold. */
export interface BodyWriter {
  /** Bytes since `begin`, its header included. */
  readonly length: number;
  elements(elements: Elements): void;
  /** Every field of the document, as if each had been written by `value`. */
  fields(document: Document | Raw, shape?: Shape): void;
  int32(key: string, value: number): void;
  int64(key: string, value: number | bigint): void;
  value(key: string, value: unknown, shape?: Shape): void;
  open(key: string, as: 'document' | 'array'): void;
  close(): void;
}

/** Writes document sequences behind the body. Rule: OP_MSG, section kind 1. */
export interface SectionWriter {
  readonly length: number;
  /** Starts a sequence, and ends the one before. */
  section(name: string): void;
  /** One document; a given id is written first, as `_id`. Answers the document's length in bytes. */
  document(document: Document | Raw, shape?: Shape, id?: ObjectId): number;
  /** Takes back everything behind this length: a document that did not fit. */
  cut(length: number): void;
}

/** The one writer of a codec: it owns the memory that messages are built in. One message at a time, all synchronous. */
export interface BsonWriter extends BodyWriter, SectionWriter {
  /** Starts a message: so many bytes of header (zeroes), then an open document. An unfinished message is dropped. */
  begin(header: number): void;
  endBody(): void;
  /** Writes a little-endian int32 at that offset of the message. */
  patch(at: number, value: number): void;
  /** Ends the message. Its bytes are not written to again before they are released. */
  take(): Uint8Array;
  /** Nobody reads these bytes any more, which `take` has answered: their memory may carry another message. Nobody has to call it. */
  release(message: Uint8Array): void;
}

/** Reads a document where it lies. @throws MongoError `protocol` with the byte offset for what is not BSON. */
export interface View {
  has(key: string): boolean;
  /** Any number or boolean as a number. */
  int(key: string): number | undefined;
  /** Any whole number, and the 64 bits of a Timestamp (seconds in the upper half). */
  long(key: string): bigint | undefined;
  text(key: string): string | undefined;
  /** The bytes of a document or array, of a binary's content, else of the value; not a copy. */
  bytes(key: string): Raw | undefined;
  /** A document or array. */
  view(key: string): View | undefined;
  /** An array of documents. */
  batch(key: string): Batch | undefined;
  value(key: string, shape?: Shape): unknown;
  /** The whole document, decoded. Without a shape text may be no UTF-8: what servers quote in errors is cut anywhere. */
  document(shape?: Shape): Document;
}

/** The documents of an array, decoded one by one as they are asked for. */
export interface Batch {
  /** How many are left. */
  readonly length: number;
  next(shape?: Shape): Document | undefined;
  /** The rest as something that outlives the receive buffer; copies only if it must. */
  keep(): Batch;
}

/** A server's answer. It lies in the receive buffer and is dead once `Message.reply` returns: keep or copy. */
export interface Reply extends View {
  readonly ok: boolean;
}

export interface BsonCodec {
  readonly values: Values;
  shape(options?: BsonOptions): Shape;
  elements(document: Document): Elements;
  /** One element from a document's bytes. */
  element(key: string, document: Raw): Elements;
  /**
   * A view of the document between two offsets. `lasting` says that nobody will write to these bytes again, so that
   * `keep` need not copy.
   */
  read(bytes: Uint8Array, start?: number, end?: number, lasting?: boolean): Reply;
  writer(): BsonWriter;
}
