import {
  MongoError,
  type BsonWriter,
  type Document,
  type Elements,
  type ObjectId,
  type Raw,
  type Shape,
} from '@tessera/contracts';
import { shapeOr, type CollectionShape } from '../shape.js';
import type { PreparedElements } from './elements.js';
import { writeElement, writeLooseKey } from './any.js';
import { bytes, capacity, grow, makeSlab, numbers, release, shrink, slab, slabSize, use, type Slab } from './slab.js';
import { aside, start, stop, tree, waiting, writing } from './state.js';
import { usageError, writeTop, writeTopWithId, writingWith } from './top.js';
import { writeName } from './text.js';

/** The minimum room for a new message. A slab with less room left is replaced. */
const smallest = 16 * 1024;

const misuse = (sentence: string): MongoError =>
  new MongoError('usage', `${sentence} This is a bug in the calling code.`);

const growTo = (end: number, written: number): void => {
  try {
    grow(end, written);
  } catch (error) {
    throw usageError(error);
  }
};

/** Builds messages in slabs, one message after the other. */
export class SlabWriter implements BsonWriter {
  private slab: Slab = makeSlab(slabSize);
  /** The start of the next message. */
  private free = 0;
  /** The start of the current message, and how far it is written. */
  private start = 0;
  private at = 0;
  private body = 0;
  /** The offset of the open section's length field; 0 if no section is open. */
  private sectionAt = 0;
  /** The offsets of the length fields of open documents and arrays, and how many are open. */
  private readonly opened: number[] = [];
  private nesting = 0;
  private begun = false;
  /**
   * The collection whose documents the message carries. The room for the message follows the last one of that
   * collection.
   */
  private collection: CollectionShape | undefined;
  /**
   * The writers that replace this one for messages that a getter or `toBSON` sends while a document is being written,
   * one per level of nesting.
   */
  private readonly inner: SlabWriter[] = [];

  get length(): number {
    return writing ? this.beside(writer => writer.length) : this.at - this.start;
  }

  begin(header: number): void {
    if (writing) return this.beside(writer => writer.begin(header));
    shrink(this.slab);
    if (this.free + smallest > slabSize) {
      this.slab = makeSlab(slabSize);
      this.free = 0;
    }
    const start = this.free;
    this.slab.origin = start;
    if (slab !== this.slab) use(this.slab);
    for (let at = 0; at < header; at += 4) numbers.setInt32(start + at, 0, true);
    this.start = start;
    this.body = start + header;
    this.at = start + header + 4;
    this.sectionAt = 0;
    this.collection = undefined;
    this.nesting = 0;
    this.begun = true;
  }

  elements(elements: Elements): void {
    if (writing) return this.beside(writer => writer.elements(elements));
    this.need(elements.byteLength);
    const { words, content, byteLength } = elements as PreparedElements;
    const { at } = this;
    if (words.length > 0) for (let i = 0; i < words.length; i++) numbers.setInt32(at + i * 4, words[i]!, true);
    else bytes.set(content, at);
    this.at = at + byteLength;
  }

  fields(document: Document | Raw, shape?: Shape): void {
    if (writing) return this.beside(writer => writer.fields(document, shape));
    this.need(0);
    // The document's own length overwrites the last four bytes, which are then restored.
    const at = this.at - 4;
    const before = numbers.getInt32(at, true);
    this.at = writingWith(shapeOr(shape), () => writeTop(document, at)) - 1;
    numbers.setInt32(at, before, true);
  }

  int32(key: string, value: number): void {
    if (writing) return this.beside(writer => writer.int32(key, value));
    if ((value | 0) !== value) throw misuse(`${key}: ${String(value)} is not an int32.`);
    const at = this.key(16, key);
    numbers.setInt32(at, value, true);
    this.at = at + 4;
  }

  int64(key: string, value: number | bigint): void {
    if (writing) return this.beside(writer => writer.int64(key, value));
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw misuse(`${key}: ${String(value)} is not an int64.`);
    const at = this.key(18, key);
    if (typeof value === 'number') {
      const high = Math.floor(value / 4294967296);
      numbers.setInt32(at, value - high * 4294967296, true);
      numbers.setInt32(at + 4, high, true);
    } else numbers.setBigInt64(at, value, true);
    this.at = at + 8;
  }

