/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/bson/src/encode/elements.ts',
    reason: 'Long elements are stored as words too, which takes longer.',
    mutants: [
      [
        'if (⟦length <= longest⟧) for (let at = 0; at < length; at += 4) words.push(padded.getInt32(at, true));',
        'true',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'A value never ends at offset 0: the length of its document stands before it.',
    mutants: [['if (⟦end >= 0⟧) at = end;', 'end > 0']],
  },
];
