/** Frames built by hand, so that a wire codec is not tested with its own output. Rule: OP_MSG, OP_COMPRESSED. */
import { document, element, int32 } from '../bytes.js';

export interface FrameParts {
  readonly id?: number;
  readonly to?: number;
  readonly flags?: number;
  readonly opcode?: number;
  /** Everything behind the flags. */
  readonly sections: readonly number[];
}

/** Returns a whole message: header, flags, sections. */
export const frame = ({ id = 1, to = 0, flags = 0, opcode = 2013, sections }: FrameParts): number[] => [
  ...int32(20 + sections.length),
  ...int32(id),
  ...int32(to),
  ...int32(opcode),
  ...int32(flags),
  ...sections,
];

/** Returns the document `{ n }` with this many additional bytes. */
export const numbered = (n: number, padding = 0): number[] =>
  document(element(0x10, 'n', int32(n)), element(0x05, 'pad', [...int32(padding), 0, ...new Uint8Array(padding)]));

export const bodySection = (bytes: readonly number[]): number[] => [0, ...bytes];

/** Returns a reply `{ n }` to the request with this id. */
export const answer = (
  to: number,
  n: number,
  more: Partial<FrameParts> & { readonly padding?: number } = {},
): number[] => frame({ id: 1000 + n, to, flags: more.flags ?? 0, sections: bodySection(numbered(n, more.padding)) });

/** Computes CRC-32C (Castagnoli) bit by bit. */
export const crc32c = (bytes: readonly number[]): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc;
};
