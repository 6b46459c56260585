import type { Elements } from '@tessera/contracts';

/** Up to this many bytes, storing words is faster than copying bytes. */
const longest = 1024;

/** Elements encoded in advance, ready to be inserted into documents. */
export class PreparedElements implements Elements {
  readonly byteLength: number;
  /**
   * The elements as 32-bit words, the last one padded with zeros. Empty if there are more than {@link longest} bytes.
   */
  readonly words: readonly number[];
  readonly content: Uint8Array;

  /** @param content the bytes of the elements, which are copied */
  constructor(content: Uint8Array) {
    const { length } = content;
    const padded = new DataView(new ArrayBuffer((length + 3) & ~3));
    this.byteLength = length;
    this.content = new Uint8Array(padded.buffer, 0, length);
    this.content.set(content);
    const words: number[] = [];
    if (length <= longest) for (let at = 0; at < length; at += 4) words.push(padded.getInt32(at, true));
    this.words = words;
  }
}
