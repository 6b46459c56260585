const table: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** Returns the checksum of frames, and of OP_MSG: CRC-32C (Castagnoli), unsigned. @param before the checksum of the preceding bytes */
export const crc32c = (bytes: Uint8Array, before = 0): number => {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) crc = table[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};
