import type { Elements } from '@tessera/contracts';

/** Encoded elements as 32-bit words, which are stored three times faster than bytes. */
export class PreparedElements implements Elements {
  readonly byteLength: number;
  /** The last one is filled up with zeroes. */
  readonly words: readonly number[];

  constructor(content: Uint8Array) {
    this.byteLength = content.length;
    const padded = new DataView(new ArrayBuffer((content.length + 3) & ~3));
    new Uint8Array(padded.buffer).set(content);
    const words = new Array<number>(padded.byteLength / 4).fill(0);
    for (let i = 0; i < words.length; i++) words[i] = padded.getInt32(i * 4, true);
    this.words = words;
  }
}
