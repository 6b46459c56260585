// Faults of the time that an operation waits for a connection.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'pool: waitQueueTimeoutMS does not limit the wait for a connection that is being opened',
    file: 'packages/pool/src/pool.ts',
    find: '    this.#bound.push(lease);\n',
    replace: '    this.#bound.push(lease);\n    if (waiter.deadline === Infinity) waiter.unwatch();\n',
    tests: {
      project: 'pool',
      path: 'pool.test.ts',
      title: 'waitQueueTimeoutMS limits the wait for a handshake, and the error names the handshake',
    },
  },
  {
    title: 'pool: a connection that comes free passes over the operations whose connection is being opened',
    file: 'packages/pool/src/pool.ts',
    find: 'if (this.#waiting > 0 || reason !== undefined) this.#serve();',
    replace: 'if (this.#queue.length > 0 || reason !== undefined) this.#serve();',
    tests: {
      project: 'pool',
      path: 'cmap-sentences.test.ts',
      title:
        'a connection that comes free goes to the operation whose connection is being opened, also if no other waits',
    },
  },
];
