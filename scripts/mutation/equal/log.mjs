/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/log/src/extended-json.ts',
    reason: 'JSON.stringify escapes lone surrogates, so a high surrogate always precedes a low one.',
    mutants: [['const isHigh = (unit: number): boolean => ⟦unit >= 0xd800⟧ && unit < 0xdc00;', 'true']],
  },
  {
    file: 'packages/log/src/extended-json.ts',
    reason: 'A group of three bytes has four characters, of which none is cut off.',
    mutants: [["text += ⟦left >= 3⟧ ? group : group.slice(0, left + 1).padEnd(4, '=');", 'left > 3']],
  },
  {
    file: 'packages/log/src/endpoint.ts',
    reason: 'There are no characters between the bracket and the port of an address.',
    mutants: [["serverHost: address.slice(0, colon).replace(⟦/^\\[(.*)\\]$/⟧, '$1'),", '/^\\[(.*)\\]/']],
  },
];
