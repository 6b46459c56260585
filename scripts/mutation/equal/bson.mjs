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
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'A value of this class is recognized by its _bsontype, too, which takes longer.',
    mutants: [['if (⟦prototype === Int32.prototype⟧) {', 'false']],
  },
  {
    file: 'packages/bson/src/decode/fast.ts',
    reason: 'An ObjectId that is cut off ends behind its document, which is checked next.',
    mutants: [['if (⟦p + 12⟧ > limit) throw damaged;', 'p - 12']],
  },
  {
    file: 'packages/bson/src/read/view.ts',
    reason: 'The places of keys are never remembered, so each key is searched, which takes longer.',
    mutants: [['if (⟦placesOf !== this.number⟧) this.locate();', 'placesOf === this.number']],
  },
];
