const POLYNOMIAL = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum & 1) === 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1;
  return sum;
});

/** Returns the CRC-32C checksum of OP_MSG as the int32 that is sent on the wire. RFC 3720, B.4. */
export const crc32c = (bytes: Uint8Array, start: number, end: number): number => {
  let sum = ~0;
  for (let at = start; at < end; at++) {
    sum = table[(sum ^ bytes[at]!) & 0xff]! ^ (sum >>> 8);
  }
  return ~sum;
};
