/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/text/src/search.ts',
    reason: 'The first part of a search replaces the initial value.',
    mutants: [['let negates = ⟦false⟧;', 'true']],
  },
  {
    file: 'packages/text/src/characters.ts',
    reason: 'Longer ASCII texts are folded character by character, which takes longer.',
    mutants: [['const ascii = ⟦/^[\\0-\\x7f]*$/⟧;', '/^[\\0-\\x7f]$/']],
  },
];
