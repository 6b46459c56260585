/** The length of the longest frame that a server may send. */
const greatest = 48_000_000;

/** Cuts the bytes of a connection into frames. */
export interface Cutter {
  /** The received bytes that are not a complete frame. */
  readonly rest: () => Buffer;
  /** Adds bytes, and returns the frames that they complete. */
  readonly add: (chunk: Buffer) => readonly Buffer[];
}

export const createCutter = (): Cutter => {
  let rest = Buffer.alloc(0);
  return {
    rest: () => rest,
    add: chunk => {
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      const frames: Buffer[] = [];
      while (rest.length >= 4) {
        const length = rest.readInt32LE(0);
        if (length < 16 || length > greatest || rest.length < length) break;
        frames.push(Buffer.from(rest.subarray(0, length)));
        rest = rest.subarray(length);
      }
      return frames;
    },
  };
};
