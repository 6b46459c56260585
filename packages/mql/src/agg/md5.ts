const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const constants = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);

/** Pads a message: a one bit, zeros, and the length in bits. */
const padded = (bytes: Uint8Array): DataView => {
  const length = ((bytes.length + 8) >> 6) * 64 + 64;
  const all = new Uint8Array(length);
  all.set(bytes);
  all[bytes.length] = 0x80;
  const view = new DataView(all.buffer);
  view.setUint32(length - 8, (bytes.length * 8) >>> 0, true);
  view.setUint32(length - 4, Math.floor(bytes.length / 2 ** 29), true);
  return view;
};

const mix = (round: number, b: number, c: number, d: number): number => {
  switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (d & b) | (~d & c);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
  }
};

const wordOf = (round: number, i: number): number => {
  const steps = [
    [1, 0],
    [5, 1],
    [3, 5],
    [7, 0],
  ] as const;
  const [factor, offset] = steps[round]!;
  return (factor * i + offset) % 16;
};

/** Returns the 16 bytes of the hash, which hashed indexes use. It is not used for security. Rule: RFC 1321. */
export const md5 = (bytes: Uint8Array): DataView => {
  const view = padded(bytes);
  let state = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let block = 0; block < view.byteLength; block += 64) {
    let [a, b, c, d] = state as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const sum = (a + mix(round, b, c, d) + constants[i]! + view.getInt32(block + 4 * wordOf(round, i), true)) | 0;
      const shift = shifts[round * 4 + (i % 4)]!;
      [a, d, c, b] = [d, c, b, (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0];
    }
    state = [a, b, c, d].map((word, i) => (word + state[i]!) | 0);
  }
  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((word, i) => {
    digest.setInt32(4 * i, word, true);
  });
  return digest;
};
