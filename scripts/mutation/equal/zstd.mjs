/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/zstd/src/frame.ts',
    reason:
      'What is read behind the end counts as zeros, which are headers of empty blocks: the frame is cut off as before.',
    mutants: [['while (⟦at + BLOCK_HEADER⟧ <= bytes.length) {', 'at - BLOCK_HEADER']],
  },
  {
    file: 'packages/zstd/src/frame.ts',
    reason: 'The fifth byte that is written is overwritten by the rest of the frame.',
    mutants: [
      ['for (let index = 0; ⟦index < 4⟧; index += 1) out[sizeAt + index] = size >>> (8 * index);', 'index <= 4'],
    ],
  },
];
