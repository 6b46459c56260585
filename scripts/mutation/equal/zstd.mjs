/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/zstd/src/frame.ts',
    reason:
      'Bytes after the end are read as zeros, which are headers of empty blocks, so the frame is truncated as before.',
    mutants: [['while (⟦at + BLOCK_HEADER⟧ <= bytes.length) {', 'at - BLOCK_HEADER']],
  },
  {
    file: 'packages/zstd/src/frame.ts',
    reason: 'The fifth byte is overwritten by the rest of the frame.',
    mutants: [
      ['for (let index = 0; ⟦index < 4⟧; index += 1) out[sizeAt + index] = size >>> (8 * index);', 'index <= 4'],
    ],
  },
];
