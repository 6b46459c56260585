// Faults that hide where two careful rules meet: calls that are aborted, pools that are busy, clients that close meanwhile.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'cursors: the late reply of an aborted operation is thrown away unread',
    file: 'packages/connection/src/socket-connection.ts',
    find: '      owed?.late?.(reply);\n',
    replace: '',
    tests: {
      project: 'client',
      path: 'cursor-kills.test.ts',
      title: 'of 50 finds that were aborted before their first reply',
    },
  },
  {
    title: 'cursors: the wait for a connection counts against the time of a killCursors',
    file: 'packages/operations/src/kills.ts',
    find: '    const deadline = this.#deadline;\n',
    replace: '    const deadline = Math.min(this.#deadline, this.#deps.clock.now() + answerLimit);\n',
    tests: {
      project: 'client',
      path: 'cursor-kills.test.ts',
      title: 'of 600 cursors that are closed while every connection is busy',
    },
  },
];
