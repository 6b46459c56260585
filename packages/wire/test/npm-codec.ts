/** A minimal BsonCodec that uses only the npm package `bson`. It is slow, but handles every message. */
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

interface NpmElements extends Elements {
  readonly raw: Uint8Array;
}

const encode = (document: Document | Raw, options: BsonOptions = {}): Uint8Array =>
  document instanceof Uint8Array
    ? document
    : npm.serialize(document, {
        ignoreUndefined: options.ignoreUndefined ?? false,
        serializeFunctions: options.serializeFunctions ?? false,
        checkKeys: options.checkKeys ?? false,
      });

const elementsOf = (document: Document | Raw, shape?: Shape): Uint8Array =>
  encode(document, shape?.options).slice(4, -1);

class Writer implements BsonWriter {
  #bytes = new Uint8Array(256);
  #at = 0;
  #open: number[] = [];
  #section = -1;

  get length(): number {
    return this.#at;
  }
  begin(header: number): void {
    this.#bytes = new Uint8Array(256);
    this.#at = header;
    this.#open = [];
    this.#section = -1;
    this.#start();
  }
  elements(elements: Elements): void {
    this.#put((elements as NpmElements).raw);
  }
  fields(document: Document | Raw, shape?: Shape): void {
    this.#put(elementsOf(document, shape));
  }
  int32(key: string, value: number): void {
    this.value(key, new npm.Int32(value));
  }
  int64(key: string, value: number | bigint): void {
    this.value(key, npm.Long.fromBigInt(BigInt(value)));
  }
  value(key: string, value: unknown, shape?: Shape): void {
    this.#put(elementsOf({ [key]: value }, shape));
  }
  open(key: string, as: 'document' | 'array'): void {
    this.#put([as === 'array' ? 4 : 3, ...new TextEncoder().encode(key), 0]);
    this.#start();
  }
  close(): void {
    this.#put([0]);
    this.#patchLength(this.#open.pop()!);
  }
  endBody(): void {
    this.close();
  }
  section(name: string): void {
    this.#endSection();
    this.#put([1]);
    this.#section = this.#at;
    this.#put([0, 0, 0, 0, ...new TextEncoder().encode(name), 0]);
  }
  document(document: Document | Raw, shape?: Shape, id?: ObjectId): number {
    const own = document instanceof Uint8Array ? npm.deserialize(document) : document;
    const raw = id === undefined ? encode(document, shape?.options) : encode({ _id: id, ...own }, shape?.options);
    this.#put(raw);
    return raw.length;
  }
  cut(length: number): void {
    this.#at = length;
  }
  patch(at: number, value: number): void {
    new DataView(this.#bytes.buffer).setInt32(at, value, true);
  }
  take(): Uint8Array {
    this.#endSection();
    return this.#bytes.subarray(0, this.#at);
  }
  /** Does nothing: every message has its own memory. */
  release(): void {}

  #start(): void {
    this.#open.push(this.#at);
    this.#put([0, 0, 0, 0]);
  }
  #endSection(): void {
    if (this.#section >= 0) this.#patchLength(this.#section);
  }
  #patchLength(at: number): void {
    this.patch(at, this.#at - at);
  }
  #put(bytes: ArrayLike<number>): void {
    const end = this.#at + bytes.length;
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(end * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#at);
    this.#at = end;
  }
}

class NpmView implements Reply {
  readonly #raw: Uint8Array;
  #fields: Document | undefined;

  constructor(raw: Uint8Array) {
    this.#raw = raw;
  }
  get ok(): boolean {
    return this.int('ok') === 1;
  }
  has(key: string): boolean {
    return key in this.#read();
  }
  int(key: string): number | undefined {
    const value = this.long(key);
    return value === undefined ? undefined : Number(value);
  }
  long(key: string): bigint | undefined {
    const value: unknown = this.#read()[key];
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return BigInt(Math.trunc(Number(value)));
    return value instanceof npm.Long ? value.toBigInt() : undefined;
  }
  text(key: string): string | undefined {
    const value: unknown = this.#read()[key];
    return typeof value === 'string' ? value : undefined;
  }
  bytes(key: string): Raw | undefined {
    const value: unknown = this.#read()[key];
    if (value instanceof npm.Binary) return value.buffer;
    return typeof value === 'object' && value !== null ? encode(value) : undefined;
  }
  view(key: string): View | undefined {
    const value: unknown = this.#read()[key];
    return typeof value === 'object' && value !== null ? new NpmView(encode(value)) : undefined;
  }
  batch(key: string): Batch | undefined {
    const value: unknown = this.#read()[key];
    return Array.isArray(value) ? batchOf(value as Document[]) : undefined;
  }
  value(key: string, shape?: Shape): unknown {
    return this.document(shape)[key];
  }
  document(shape?: Shape): Document {
    const { promoteLongs = true, promoteValues = true, useBigInt64 = false } = shape?.options ?? {};
    return npm.deserialize(this.#raw, { promoteLongs, promoteValues, useBigInt64 });
  }
  #read(): Document {
    return (this.#fields ??= npm.deserialize(this.#raw, { promoteLongs: false, promoteValues: true }));
  }
}

const batchOf = (documents: Document[]): Batch => ({
  get length() {
    return documents.length;
  },
  next: () => documents.shift(),
  keep: () => batchOf([...documents]),
});

export const npmCodec: BsonCodec = {
  values: npm,
  shape: (options = {}) => ({ options }),
  elements: document => {
    const raw = elementsOf(document);
    return { raw, byteLength: raw.length } as NpmElements;
  },
  element: (key, document) => {
    const raw = Uint8Array.from([3, ...new TextEncoder().encode(key), 0, ...document]);
    return { raw, byteLength: raw.length } as NpmElements;
  },
  read: (bytes, start = 0, end = bytes.length) => new NpmView(bytes.slice(start, end)),
  writer: () => new Writer(),
};
