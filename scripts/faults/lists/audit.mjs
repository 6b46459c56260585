// Faults from a manual audit. Each once passed all tests of its package.

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'bson: a view reads the low half of an int64 as signed',
    file: 'packages/bson/src/read/view.ts',
    find: 'numbers.getInt32(at + 4, true) * 4294967296 + numbers.getUint32(at, true)',
    replace: 'numbers.getInt32(at + 4, true) * 4294967296 + numbers.getInt32(at, true)',
    tests: {
      project: 'bson',
      path: 'view.test.ts',
      title: 'int reads an int64 exactly if the highest bit of its low half is set',
    },
  },
  {
    title: 'wire: the backlog is never credited for messages that were read',
    file: 'packages/wire/src/reader.ts',
    find: 'backlog.bytes -= frame.length;',
    replace: '',
    tests: {
      project: 'wire',
      path: 'reader.test.ts',
      title: 'keeps a busy connection open after a total of more bytes than may wait at once',
    },
  },
  {
    title: 'wire: the checksum of a second message is computed from the start of the room',
    file: 'packages/wire/src/reply.ts',
    find: 'crc32c(bytes, at, sum) !== int32(bytes, sum)',
    replace: 'crc32c(bytes, 0, sum) !== int32(bytes, sum)',
    tests: {
      project: 'wire',
      path: 'op-msg.test.ts',
      title: 'each of several messages received at once is checked by its own bytes',
    },
  },
  {
    title: 'auth: a failed key derivation is cached forever',
    file: 'packages/auth/src/scram-keys.ts',
    find: 'derived.catch(() => this.#known.delete(key));',
    replace: 'derived.catch(() => undefined);',
    tests: {
      project: 'auth',
      path: 'scram.test.ts',
      title: 'the next connection retries a failed derivation',
    },
  },
  {
    title: 'auth: a payload is read with the spare bytes of its Binary',
    file: 'packages/auth/src/sasl.ts',
    find: 'buffer.subarray(0, position)',
    replace: 'buffer',
    tests: {
      project: 'auth',
      path: 'scram.test.ts',
      title: "reads a payload up to the end of its Binary, not of the Binary's memory",
    },
  },
  {
    title: "pool: outdated errors of a service are judged by the pool's generation",
    file: 'packages/pool/src/pool.ts',
    find: 'generation < this.#generations.of(serviceId);',
    replace: 'generation < this.#generations.current;',
    tests: {
      project: 'pool',
      path: 'pool.test.ts',
      title: 'does not clear a service again for an error of an older generation',
    },
  },
  {
    title: 'pool: waitQueueTimeoutMS applies although timeoutMS is 0',
    file: 'packages/pool/src/pool.ts',
    find: 'if (deadline !== Infinity) return deadline;',
    replace: 'if (deadline < Number.MAX_VALUE) return deadline;',
    tests: {
      project: 'pool',
      path: 'pool.test.ts',
      title: 'a deadline of timeoutMS: 0 waits without limit, even when waitQueueTimeoutMS is set',
    },
  },
  {
    title: 'pool: a connection is announced as checked out before its waiter is settled',
    file: 'packages/pool/src/pool.ts',
    find: 'waiter.fulfil(lease);\n    this.#lend(lease, now - waiter.since);',
    replace: 'this.#lend(lease, now - waiter.since);\n    waiter.fulfil(lease);',
    tests: {
      project: 'pool',
      path: 'pool.test.ts',
      title: 'aborting in connectionCheckedOut has no effect on an operation that has just been settled',
    },
  },
  {
    title: 'attempt: a check-out gets the whole timeout instead of the time that selection left',
    file: 'packages/attempt/src/attempt.ts',
    find: 'checkOutBy === undefined ? request : { deadline: checkOutBy, signal: request.signal }',
    replace: 'request',
    tests: {
      project: 'attempt',
      path: 'attempt.test.ts',
      title: 'checks out with the deadline of the selection',
    },
  },
  {
    title: 'session: cluster times after 2038 compare as negative',
    file: 'packages/session/src/cluster-time.ts',
    find: '(bits < 0n ? BigInt.asUintN(64, bits) : bits)',
    replace: 'bits',
    tests: {
      project: 'session',
      path: 'session.test.ts',
      title: 'a cluster time after 2038 is newer than one before, also if its codec reads the 64 bits as signed',
    },
  },
  {
    title: "retry: a backoff leaves a listener on the caller's signal",
    file: 'packages/contracts/src/wait.ts',
    find: "      signal?.removeEventListener('abort', abort);\n",
    replace: '',
    tests: {
      project: 'retry',
      path: 'retry.test.ts',
      title: 'a backoff leaves no listener on the signals of the caller and of the client',
    },
  },
  {
    title: "retry: a backoff leaves a listener on the client's closing signal",
    file: 'packages/contracts/src/wait.ts',
    find: "    closing?.removeEventListener('abort', close);\n",
    replace: '',
    tests: {
      project: 'retry',
      path: 'retry.test.ts',
      title: 'a backoff leaves no listener on the signals of the caller and of the client',
    },
  },
  {
    title: 'gridfs: a range that ends on a chunk boundary reads one chunk too many',
    file: 'packages/gridfs/src/range.ts',
    find: 'Math.ceil(end / layout.chunkSize)',
    replace: 'Math.floor(end / layout.chunkSize) + 1',
    tests: {
      project: 'gridfs',
      path: 'downloads.test.ts',
      title: 'reads no further chunk if the range ends on a chunk boundary',
    },
  },
  {
    title: 'gridfs: chunks over 16 MB are read with batchSize 0',
    file: 'packages/gridfs/src/download.ts',
    find: 'Math.min(Math.max(Math.floor(batchBytes / chunkSize), 1), mostChunks)',
    replace: 'Math.min(Math.floor(batchBytes / chunkSize), mostChunks)',
    tests: {
      project: 'gridfs',
      path: 'downloads.test.ts',
      title: 'reads chunks larger than 16 MB one at a time',
    },
  },
  {
    title: 'gridfs: deleting the chunks of an aborted upload uses the signal that aborted it',
    file: 'packages/gridfs/src/upload.ts',
    find: '{ ...this.#limit.options(), signal: undefined }',
    replace: 'this.#limit.options()',
    tests: {
      project: 'gridfs',
      path: 'files.test.ts',
      title: 'deletes chunks that were already stored when the signal aborts',
    },
  },
  {
    title: 'client: the backoff of withTransaction loses its jitter at its limit',
    file: 'packages/client/src/with-transaction.ts',
    find: 'unit * Math.min(5 * 1.5 ** retry, 500)',
    replace: 'Math.min(unit * 5 * 1.5 ** retry, 500)',
    tests: {
      project: 'client',
      path: 'with-transaction.test.ts',
      title: 'the backoff grows by half up to 500 ms, reduced by random jitter',
    },
  },
  {
    title: 'topology: the SRV poller continues after it was stopped',
    file: 'packages/topology/src/monitoring/srv-poller.ts',
    find: '    if (isStopped) return;\n',
    replace: '',
    tests: {
      project: 'topology',
      path: 'srv-polling.test.ts',
      title: 'ignores the result of a lookup that ends after the poller was stopped, and starts no other',
    },
  },
  {
    title: 'operations: a bulk is split one byte early',
    file: 'packages/operations/src/write.ts',
    find: 'writer.length <= hello.maxMessageSizeBytes',
    replace: 'writer.length < hello.maxMessageSizeBytes',
    tests: {
      project: 'operations',
      path: 'commands.test.ts',
      title: 'limits a message to exactly maxMessageSizeBytes',
    },
  },
  {
    title: 'operations: a bulk is split one byte late',
    file: 'packages/operations/src/write.ts',
    find: 'writer.length <= hello.maxMessageSizeBytes',
    replace: 'writer.length <= hello.maxMessageSizeBytes + 1',
    tests: {
      project: 'operations',
      path: 'commands.test.ts',
      title: 'limits a message to exactly maxMessageSizeBytes',
    },
  },
  {
    title: 'operations: a client bulk is split one byte early',
    file: 'packages/operations/src/client-bulk-write.ts',
    find: 'used + added > room',
    replace: 'used + added >= room',
    tests: {
      project: 'operations',
      path: 'client-bulk-write.test.ts',
      title: 'limits command, ops and nsInfo together to maxMessageSizeBytes minus 1000 bytes',
    },
  },
  {
    title: 'operations: a client bulk is split one byte late',
    file: 'packages/operations/src/client-bulk-write.ts',
    find: 'used + added > room',
    replace: 'used + added > room + 1',
    tests: {
      project: 'operations',
      path: 'client-bulk-write.test.ts',
      title: 'limits command, ops and nsInfo together to maxMessageSizeBytes minus 1000 bytes',
    },
  },
  {
    title: 'uri: a mechanism property is split at its last colon',
    file: 'packages/uri/src/option-types.ts',
    find: "const colon = pair.indexOf(':');",
    replace: "const colon = pair.lastIndexOf(':');",
    tests: {
      project: 'uri',
      path: 'settings.test.ts',
      title: 'the value of a mechanism property may contain colons',
    },
  },
  {
    title: 'uri: a password in the connection string overrides the password in the options',
    file: 'packages/uri/src/settings.ts',
    find: 'password: auth.password ?? parsed.password,',
    replace: 'password: parsed.password ?? auth.password,',
    tests: {
      project: 'uri',
      path: 'settings.test.ts',
      title: 'user name and password in code replace those of the connection string',
    },
  },
];
