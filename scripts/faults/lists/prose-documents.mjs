// Faults in documents and vectors, each with the prose tests that find it.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'bson: a key may contain a NUL',
    prose: ['BSON Corpus 1'],
    file: 'packages/bson/src/encode/refusal.ts',
    find: "  if (key.includes('\\0')) throw new Refusal('its key contains a NUL, which ends keys in BSON');\n",
    replace: '',
    tests: { project: 'bson', path: 'corpus-prose.test.ts', title: 'BSON Corpus, prose test 1:' },
  },
  {
    title: 'bson: of duplicate keys the first counts in a document',
    prose: ['BSON Corpus 2'],
    file: 'packages/bson/src/decode/constructor.ts',
    find: '} else document[key] = value;',
    replace: '} else document[key] ??= value;',
    tests: { project: 'bson', path: 'corpus-prose.test.ts', title: 'BSON Corpus, prose test 2:' },
  },
  {
    title: 'bson: vectorOf accepts unused bits that are not zero',
    prose: ['BSON Binary Vector 1'],
    file: 'packages/bson/src/vector.ts',
    find: "  if (unusedBits(bytes.subarray(2), padding)) refuse('unused bits that are not zero');\n",
    replace: '',
    tests: { project: 'bson', path: 'vector.test.ts', title: 'BSON Binary Vector, prose test 1:' },
  },
  {
    title: 'bson: vectorIn accepts unused bits that are not zero',
    prose: ['BSON Binary Vector 2'],
    file: 'packages/bson/src/vector.ts',
    find: "      if (unusedBits(content, padding)) refuse('unused bits that are not zero');\n",
    replace: '',
    tests: { project: 'bson', path: 'vector.test.ts', title: 'BSON Binary Vector, prose test 2:' },
  },
  {
    title: 'bson: vectorOf does not write the padding',
    prose: ['BSON Binary Vector 3'],
    file: 'packages/bson/src/vector.ts',
    find: '  bytes[1] = padding;\n',
    replace: '',
    tests: { project: 'bson', path: 'vector.test.ts', title: 'BSON Binary Vector, prose test 3:' },
  },
];
