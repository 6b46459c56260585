/** A codec that uses only the npm package `bson`. */
import * as npm from 'bson';
import type {
  Batch,
  BsonCodec,
  BsonOptions,
  BsonWriter,
  Document,
  Elements,
  ObjectId,
  Raw,
  Reply,
  Shape,
  View,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

interface NpmElements extends Elements {
  readonly bytes: Uint8Array;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const encode = (document: Document | Raw, options: BsonOptions = {}): Uint8Array => {
  if (document instanceof Uint8Array) return document;
  const { ignoreUndefined = false, serializeFunctions = false, checkKeys = false } = options;
  try {
    return npm.serialize(document, { ignoreUndefined, serializeFunctions, checkKeys });
  } catch (error) {
    throw new MongoError('usage', `The document cannot be encoded as BSON: ${messageOf(error)}`, { cause: error });
  }
};

const decode = (bytes: Raw, options: BsonOptions = {}): Document => {
  const { promoteLongs, useBigInt64, promoteValues, promoteBuffers, bsonRegExp, raw, fieldsAsRaw } = options;
  const given = { promoteLongs, useBigInt64, promoteValues, promoteBuffers, bsonRegExp, raw, fieldsAsRaw };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  try {
    return npm.deserialize(bytes, { ...known, validation: { utf8: options.enableUtf8Validation ?? true } });
  } catch (error) {
    throw new MongoError('protocol', `The bytes are not valid BSON: ${messageOf(error)}`, { cause: error });
  }
};

/** Encodes a document without its length and terminator. */
const elementsOf = (document: Document | Raw, shape?: Shape): Uint8Array =>
  encode(document, shape?.options).subarray(4, -1);

const utf8 = new TextEncoder();

/** Encodes the type and the key of an element. */
const headOf = (type: number, key: string): Uint8Array => {
  if (key.includes('\0')) throw new MongoError('usage', `A key must not contain a zero byte: ${JSON.stringify(key)}.`);
  return Uint8Array.of(type, ...utf8.encode(key), 0);
};

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

class NpmWriter implements BsonWriter {
  #bytes = new Uint8Array(0);
  #at = 0;
  /** The offsets of the open documents. */
  #open: number[] = [];
  #section: number | undefined;

  get length(): number {
    return this.#at;
  }

  begin(header: number): void {
    this.#bytes = new Uint8Array(header + 512);
    this.#at = header;
    this.#open = [];
    this.#section = undefined;
    this.#start();
  }

  elements(elements: Elements): void {
    this.#put((elements as NpmElements).bytes);
  }

  fields(document: Document | Raw, shape?: Shape): void {
    this.#put(elementsOf(document, shape));
  }

  int32(key: string, value: number): void {
    this.value(key, new npm.Int32(value));
  }

  int64(key: string, value: number | bigint): void {
    this.value(key, BigInt(value));
  }

  value(key: string, value: unknown, shape?: Shape): void {
    if (typeof value === 'bigint' && !isInt64(value)) throw new MongoError('usage', `${value} has more than 64 bits.`);
    this.#put(elementsOf({ [key]: value }, shape));
  }

  open(key: string, as: 'document' | 'array'): void {
    this.#put(headOf(as === 'array' ? 4 : 3, key));
    this.#start();
  }

  close(): void {
    this.#put(Uint8Array.of(0));
    this.#measure(this.#open.pop());
  }

  endBody(): void {
    this.close();
  }

  section(name: string): void {
    this.#measure(this.#section);
    this.#put(Uint8Array.of(1));
    this.#section = this.#at;
    this.#put(Uint8Array.of(0, 0, 0, 0, ...utf8.encode(name), 0));
  }

  document(document: Document | Raw, shape?: Shape, id?: ObjectId): number {
    const first = id === undefined ? new Uint8Array(0) : elementsOf({ _id: id });
    const bytes = encode(document, shape?.options);
    const length = bytes.length + first.length;
    const at = this.#at;
    this.#put(Uint8Array.of(0, 0, 0, 0));
    this.patch(at, length);
    this.#put(first);
    this.#put(bytes.subarray(4));
    return length;
  }

  cut(length: number): void {
    this.#at = length;
  }

  patch(at: number, value: number): void {
    new DataView(this.#bytes.buffer).setInt32(at, value, true);
  }

  take(): Uint8Array {
    this.#measure(this.#section);
    return this.#bytes.subarray(0, this.#at);
  }
  /** Does nothing: each message has its own memory. */
  release(): void {}

  #start(): void {
    this.#open.push(this.#at);
    this.#put(Uint8Array.of(0, 0, 0, 0));
  }

  /** Writes the length of the document or section that starts at `from`. */
  #measure(from: number | undefined): void {
    if (from !== undefined) this.patch(from, this.#at - from);
  }

  #put(bytes: Uint8Array): void {
    const end = this.#at + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(end * 2);
      grown.set(this.#bytes.subarray(0, this.#at));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#at);
    this.#at = end;
  }
}

class NpmBatch implements Batch {
  readonly #documents: Raw[];

  constructor(documents: Raw[]) {
    this.#documents = documents;
  }

  get length(): number {
    return this.#documents.length;
  }

  next(shape?: Shape): Document | undefined {
    const bytes = this.#documents.shift();
    return bytes === undefined || shape?.options.raw === true ? bytes : decode(bytes, shape?.options);
  }

  /** Returns the batch itself: its documents already have their own memory. */
  keep(): Batch {
    return this;
  }
}

class NpmView implements Reply {
  readonly #bytes: Raw;
  #fields: Document | undefined;

  constructor(bytes: Raw) {
    this.#bytes = bytes;
  }

  get ok(): boolean {
    return this.int('ok') === 1;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#all(), key);
  }

  int(key: string): number | undefined {
    const value = this.#field(key);
    if (typeof value === 'boolean') return Number(value);
    if (value instanceof npm.Long) return value.toNumber();
    return value instanceof npm.Int32 || value instanceof npm.Double ? value.value : undefined;
  }

  long(key: string): bigint | undefined {
    const value = this.#field(key);
    if (value instanceof npm.Timestamp) return (BigInt(value.t) << 32n) | BigInt(value.i);
    if (value instanceof npm.Long) return value.toBigInt();
    const number = this.int(key);
    return number === undefined ? undefined : BigInt(Math.trunc(number));
  }

  text(key: string): string | undefined {
    const value = this.#field(key);
    return typeof value === 'string' ? value : undefined;
  }

  bytes(key: string): Raw | undefined {
    const value = this.#field(key);
    if (value instanceof npm.Binary) return value.value();
    return value === undefined ? undefined : elementsOf({ [key]: value }).subarray(headOf(0, key).length);
  }

  view(key: string): View | undefined {
    const value = this.#field(key);
    const holds = Array.isArray(value) || (typeof value === 'object' && value !== null && !('_bsontype' in value));
    return holds ? new NpmView(this.bytes(key) ?? new Uint8Array(0)) : undefined;
  }

  batch(key: string): Batch | undefined {
    const value: unknown = decode(this.#bytes, { fieldsAsRaw: { [key]: true } })[key];
    return Array.isArray(value) ? new NpmBatch([...(value as readonly Raw[])]) : undefined;
  }

  value(key: string, shape?: Shape): unknown {
    return this.has(key) ? this.document(shape)[key] : undefined;
  }

  document(shape?: Shape): Document {
    return decode(this.#bytes, shape?.options);
  }

  #field(key: string): unknown {
    return this.has(key) ? this.#all()[key] : undefined;
  }

  #all(): Document {
    return (this.#fields ??= decode(this.#bytes, { promoteValues: false }));
  }
}

const prepared = (bytes: Uint8Array): NpmElements => ({ bytes, byteLength: bytes.length });

export const npmCodec: BsonCodec = {
  values: npm,
  shape: (options = {}) => ({ options }),
  elements: document => prepared(elementsOf(document)),
  element: (key, document) => prepared(Uint8Array.of(...headOf(3, key), ...document)),
  // Copies the reply, because the receive buffer is reused.
  read: (bytes, start = 0, end = bytes.length) => new NpmView(Uint8Array.from(bytes.subarray(start, end))),
  writer: () => new NpmWriter(),
};
