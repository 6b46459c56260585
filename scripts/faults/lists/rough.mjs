// Faults that random programs with wrong arguments must find. `npm run rough -- --planted` plants them as well. Each was once a bug
// of this driver.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'a limit that is not a number is not rejected and never reached',
    file: 'packages/client/src/operation-options.ts',
    find: "const whole: OptionType = { expects: 'a whole number', accepts: Number.isSafeInteger };",
    replace: "const whole: OptionType = { expects: 'a whole number', accepts: () => true };",
    also: [
      {
        file: 'packages/operations/src/cursor.ts',
        find: '  if (!Number.isSafeInteger(most))\n    throw',
        replace: '  if (most === Infinity)\n    throw',
      },
    ],
    violations: ['blocked', 'hang'],
    tests: { project: 'operations', path: 'cursor.test.ts', title: 'before it starts a session or sends a command' },
  },
  {
    title: 'a malformed header over TLS or SOCKS5 is copied forever into a reader without room',
    file: 'packages/wire/src/reader.ts',
    find: '      this.#own = undefined;\n      throw cause;',
    replace: '      throw cause;',
    also: [
      {
        file: 'packages/node/src/socket.ts',
        find: 'at < bytes.length && !socket.destroyed;',
        replace: 'at < bytes.length;',
      },
      { file: 'packages/node/src/socket.ts', find: 'if (room.length === 0) {', replace: 'if (room.length < 0) {' },
    ],
    violations: ['blocked', 'hang'],
    tests: { project: 'wire', path: 'reader.test.ts', title: 'a malformed header in pieces of any size fails once' },
  },
  {
    title: 'a stream in a transaction reads ahead, and parallel operations of a transaction are rejected',
    file: 'packages/client/src/cursor.ts',
    find: '{ readsAhead: !isGiven(this.options.session) }',
    replace: '{ readsAhead: true }',
    also: [
      {
        file: 'packages/session/src/sessions.ts',
        find: "const queues = parallelTransactionOperations === 'queue';",
        replace: 'const queues = parallelTransactionOperations === undefined;',
      },
    ],
    violations: ['refused'],
    tests: { project: 'session', path: 'usage-errors.test.ts' },
  },
  {
    title: 'an error that a listener throws, or an error event without a listener, is lost',
    file: 'packages/client/src/emitter.ts',
    find: '  clock.startTimer(0, () => {\n    throw error;\n  });',
    replace: '  void [clock, error];',
    violations: ['swallowed'],
    tests: { project: 'client', path: 'emitter.test.ts', title: 'lets no listener throw into the driver' },
  },
  {
    title: 'a document whose _id is undefined is stored without a generated _id',
    file: 'packages/operations/src/write.ts',
    find: '    if (own !== undefined) return writer.document(statement, target.documents);',
    replace: "    if ('_id' in statement) return writer.document(statement, target.documents);",
    violations: ['result'],
    tests: {
      project: 'operations',
      path: 'commands.test.ts',
      title: 'adds a missing or undefined _id',
    },
  },
  {
    title: 'a signal that is not an AbortSignal leaks the connection',
    file: 'packages/client/src/operation-options.ts',
    find: "    hasMethod(given, 'addEventListener') && typeof (given as { aborted?: unknown }).aborted === 'boolean',",
    replace: '    isObject(given),',
    also: [
      {
        file: 'packages/attempt/src/attempt.ts',
        find: '    try {\n      if (signal !== undefined) {\n        if (signal.aborted) return this.fail(this.#aborted());\n        this.#watch(signal);\n      }\n',
        replace:
          '    if (signal !== undefined) {\n      if (signal.aborted) return this.fail(this.#aborted());\n      this.#watch(signal);\n    }\n    try {\n',
      },
    ],
    violations: ['error class', 'checkouts', 'hang'],
    tests: {
      project: 'client',
      path: 'operation-options.test.ts',
      title: 'leaves no connection behind when a wrong signal',
    },
  },
  {
    title: 'an aborted upload stream emits the failure of its pending write',
    file: 'packages/gridfs/src/streams.ts',
    find: '        if (upload.isAborted) stream.destroy();\n        await aborting;',
    replace: '        await aborting;\n        if (upload.isAborted) stream.destroy();',
    violations: ['unhandled'],
    tests: { project: 'gridfs', path: 'streams.test.ts', title: 'abort() with a write pending fails that write' },
  },
  {
    title: 'return() of a change stream waits for the next change',
    file: 'packages/client/src/change-stream.ts',
    find: 'return new CursorIterator(next, finish);',
    replace:
      'return new CursorIterator(next, async () => {\n      await this.#arrive(true);\n      await finish();\n    });',
    violations: ['hang'],
    tests: { project: 'client', path: 'change-stream-ending.test.ts', title: 'which ends the pending next() at once' },
  },
  {
    title: 'connect() after close() returns the result of the connect() before it',
    file: 'packages/client/src/mongo-client.ts',
    find: "    this.#connecting = undefined;\n    if (life.is === 'open')",
    replace: "    if (life.is === 'open')",
    violations: ['refused', 'error place'],
    tests: { project: 'client', path: 'closing.test.ts' },
  },
  {
    title: 'cursors: the late reply of an aborted operation is not read',
    file: 'packages/connection/src/socket-connection.ts',
    find: '      owed?.late?.(reply);\n',
    replace: '',
    violations: ['server'],
    tests: {
      project: 'client',
      path: 'cursor-kills.test.ts',
      title: '50 finds that were aborted before their first reply',
    },
  },
  {
    title: 'cursors: the wait for a connection counts against the time limit of killCursors',
    file: 'packages/operations/src/kills.ts',
    find: '    const deadline = this.#deadline;\n',
    replace: '    const deadline = Math.min(this.#deadline, this.#deps.clock.now() + answerLimit);\n',
    violations: ['server'],
    tests: {
      project: 'client',
      path: 'cursor-kills.test.ts',
      title: '600 cursors that are closed while every connection is busy',
    },
  },
  {
    title: 'pool: waitQueueTimeoutMS does not limit the wait for a connection that is being opened',
    file: 'packages/pool/src/bound-leases.ts',
    find: '    this.#leases.push(lease);\n',
    replace: '    this.#leases.push(lease);\n    if (waiter.deadline === Infinity) waiter.unwatch();\n',
    violations: ['hang'],
    tests: {
      project: 'pool',
      path: 'pool.test.ts',
      title: 'waitQueueTimeoutMS limits the wait for a handshake, and the error names the handshake',
    },
  },
  {
    title: 'pool: a free connection is not given to operations whose connection is being opened',
    file: 'packages/pool/src/pool.ts',
    find: 'if (this.#waiting > 0 || reason !== undefined) this.#serve();',
    replace: 'if (this.#queue.length > 0 || reason !== undefined) this.#serve();',
    violations: ['hang'],
    tests: {
      project: 'pool',
      path: 'cmap-sentences.test.ts',
      title: 'lends a returned connection to an operation whose connection is still being opened',
    },
  },
];
