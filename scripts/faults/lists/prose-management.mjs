// Faults in the management of databases, collections and indexes, each with the prose tests that find it.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'attempt: a direct connection to a secondary does not allow reads',
    prose: [
      'Enumerating Collections 1',
      'Enumerating Collections 2',
      'Enumerating Databases 1',
      'Enumerating Databases 2',
      'Index Management 1',
      'Index Management 2',
    ],
    file: 'packages/attempt/src/read-preference.ts',
    find: "topology === 'Single' && server !== 'Mongos' && kind !== 'write' ? primaryPreferred : undefined",
    replace: 'undefined',
    tests: [
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Enumerating Collections, prose tests 1, 2:' },
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Enumerating Databases, prose tests 1, 2:' },
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Index Management, prose tests 1, 2:' },
    ],
  },
  {
    title: 'client: listCollections ignores its filter',
    prose: ['Enumerating Collections 2'],
    file: 'packages/client/src/list-cursors.ts',
    find: 'filter: this.filter,\n',
    replace: 'filter: {},\n',
    tests: [
      { project: 'client', path: 'administration.test.ts', title: 'Enumerating Collections, prose tests 1, 2:' },
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Enumerating Collections, prose tests 1, 2:' },
    ],
  },
  {
    title: 'client: listDatabases returns only names by default',
    prose: ['Enumerating Databases 1'],
    file: 'packages/client/src/admin.ts',
    find: "if (nameOnly !== undefined) fields['nameOnly'] = nameOnly;",
    replace: "fields['nameOnly'] = nameOnly ?? true;",
    tests: [
      { project: 'client', path: 'administration.test.ts', title: 'Enumerating Databases, prose tests 1, 2:' },
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Enumerating Databases, prose tests 1, 2:' },
    ],
  },
  {
    title: 'client: listDatabases ignores nameOnly',
    prose: ['Enumerating Databases 2'],
    file: 'packages/client/src/admin.ts',
    find: "      if (nameOnly !== undefined) fields['nameOnly'] = nameOnly;\n",
    replace: '',
    tests: [
      { project: 'client', path: 'administration.test.ts', title: 'Enumerating Databases, prose tests 1, 2:' },
      { project: 'client', path: 'secondary-prose.test.ts', title: 'Enumerating Databases, prose tests 1, 2:' },
    ],
  },
  {
    title: 'client: dropping a search index of a missing collection fails',
    prose: ['Index Management S5'],
    file: 'packages/client/src/collection-indexes.ts',
    find: '.run(dropSearchIndex(handle, name), options).catch((error: unknown) => {\n    missing(error);\n  });',
    replace: '.run(dropSearchIndex(handle, name), options);',
    tests: { project: 'client', path: 'search-index-prose.test.ts', title: 'Index Management, prose test S5:' },
  },
  {
    title: 'client: search indexes inherit the concerns of their collection',
    prose: ['Index Management S6'],
    file: 'packages/client/src/collection-indexes.ts',
    find: '{ ...noOptions, readPreference:',
    replace: '{ ...handle.resolved, readPreference:',
    tests: { project: 'client', path: 'search-index-prose.test.ts', title: 'Index Management, prose test S6:' },
  },
  {
    title: 'operations: find sends no collation',
    prose: ['Collation 1'],
    file: 'packages/operations/src/find.ts',
    find: "  'collation',\n",
    replace: '',
    tests: { project: 'client', path: 'collation-prose.test.ts', title: 'Collation, prose test 1:' },
  },
  {
    title: 'client: an index gets a generated name although a name is set',
    prose: ['Collation 2'],
    file: 'packages/client/src/collection-indexes.ts',
    find: 'name: index.name ?? indexName(keys)',
    replace: 'name: indexName(keys)',
    tests: { project: 'client', path: 'collation-prose.test.ts', title: 'Collation, prose test 2:' },
  },
];
