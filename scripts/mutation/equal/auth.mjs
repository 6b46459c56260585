/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/auth/src/scram-secret.ts',
    reason: 'SASLprep does not change printable ASCII. The check only avoids decoding its tables.',
    mutants: [
      ['const isPlain = (text: string): boolean => ⟦/^[\\x20-\\x7e]*$/⟧.test(text);', '/^[\\x20-\\x7e]$/'],
      ['if (⟦isPlain(password)⟧) return password;', 'false'],
    ],
  },
  {
    file: 'packages/auth/src/allowed-hosts.ts',
    reason: 'No address has a bracket after its first character.',
    mutants: [[".replace(⟦/^\\[(.*)\\]$/⟧, '$1')", '/\\[(.*)\\]$/']],
  },
];
