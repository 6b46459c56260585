// Faults in the access control of the embedded server, and in the fairness of its commands. Each once let a client do more than it
// may.

const doors = (/** @type {string} */ title) => ({ project: 'server', path: 'auth/doors.test.ts', title });
const sizes = (/** @type {string} */ title) => ({ project: 'server', path: 'auth/message-size.test.ts', title });
const sessions = (/** @type {string} */ title) => ({ project: 'server', path: 'auth/sessions.test.ts', title });
const turns = (/** @type {string} */ title) => ({ project: 'server', path: 'commands/turns.test.ts', title });

/** @type {readonly import('../list.mjs').Fault[]} */
export default [
  {
    title: 'server: the resource of a privilege may mix kinds',
    file: 'packages/server/src/auth/privilege.ts',
    find: 'if (Number(hasNamespace) + flags.length !== 1)',
    replace: 'if (Number(hasNamespace) + flags.length < 1)',
    tests: doors('a user administrator cannot grant privileges on the resource'),
  },
  {
    title: 'server: usersInfo for all databases requires nothing',
    file: 'packages/server/src/auth/user-needs.ts',
    find: "if (requested === 'everywhere') return [need('viewUser', cluster)];",
    replace: "if (requested === 'everywhere') return [];",
    tests: doors('rejects requests for all users inside a list of names'),
  },
  {
    title: 'server: usersInfo accepts a user name with forAllDBs',
    file: 'packages/server/src/auth/requested-users.ts',
    find: 'const isExact = !isDoc(value) || value.size === 2;',
    replace: 'const isExact = true as boolean;',
    tests: doors('rejects requests for all users inside a list of names'),
  },
  {
    title: 'server: the access check takes the first field of out for the collection of a mapReduce',
    file: 'packages/server/src/auth/needs.ts',
    find: 'const on = collectionOf(out.db ?? request.db, out.collection);',
    replace: "const on = collectionOf(request.db, typeof given === 'string' ? given : given.entries()[0]?.[1]);",
    tests: doors('requires privileges on the output collection of out'),
  },
  {
    title: 'server: sessions of different users with the same id are the same session',
    file: 'packages/server/src/auth/session-keys.ts',
    find: 'if (given === undefined || given === own) return id + own;',
    replace: 'if (given === undefined || given === own) return id;',
    tests: sessions(''),
  },
  {
    title: 'server: $listLocalSessions lists the sessions of others',
    file: 'packages/server/src/commands/own-stages.ts',
    find: "if (![...requested].every(isOwn)) checkCluster(call, 'listSessions');",
    replace: '',
    tests: sessions(''),
  },
  {
    title: 'server: $currentOp shows operations of others without allUsers',
    file: 'packages/server/src/commands/own-stages.ts',
    find: "const allUsers = spec.get('allUsers') ?? false;",
    replace: "const allUsers = spec.get('allUsers') ?? true;",
    tests: sessions('$currentOp and currentOp show operations of others with inprog only'),
  },
  {
    title: 'server: an unauthenticated client can send messages of 48 MB',
    file: 'packages/server/src/wire/frame.ts',
    find: '(size > maxUnauthenticatedSize && size > longest())',
    replace: 'size > maxMessageSize',
    tests: sizes('the header of a message of more than 16,384 bytes closes the connection'),
  },
  {
    title: 'server: an unauthenticated client can send messages that are decompressed to 48 MB',
    file: 'packages/server/src/wire/connection.ts',
    find: 'readCompressed(frame, this.#handlers.longest() - headerSize)',
    replace: 'readCompressed(frame, 48_000_000 - headerSize)',
    tests: sizes('a compressed message of more than 16,384 bytes closes the connection before it is decompressed'),
  },
  {
    title: 'server: the requests of an unauthenticated client that wait for their turn may have 192 MB',
    file: 'packages/server/src/wire/connection.ts',
    find: 'Math.min(messages * this.#handlers.longest(), bytes)',
    replace: 'Math.min(messages * 48_000_000, bytes)',
    tests: { project: 'server', path: 'wire/throttle.test.ts', title: 'requests of 2048 bytes' },
  },
  {
    title: 'cluster: an unauthenticated client of a mongos can send messages of 48 MB',
    file: 'packages/cluster/src/router/mongos-process.ts',
    find: 'client => isKnownTo(state, client)',
    replace: '() => true',
    tests: {
      project: 'cluster',
      path: 'router/access.test.ts',
      title: 'closes a connection that announces a large message before authentication',
    },
  },
  {
    title: 'server: an explained command in another spelling requires nothing',
    file: 'packages/server/src/auth/needs.ts',
    find: "return needsOf(request.named(inner.keys()[0] ?? '') ?? '', { ...request, body: inner }) ?? internal;",
    replace: "return needsOf(inner.keys()[0] ?? '', { ...request, body: inner }) ?? [];",
    tests: doors('requires the privileges of the explained command'),
  },
  {
    title: 'server: writes do not yield',
    file: 'packages/server/src/commands/turns.ts',
    find: 'const next = pieces.next();',
    replace: 'let next = pieces.next(); while (next.done !== true) next = pieces.next();',
    tests: turns('by update yields to other clients'),
  },
  {
    title: 'server: a long write is committed after other changes',
    file: 'packages/server/src/engine/engine.ts',
    find: 'isCurrent: () => this.#value === value && this.transactions.claims === claims,',
    replace: 'isCurrent: () => true || (this.#value === value && this.transactions.claims === claims),',
    tests: turns('starts again if an aggregation has changed the data meanwhile'),
  },
  {
    title: 'server: a long write is committed after a step-down',
    file: 'packages/server/src/commands/turns.ts',
    find: 'if (hasPaused) checkStillPrimary(call);',
    replace: '',
    tests: turns('fails with code 11602 and changes nothing after a step-down'),
  },
  {
    title: 'server: any number of connections may be open',
    file: 'packages/server/src/front.ts',
    find: 'return this.counts.current >= this.counts.most;',
    replace: 'return this.counts.current >= Infinity;',
    tests: { project: 'server', path: 'connection-limit.test.ts', title: 'bounds connections before login' },
  },
];
