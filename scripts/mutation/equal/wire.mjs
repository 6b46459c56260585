/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/wire/src/reader.ts',
    reason: 'The length is read a second time from the same header. The check only avoids the second read.',
    mutants: [['if (⟦this.#length === 0⟧) this.#length = lengthAt(own, 0);', 'true']],
  },
];
