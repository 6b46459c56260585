import type { Batch, Document, Shape } from '@tessera/contracts';
import { corruption } from '../corruption.js';
import { checkedSize, keyEnd, valueEnd } from '../decode/extent.js';
import { attach, bytes, lasting as lastingMemory, over, type Memory } from '../decode/memory.js';
import { readDocument } from '../decode/read.js';
import { allocateOwn, copyOf } from '../host.js';
import type { CollectionShape } from '../shape.js';

/** An array of documents that is decoded from the received bytes on demand, starting at the next document. */
export class ArrayBatch implements Batch {
  private memory: Memory;
  /** The offset of the next element's type. */
  private at: number;
  /** The offset of the array's terminator. */
  private last: number;
  private base: number;
  private lasting: boolean;
  private left: number | undefined;

  /**
   * Reads between two offsets of the memory. @throws MongoError `protocol` unless an array fills the range exactly.
   */
  constructor(memory: Memory, start: number, end: number, base: number, lasting: boolean) {
    attach(memory);
    checkedSize(start, end, base);
    this.memory = lasting ? lastingMemory(memory) : memory;
    this.at = start + 4;
    this.last = end - 1;
    this.base = base;
    this.lasting = lasting;
  }

  get length(): number {
    return (this.left ??= this.count());
  }

  private count(): number {
    attach(this.memory);
    let count = 0;
    for (let at = this.at; at < this.last; count++) {
      const type = bytes[at]!;
      at = valueEnd(type, keyEnd(at + 1, this.last, this.base) + 1, this.last, this.base);
    }
    return count;
  }

  next(shape?: Shape): Document | undefined {
    attach(this.memory);
    const last = this.last;
    const base = this.base;
    if (this.at >= last) return undefined;
    const type = bytes[this.at]!;
    if (type !== 3) throw corruption(this.at - base, `a value of type ${String(type)} in an array of documents`);
    const start = keyEnd(this.at + 1, last, base) + 1;
    const end = valueEnd(3, start, last, base);
    this.at = end;
    if (this.left !== undefined) this.left--;
    if (shape !== undefined && (shape as CollectionShape).settings.raw) return copyOf(bytes, start, end);
    return readDocument(start, end, base, shape);
  }

  keep(): Batch {
    if (this.lasting) return this;
    attach(this.memory);
    const length = this.last + 1 - this.at;
    const own = allocateOwn(length);
    own.set(bytes.subarray(this.at, this.last + 1));
    this.memory = over(own.buffer);
    this.base -= this.at;
    this.at = 0;
    this.last = length - 1;
    this.lasting = true;
    return this;
  }
}
