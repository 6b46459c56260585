// Faults in time limits, each with the prose tests of Client Side Operations Timeout that find it.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'operations: each command of insertMany gets the whole timeoutMS',
    prose: ['Client Side Operations Timeout 1'],
    file: 'packages/operations/src/write-many.ts',
    find: 'reply = await dispatch(createRequest(operation, id, call));',
    replace:
      'reply = await dispatch(createRequest(operation, id, { ...call, deadline: call.renew?.() ?? call.deadline }));',
    tests: { project: 'client', path: 'timeout-prose.test.ts', title: 'Client Side Operations Timeout, prose test 1:' },
  },
  {
    title: 'pool: timeoutMS does not limit the authentication of connections for minPoolSize',
    prose: ['Client Side Operations Timeout 4'],
    file: 'packages/pool/src/pool.ts',
    find: 'commandLimit: waiter !== undefined || timeoutMS === 0 ? undefined : timeoutMS,',
    replace: 'commandLimit: undefined,',
    tests: { project: 'client', path: 'timeout-prose.test.ts', title: 'Client Side Operations Timeout, prose test 4:' },
  },
  {
    title: 'operations: the timeoutMS of a tailable cursor does not restart',
    prose: ['Client Side Operations Timeout 5'],
    file: 'packages/operations/src/cursor.ts',
    find: 'if (this.#options.iteration === true) this.deadline = this.#options.renew?.();',
    replace: '',
    tests: { project: 'client', path: 'timeout-prose.test.ts', title: 'Client Side Operations Timeout, prose test 5:' },
  },
  {
    title: 'gridfs: timeoutMS of the database is ignored',
    prose: ['Client Side Operations Timeout 6', 'Client Side Operations Timeout 7'],
    file: 'packages/gridfs/src/bucket.ts',
    find: 'timeoutMS ?? this.#options.timeoutMS ?? this.#deps.database.timeoutMS',
    replace: 'timeoutMS ?? this.#options.timeoutMS ?? 0',
    tests: [
      { project: 'gridfs', path: 'deadlines.test.ts', title: 'Client Side Operations Timeout, prose test 6:' },
      { project: 'gridfs', path: 'deadlines.test.ts', title: 'Client Side Operations Timeout, prose test 7:' },
    ],
  },
  {
    title: 'topology: server selection ignores timeoutMS',
    prose: ['Client Side Operations Timeout 8'],
    file: 'packages/topology/src/topology.ts',
    find: 'Math.min(request.deadline, serverSelectionTimeoutMS === 0 ? Infinity : clock.now() + serverSelectionTimeoutMS)',
    replace: 'serverSelectionTimeoutMS === 0 ? Infinity : clock.now() + serverSelectionTimeoutMS',
    tests: { project: 'client', path: 'timeout-prose.test.ts', title: 'Client Side Operations Timeout, prose test 8:' },
  },
  {
    title: 'client: endSession hides that its abort timed out',
    prose: ['Client Side Operations Timeout 9'],
    file: 'packages/client/src/session.ts',
    find: '    if (failure instanceof MongoOperationTimeoutError) throw failure;\n',
    replace: '',
    tests: { project: 'client', path: 'timeout-prose.test.ts', title: 'Client Side Operations Timeout, prose test 9:' },
  },
  {
    title: 'client: the abort in withTransaction gets only the rest of timeoutMS',
    prose: ['Client Side Operations Timeout 10'],
    file: 'packages/client/src/session.ts',
    find: 'const call = timedCall(driver, { session: state }, timeoutMS ?? this.timeoutMS);',
    replace: 'const call = timedCall(driver, { session: state }, timeoutMS ?? this.timeoutMS, this.#until);',
    tests: {
      project: 'client',
      path: 'timeout-prose.test.ts',
      title: 'Client Side Operations Timeout, prose test 10:',
    },
  },
  {
    title: 'operations: each command of a client bulkWrite gets the whole timeoutMS',
    prose: ['Client Side Operations Timeout 11'],
    file: 'packages/operations/src/client-bulk-write-run.ts',
    find: 'new BatchRun(dispatcher, target, call, id, tally, from)',
    replace:
      'new BatchRun(dispatcher, target, { ...call, deadline: call.renew?.() ?? call.deadline }, id, tally, from)',
    tests: { project: 'client', path: 'timeout.test.ts', title: 'Client Side Operations Timeout, prose test 11:' },
  },
  {
    title: 'pool: waitQueueTimeoutMS applies together with timeoutMS',
    prose: ['Client Side Operations Timeout U1'],
    file: 'packages/pool/src/pool.ts',
    find: '    if (deadline !== Infinity) return deadline;\n',
    replace: '',
    tests: {
      project: 'client',
      path: 'timeout-units.test.ts',
      title: 'Client Side Operations Timeout, prose test U1:',
    },
  },
  {
    title: 'pool: the deadline of a check-out is used as a duration',
    prose: ['Client Side Operations Timeout U2'],
    file: 'packages/pool/src/pool.ts',
    find: 'if (deadline !== Infinity) return deadline;',
    replace: 'if (deadline !== Infinity) return now + deadline;',
    tests: {
      project: 'client',
      path: 'timeout-units.test.ts',
      title: 'Client Side Operations Timeout, prose test U2:',
    },
  },
  {
    title: 'pool: waitQueueTimeoutMS is ignored',
    prose: ['Client Side Operations Timeout U3'],
    file: 'packages/pool/src/pool.ts',
    find: 'return this.#options.waitQueueTimeoutMS === 0 ? Infinity : now + this.#options.waitQueueTimeoutMS;',
    replace: 'return Infinity;',
    tests: {
      project: 'client',
      path: 'timeout-units.test.ts',
      title: 'Client Side Operations Timeout, prose test U3:',
    },
  },
  {
    title: 'pool: an operation waits for a handshake beyond its deadline',
    prose: ['Client Side Operations Timeout U4'],
    file: 'packages/pool/src/bound-leases.ts',
    find: '    this.#leases.push(lease);\n',
    replace: '    this.#leases.push(lease);\n    waiter.unwatch();\n',
    tests: {
      project: 'client',
      path: 'timeout-units.test.ts',
      title: 'Client Side Operations Timeout, prose test U4:',
    },
  },
  {
    title: 'pool: timeoutMS replaces connectTimeoutMS',
    prose: ['Client Side Operations Timeout U8'],
    file: 'packages/pool/src/pool.ts',
    find: 'deadline: connectTimeoutMS === 0 ? Infinity : lease.createdAt + connectTimeoutMS,',
    replace:
      'deadline: connectTimeoutMS === 0 ? Infinity : lease.createdAt + (timeoutMS === 0 ? connectTimeoutMS : timeoutMS),',
    tests: {
      project: 'client',
      path: 'timeout-units.test.ts',
      title: 'Client Side Operations Timeout, prose test U8:',
    },
  },
];
