/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/snappy/src/encode.ts',
    reason: 'A match of 68 bytes becomes copies of 60 and 8 bytes instead of 64 and 4, which take as many bytes.',
    mutants: [
      [
        'for (; ⟦rest >= LONGEST_COPY + WORD⟧; rest -= LONGEST_COPY) this.#copyOnce(offset, LONGEST_COPY);',
        'rest > LONGEST_COPY + WORD',
      ],
    ],
  },
  {
    file: 'packages/snappy/src/encode.ts',
    reason: 'The whole table is used for short inputs as well, which takes longer and finds the same matches.',
    mutants: [
      [
        'const tableBits = (length: number): number => Math.min(TABLE_BITS, Math.max(8, ⟦32 - Math.clz32(length - 1)⟧));',
        '32 + Math.clz32(length - 1)',
      ],
    ],
  },
  {
    file: 'packages/snappy/src/decode.ts',
    reason: 'The byte after the copy is overwritten by the next element, or lies after the end of the array.',
    mutants: [
      ['for (let to = start; ⟦to < start + length⟧; to += 1) out[to] = out[to - offset]!;', 'to <= start + length'],
    ],
  },
];