  value(key: string, value: unknown, shape?: Shape): void {
    if (writing) return this.beside(writer => writer.value(key, value, shape));
    this.need(0);
    this.at = writingWith(shapeOr(shape), () => writeElement(key, value, this.at, tree?.aside()));
  }

  open(key: string, as: 'document' | 'array'): void {
    if (writing) return this.beside(writer => writer.open(key, as));
    const at = this.key(as === 'document' ? 3 : 4, key);
    this.opened[this.nesting++] = at;
    this.at = at + 4;
  }

  close(): void {
    if (writing) return this.beside(writer => writer.close());
    if (this.nesting === 0) throw misuse('close() was called without open().');
    const at = this.opened[--this.nesting]!;
    this.need(0);
    bytes[this.at++] = 0;
    numbers.setInt32(at, this.at - at, true);
  }

  endBody(): void {
    if (writing) return this.beside(writer => writer.endBody());
    if (this.nesting > 0) throw misuse(`endBody() was called with ${String(this.nesting)} open documents.`);
    this.need(0);
    bytes[this.at++] = 0;
    numbers.setInt32(this.body, this.at - this.body, true);
  }

  section(name: string): void {
    if (writing) return this.beside(writer => writer.section(name));
    if (name.includes('\0')) throw misuse('The section name contains a NUL character.');
    this.need(name.length * 3);
    this.endSection();
    bytes[this.at] = 1;
    this.sectionAt = this.at + 1;
    this.at = writeName(name, this.at + 5);
  }

  document(document: Document | Raw, shape?: Shape, id?: ObjectId): number {
    if (writing) return this.beside(writer => writer.document(document, shape, id));
    this.need(0);
    const at = this.at;
    const known = shapeOr(shape);
    if (this.collection === undefined) {
      this.collection = known;
      if (at + known.messageSize > capacity) growTo(at + known.messageSize, at);
    }
    start(known.settings, known.keys);
    try {
      this.at = id === undefined ? writeTop(document, at) : writeTopWithId(document, at, id);
    } catch (error) {
      throw usageError(error);
    } finally {
      stop();
    }
    return this.at - at;
  }

  cut(length: number): void {
    if (writing) return this.beside(writer => writer.cut(length));
    this.at = this.start + length;
    if (this.sectionAt >= this.at) this.sectionAt = 0;
  }

  patch(at: number, value: number): void {
    if (writing) return this.beside(writer => writer.patch(at, value));
    this.need(0);
    numbers.setInt32(this.start + at, value, true);
  }

  take(): Uint8Array {
    if (writing) return this.beside(writer => writer.take());
    this.need(0);
    this.endSection();
    this.begun = false;
    const size = this.at - this.start;
    if (this.collection !== undefined) this.collection.messageSize = size > slabSize / 4 ? size : 0;
    this.collection = undefined;
    const message = bytes.subarray(this.start, this.at);
    if (this.slab.spare === undefined) this.free = (this.at + 7) & ~7;
    else shrink(this.slab); // the message has its own memory
    return message;
  }

  release(message: Uint8Array): void {
    release(message);
  }

  private endSection(): void {
    if (this.sectionAt !== 0) numbers.setInt32(this.sectionAt, this.at - this.sectionAt, true);
    this.sectionAt = 0;
  }

  /** Makes this writer's slab the current one, with at least this much room. */
  private need(room: number): void {
    if (!this.begun) throw misuse('begin() must be called before a message is written.');
    if (slab !== this.slab) use(this.slab);
    if (this.at + room + 64 > capacity) growTo(this.at + room + 64, this.at);
  }

  private key(type: number, key: string): number {
    this.need(0);
    try {
      const at = writeLooseKey(key, this.at);
      bytes[this.at] = type;
      return at;
    } catch (error) {
      throw usageError(error);
    }
  }

  private beside<T>(write: (writer: SlabWriter) => T): T {
    const writer = (this.inner[waiting] ??= new SlabWriter());
    return aside(() => write(writer));
  }
}
