import type { Elements } from '@tessera/contracts';

/** Up to so many bytes, words are stored faster than the bytes are copied. */
const longest = 1024;

/** Encoded elements. */
export class PreparedElements implements Elements {
  readonly byteLength: number;
  /** The elements as 32-bit words, the last one filled up with zeroes; empty for long ones. */
  readonly words: readonly number[];
  readonly content: Uint8Array;

  /** @param content is copied */
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
