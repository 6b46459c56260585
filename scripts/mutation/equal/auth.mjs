/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/auth/src/scram-secret.ts',
    reason: 'SASLprep leaves printable ASCII as it is. The check only saves loading its tables.',
    mutants: [
      ['const isPlain = (text: string): boolean => ⟦/^[\\x20-\\x7e]*$/⟧.test(text);', '/^[\\x20-\\x7e]$/'],
      ['if (⟦isPlain(password)⟧) return password;', 'false'],
    ],
  },
];
