/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/log/src/extended-json.ts',
    reason: 'JSON.stringify escapes lone surrogates, so a high surrogate always precedes a low one.',
    mutants: [['const isHigh = (unit: number): boolean => ⟦unit >= 0xd800⟧ && unit < 0xdc00;', 'true']],
  },
  {
    file: 'packages/log/src/endpoint.ts',
    reason: 'There are no characters between the bracket and the port of an address.',
    mutants: [["serverHost: address.slice(0, colon).replace(⟦/^\\[(.*)\\]$/⟧, '$1'),", '/^\\[(.*)\\]/']],
  },
];
