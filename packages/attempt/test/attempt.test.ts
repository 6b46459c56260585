import { bson, encode } from '@tessera/bson';
import { Cancellation, MongoError, orElse } from '@tessera/contracts';
import type {
  Deployment,
  Document,
  Exchange,
  Operation,
  Origin,
  Reply,
  Request,
  SectionWriter,
  Server,
  Session,
  Signal,
  TopologyDescription,
} from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createAttempt } from '@tessera/attempt';
import { fixedServer, emptyTopology, unknownServer } from '@tessera/topology';
import {
  ScriptedConnection,
  ScriptedPool,
  failureOf,
  helloOf,
  operation,
  ping,
  request,
} from '../../topology/test/scripted.js';

const a = 'a:27017';

/** A deployment of one replica set member, with a log of the calls of its pool. */
const createScene = (
  type: Server['description']['type'] = 'RSPrimary',
  topology: TopologyDescription['type'] = 'ReplicaSetWithPrimary',
  maxWireVersion = 25,
) => {
  const connection = new ScriptedConnection(a, { ...helloOf({}, 2), maxWireVersion });
  const pool = new ScriptedPool(connection);
  pool.generation = 3;
  const server: Server = { description: { ...unknownServer(a), type }, pool };
  const reported: MongoError[] = [];
  const deployment: Deployment = {
    description: { ...emptyTopology, type: topology, servers: new Map([[a, server.description]]) },
    select: (_, at) => {
      pool.log.push(at === undefined ? 'select' : `select ${at}`);
      return server;
    },
    report: error => {
      pool.log.push('report');
      reported.push(error);
    },
    close: () => Promise.resolve(),
    interrupt: () => undefined,
    closing: new Cancellation(),
  };
  return { connection, pool, server, reported, deployment, dispatch: createAttempt({ deployment }) };
};

const replyOf = (document: Document): Reply => bson.read(encode(document));

const everywhere = (scene: ReturnType<typeof createScene>): Partial<Origin> => ({
  address: a,
  generation: 3,
  serverType: scene.server.description.type,
  maxWireVersion: scene.connection.hello.maxWireVersion,
  hasSessions: scene.connection.hello.logicalSessionTimeoutMinutes !== undefined,
});

const session = (more: Partial<Session>): Session => ({
  pin: undefined,
  inTransaction: false,
  append: () => undefined,
  received: () => undefined,
  readConcern: ({ readConcern }) => readConcern,
  writeConcern: ({ writeConcern }) => writeConcern,
  failed: () => undefined,
  end: () => undefined,
  ...more,
});

describe('one attempt', () => {
  test('passes every failure, in any phase, to its session before it rejects', async () => {
    const heard: string[] = [];
    const listening = session({
      failed: (error, { name }) => heard.push(`${name} ${error.kind} ${error.origin?.phase}`),
    });
    const run = ({ dispatch }: ReturnType<typeof createScene>) =>
      dispatch(request(operation({ read: () => 1 }), { session: listening })).catch(() => heard.push('rejected'));
    const refused = createScene();
    refused.connection.answers.push({ ok: 0, code: 1 });
    await run(refused);
    const noServers = createScene();
    noServers.deployment.select = () => Promise.reject(new MongoError('selection', 'none'));
    await run(noServers);
    const busy = createScene();
    busy.server.pool.checkOut = () => Promise.reject(new MongoError('pool', 'none is free'));
    await run(busy);
    expect(heard).toEqual([
      ...['ping server command', 'rejected'],
      ...['ping selection select', 'rejected'],
      ...['ping pool checkOut', 'rejected'],
    ]);
  });

  test('checks out with the deadline of the selection if there is one, otherwise with that of the request', async () => {
    const scene = createScene();
    const deadlines: number[] = [];
    const { pool } = scene.server;
    const checkOut = pool.checkOut.bind(pool);
    pool.checkOut = options => {
      deadlines.push(options.deadline);
      return checkOut(options);
    };
    const run = (server: Server): Promise<unknown> => {
      scene.deployment.select = () => server;
      scene.connection.answers.push({ ok: 1 });
      return scene.dispatch(request(operation({ read: () => 1 }), { deadline: 10_000 }));
    };
    await run({ ...scene.server, checkOutBy: 3_000 });
    await run(scene.server);
    expect(deadlines).toEqual([3_000, 10_000]);
  });

  test('selects, checks out, sends, reads and releases, then resolves', async () => {
    const { dispatch, connection, pool } = createScene();
    connection.answers.push({ ok: 1, n: 5 });
    const count = operation({ name: 'count', read: reply => reply.int('n') });
    const value = await dispatch(request(count)).then(n => {
      pool.log.push('value');
      return n;
    });
    expect(value).toBe(5);
    expect(pool.log).toEqual(['select', 'check out', 'release', 'value']);
    expect(connection.asked).toEqual([{ ping: 1, $db: 'test' }]);
  });

  test('with orElse, resolves to the promise of the recovery instead of rejecting, in every step', async () => {
    const failures: unknown[] = [];
    const run = ({ dispatch }: ReturnType<typeof createScene>): Promise<unknown> =>
      orElse(dispatch, request(operation({ read: (): unknown => 'read' })), failure => {
        failures.push((failure as MongoError).kind);
        return Promise.resolve('recovered');
      });
    const refused = createScene();
    refused.connection.answers.push({ ok: 0, code: 1 });
    const noServers = createScene();
    noServers.deployment.select = () => Promise.reject(new MongoError('selection', 'none'));
    const faulty = createScene();
    faulty.deployment.select = () => {
      throw new MongoError('usage', 'faulty');
    };
    const results = [await run(refused), await run(noServers), await run(faulty), await run(createScene())];
    expect([results, failures]).toEqual([
      ['recovered', 'recovered', 'recovered', 'read'],
      ['server', 'selection', 'usage'],
    ]);
  });

  test('waits for an asynchronous selection and checkout', async () => {
    const { deployment, pool, server } = createScene();
    pool.later = true;
    const dispatch = createAttempt({ deployment: { ...deployment, select: () => Promise.resolve(server) } });
    expect(await dispatch(request(ping))).toBe(true);
    expect(pool.log).toEqual(['check out', 'release']);
  });

  test('exchanges append between the concerns and the read preference, and receive each reply first, also with ok: 0', async () => {
    const { dispatch, connection, server } = createScene();
    const log: string[] = [];
    const exchange = (name: string): Exchange => ({
      append: (writer, attempt, { name: operationName }) => {
        writer.value(name, `${operationName} ${attempt.server.address} ${attempt.topology}`);
        expect(attempt.connection).toBe(connection);
        expect(attempt.server).toBe(server.description);
      },
      received: reply => log.push(`${name} ${String(reply.ok)}`),
    });
    connection.answers.push({ ok: 1 }, { ok: 0, errmsg: 'no' });
    const find = operation({
      ...{ selection: { mode: 'nearest' }, readConcern: { level: 'local' }, read: () => log.push('read') },
    });
    const given = request(find, { exchanges: [exchange('one'), exchange('two')] });
    await dispatch(given);
    await failureOf(dispatch(given));
    expect(Object.entries(connection.asked[0] ?? {})).toEqual([
      ['ping', 1],
      ['readConcern', { level: 'local' }],
      ['one', `ping ${a} ReplicaSetWithPrimary`],
      ['two', `ping ${a} ReplicaSetWithPrimary`],
      ['$readPreference', { mode: 'nearest' }],
      ['$db', 'test'],
    ]);
    expect(log).toEqual(['one true', 'two true', 'read', 'one false', 'two false']);
  });

  test('keeps the body length and the statements for the operation and for the origin of errors', async () => {
    const scene = createScene();
    scene.connection.answers.push({ ok: 1 }, { ok: 0, code: 1 });
    const start = scene.connection.start.bind(scene.connection);
    scene.connection.start = message => {
      message.sections?.({} as SectionWriter);
      start(message);
    };
    const insert = operation({
      sections: () => 3,
      read: (_, { bodyLength, statements }) => ({ bodyLength, statements }),
    });
    // The element ping: type, name and an int32.
    expect(await scene.dispatch(request(insert))).toEqual({ bodyLength: 10, statements: 3 });
    expect((await failureOf(scene.dispatch(request(insert)))).origin?.statements).toBe(3);
  });

  test('decodes an error message that ends in the middle of a character', async () => {
    const scene = createScene();
    const answer = encode({ ok: 0, errmsg: 'E11000 duplicate key error dup key: { a: "a?', code: 11000 });
    answer[answer.indexOf('?'.charCodeAt(0))] = 0xc3;
    scene.connection.answers.push(answer);
    expect(await failureOf(scene.dispatch(request(ping)))).toMatchObject({
      kind: 'server',
      code: 11000,
      message: 'E11000 duplicate key error dup key: { a: "a\ufffd',
    });
  });

  test('rejects with the fields and the place of an error reply, and reports it before it releases the connection', async () => {
    const scene = createScene();
    const reply = {
      ok: 0,
      errmsg: 'not primary',
      code: 10107,
      codeName: 'NotWritablePrimary',
      errorLabels: ['RetryableWriteError'],
    };
    scene.connection.answers.push(reply);
    const error = await failureOf(scene.dispatch(request(ping)));
    const { kind, message, code, codeName, labels } = error;
    expect({ kind, message, code, codeName, labels, reply: error.reply }).toEqual({
      kind: 'server',
      message: 'not primary',
      code: 10107,
      codeName: 'NotWritablePrimary',
      labels: ['RetryableWriteError'],
      reply,
    });
    expect(error.origin).toEqual({ phase: 'command', sent: true, serviceId: undefined, ...everywhere(scene) });
    expect(scene.reported).toEqual([error]);
    expect(scene.pool.log).toEqual(['select', 'check out', 'report', 'release']);
  });

  test('adds an origin to an error that the operation throws while reading, and does not report it', async () => {
    const scene = createScene();
    const thrown = new MongoError('server', 'duplicate key', { code: 11000 });
    const insert = operation({
      kind: 'write',
      read: () => {
        throw thrown;
      },
    });
    const error = await failureOf(scene.dispatch(request(insert)));
    expect(error).toBe(thrown);
    expect(error.origin).toMatchObject({ phase: 'command', sent: true, ...everywhere(scene) });
    expect(scene.reported).toEqual([]);
  });

  test('SDAM: reports the write concern error of a write, but not its write errors', async () => {
    const scene = createScene();
    const reply = { ok: 1, n: 1, writeConcernError: { code: 91, errmsg: 'bye' }, writeErrors: [{ code: 10107 }] };
    scene.connection.answers.push(reply, reply);
    const insert = operation({ kind: 'write', read: answer => answer.int('n') });
    expect(await scene.dispatch(request(insert))).toBe(1);
    expect(scene.reported.map(({ kind, code, message, reply: sent }) => ({ kind, code, message, sent }))).toEqual([
      { kind: 'server', code: 91, message: 'The write concern was not satisfied: bye', sent: reply },
    ]);
    expect(scene.reported[0]?.origin).toMatchObject({ phase: 'command', ...everywhere(scene) });
    await scene.dispatch(request(operation({ kind: 'read', read: answer => answer.int('n') })));
    expect(scene.reported).toHaveLength(1);
  });

  test('after a lost connection, reports, informs the session and releases before it rejects', async () => {
    const scene = createScene();
    scene.connection.answers.push(new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } }));
    const failed: MongoError[] = [];
    const given = request(ping, { session: session({ failed: error => failed.push(error) }) });
    const error = await failureOf(scene.dispatch(given));
    expect(error.origin).toEqual({ phase: 'command', sent: true, serviceId: undefined, ...everywhere(scene) });
    expect([scene.reported, failed]).toEqual([[error], [error]]);
    expect(scene.pool.log).toEqual(['select', 'check out', 'report', 'release']);
  });

  test('keeps the connection usable if the command cannot be encoded, and records that it was not sent', async () => {
    const { dispatch, pool } = createScene();
    const bad = operation({
      read: () => 0,
      body: () => {
        throw new MongoError('usage', 'cannot be written');
      },
    });
    const error = await failureOf(dispatch(request(bad)));
    expect(error.origin).toMatchObject({ phase: 'command', sent: false });
    expect(pool.log.at(-1)).toBe('release');
    const alien = operation({
      read: () => 0,
      body: () => {
        throw new RangeError('not ours');
      },
    });
    await expect(dispatch(request(alien))).rejects.toThrow(RangeError);
    expect(pool.log.at(-1)).toBe('release');
  });

  test('adds the phase to errors of selection and checkout, and does not report them again', async () => {
    const { deployment, pool, server, reported } = createScene();
    const noServer = new MongoError('selection', 'none');
    const unselected = createAttempt({ deployment: { ...deployment, select: () => Promise.reject(noServer) } });
    expect((await failureOf(unselected(request(ping)))).origin).toMatchObject({ phase: 'select', sent: false });

    pool.refuses = new MongoError('pool', 'closed');
    const refused = await failureOf(createAttempt({ deployment })(request(ping)));
    expect(refused.origin).toMatchObject({
      phase: 'checkOut',
      sent: false,
      address: a,
      serverType: server.description.type,
    });

    pool.refuses = new MongoError('auth', 'no', { origin: { phase: 'auth', sent: true, generation: 9 } });
    const unknown = await failureOf(createAttempt({ deployment })(request(ping)));
    expect(unknown.origin).toMatchObject({ phase: 'auth', sent: true, generation: 9, address: a });
    expect(reported).toEqual([]);
  });

  test('resolves after sending an unacknowledged command', async () => {
    const { dispatch, pool, connection } = createScene();
    const insert = operation({ kind: 'write', answer: 'none', read: () => expect.unreachable() });
    expect(await dispatch(request(insert))).toBeUndefined();
    expect(await dispatch(request({ ...insert, unanswered: ({ server }) => server.address }))).toBe(a);
    expect(connection.asked).toHaveLength(2);
    expect(pool.log.at(-1)).toBe('release');
  });

  test('exposes the session, the earlier failures and the expected number of replies', async () => {
    const { dispatch } = createScene();
    const before = [new MongoError('network', 'reset')];
    const mine = session({});
    const look = operation({
      read: (_, attempt) => ({
        session: attempt.session,
        failures: attempt.failures,
        hello: attempt.connection.hello.roundTrip,
      }),
    });
    expect(await dispatch(request(look, { session: mine, failures: before }))).toEqual({
      session: mine,
      failures: before,
      hello: 2,
    });
  });
});

describe('the signal', () => {
  test('rejects immediately when it aborts; the connection is released after the late reply', async () => {
    const { dispatch, connection, pool, reported } = createScene();
    connection.answers.push('silence');
    const signal = new Cancellation();
    const failed: MongoError[] = [];
    const running = failureOf(
      dispatch(request(ping, { signal, session: session({ failed: error => failed.push(error) }) })),
    );
    signal.abort('enough');
    const error = await running;
    expect([error.kind, error.cause, error.origin?.sent]).toEqual(['aborted', 'enough', true]);
    expect(error.message).toContain('the server may still finish it');
    expect(pool.log).toEqual(['select', 'check out', 'report']);
    expect([reported, failed]).toEqual([[error], [error]]);
    connection.owed?.(true);
    await Promise.resolve();
    expect(pool.log.at(-1)).toBe('release');
  });

  test('prevents sending if it has already aborted', async () => {
    const { dispatch, connection, pool } = createScene();
    const signal = new Cancellation();
    signal.abort('enough');
    const error = await failureOf(dispatch(request(ping, { signal })));
    expect([error.kind, error.origin?.sent, connection.asked]).toEqual(['aborted', false, []]);
    expect(pool.log.at(-1)).toBe('release');
  });

  test('has no listener after the operation has ended', async () => {
    const { dispatch } = createScene();
    const listeners: string[] = [];
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (type: string) => listeners.push(`add ${type}`),
      removeEventListener: (type: string) => listeners.push(`remove ${type}`),
    };
    await dispatch(request(ping, { signal }));
    expect(listeners).toEqual(['add abort', 'remove abort']);
  });
});

describe('a deadline that passes during the command', () => {
  test('rejects immediately; the connection is released after the late reply', async () => {
    const { dispatch, connection, pool } = createScene();
    connection.answers.push('silence');
    const running = failureOf(dispatch(request(ping)));
    const passed = new MongoError('timeout', 'too late');
    void connection.detach(passed);
    expect(await running).toBe(passed);
    expect(pool.log).toEqual(['select', 'check out', 'report']);
    connection.owed?.(true);
    await Promise.resolve();
    expect(pool.log.at(-1)).toBe('release');
  });
});

describe('a late reply, after the operation was aborted', () => {
  /** Aborts an operation, delivers its late reply and returns the arguments of the calls of `late`. */
  const lateAfterAbort = async (pinned: boolean): Promise<readonly unknown[]> => {
    const { connection, deployment } = createScene();
    const calls: unknown[] = [];
    const dispatch = createAttempt({
      deployment,
      late: (reply, attempt, { name }) => calls.push([reply.document(), attempt.connection, name]),
    });
    connection.answers.push('silence');
    const signal = new Cancellation();
    const lease = { connection, generation: 3, hold: () => undefined, release: () => undefined };
    const pin = pinned ? { lease } : undefined;
    const running = failureOf(dispatch(request(ping, { signal, pin })));
    const message = connection.underWay!;
    signal.abort('enough');
    await running;
    message.late?.(replyOf({ ok: 1, n: 7 }));
    return calls.map(call => (call as readonly unknown[]).map(part => (part === connection ? 'connection' : part)));
  };

  test('is passed to `late` with its attempt and operation', async () => {
    expect(await lateAfterAbort(false)).toEqual([[{ ok: 1, n: 7 }, 'connection', 'ping']]);
  });

  test('is not passed to `late` if a cursor or transaction keeps the connection', async () => {
    expect(await lateAfterAbort(true)).toEqual([]);
  });

  test('is ignored without `late`', async () => {
    const { dispatch, connection } = createScene();
    connection.answers.push('silence');
    const signal = new Cancellation();
    const running = failureOf(dispatch(request(ping, { signal })));
    const message = connection.underWay!;
    signal.abort('enough');
    await running;
    expect(() => {
      message.late?.(replyOf({ ok: 1 }));
    }).not.toThrow();
  });
});

test('the message has the id, the name and the database of its request', async () => {
  const { dispatch, connection } = createScene();
  connection.answers.push('silence');
  const signal = new Cancellation();
  const running = failureOf(dispatch({ ...request(ping, { signal }), id: 77 }));
  const { operationId, name, db } = connection.underWay!;
  expect({ operationId, name, db }).toEqual({ operationId: 77, name: ping.name, db: ping.db });
  signal.abort('enough');
  await running;
});

test('rejects with the first error if reading several replies fails', async () => {
  const { dispatch, connection } = createScene();
  connection.answers.push('silence');
  const errors = [new Error('first'), new Error('second')];
  const read = operation({
    read: () => {
      throw errors.shift()!;
    },
  });
  const running = dispatch(request(read)).catch((error: unknown) => (error as Error).message);
  const message = connection.underWay!;
  message.reply(replyOf({ ok: 1 }));
  message.reply(replyOf({ ok: 1 }));
  message.end();
  expect(await running).toBe('first');
});

test('rejects unchanged with an error that is not a MongoError, and reports it neither to the deployment nor to the session', async () => {
  const { connection, deployment, reported } = createScene();
  const odd = new TypeError('odd');
  connection.start = message => {
    message.fail(odd as never);
  };
  const heard: unknown[] = [];
  const mine = session({ failed: error => heard.push(error) });
  const failing = createAttempt({ deployment })(request(ping, { session: mine }));
  expect(await failing.catch((error: unknown) => error)).toBe(odd);
  expect([reported, heard, 'origin' in odd]).toEqual([[], [], false]);
});

describe('Load Balancers, "Connection Pinning"', () => {
  test('does not release a connection that the operation keeps', async () => {
    const { dispatch, pool } = createScene();
    const find = operation({ read: (_, attempt) => attempt.hold('cursor') });
    const lease = await dispatch(request(find));
    expect(pool.log).toEqual(['select', 'check out', 'held by cursor']);
    expect(lease.generation).toBe(3);
  });

  test('uses a pinned lease without selection, checkout or release; the pin of the session overrides that of the request', async () => {
    const { dispatch, pool } = createScene();
    const lease = await dispatch(request(operation({ read: (_, attempt) => attempt.hold('transaction') })));
    pool.log.length = 0;
    expect(await dispatch(request(ping, { pin: { lease } }))).toBe(true);
    expect(await dispatch(request(ping, { pin: { address: 'b:27017' }, session: session({ pin: { lease } }) }))).toBe(
      true,
    );
    expect(pool.log).toEqual([]);
    await dispatch(request(ping, { pin: { address: 'b:27017' } }));
    expect(pool.log).toEqual(['select b:27017', 'check out', 'release']);
  });

  test('does not interrupt the running command of a pinned connection that rejects another one', async () => {
    const { dispatch, connection } = createScene();
    const lease = await dispatch(request(operation({ read: (_, attempt) => attempt.hold('transaction') })));
    const busy = new MongoError('usage', 'busy', { origin: { phase: 'command', sent: false } });
    const givenUp: unknown[] = [];
    connection.detach = error => givenUp.push(error) > 0;
    connection.start = message => {
      message.fail(busy);
    };
    expect(await failureOf(dispatch(request(ping, { pin: { lease } })))).toBe(busy);
    expect(givenUp).toEqual([]);
  });

  test('rejects a pinned lease to a server that has left the deployment', async () => {
    const { dispatch, deployment } = createScene();
    const lease = await dispatch(request(operation({ read: (_, attempt) => attempt.hold('cursor') })));
    const elsewhere = createAttempt({ deployment: { ...deployment, description: emptyTopology } });
    const error = await failureOf(elsewhere(request(ping, { pin: { lease } })));
    expect([error.kind, error.origin?.sent]).toEqual(['selection', false]);
    expect(error.message).toContain('no longer part of the deployment');
  });
});

describe('Server Selection, $readPreference', () => {
  const sent = async (
    type: Server['description']['type'],
    topology: TopologyDescription['type'],
    given: Parameters<typeof operation>[0],
    maxWireVersion?: number,
  ): Promise<unknown> => {
    const { dispatch, connection } = createScene(type, topology, maxWireVersion);
    await dispatch(request(operation(given)));
    return connection.asked[0]?.['$readPreference'] as unknown;
  };
  const read = () => 0;
  const secondary = { mode: 'secondary', tags: [{ dc: 'ny' }], maxStalenessSeconds: 120 } as const;

  test('sends mode primary only in topology Single to a server that is no mongos or standalone, as primaryPreferred', async () => {
    expect(await sent('RSPrimary', 'ReplicaSetWithPrimary', { read })).toBeUndefined();
    expect(await sent('Mongos', 'Sharded', { read })).toBeUndefined();
    expect(await sent('LoadBalancer', 'LoadBalanced', { read })).toBeUndefined();
    expect(await sent('Mongos', 'Single', { read })).toBeUndefined();
    expect(await sent('Standalone', 'Single', { read })).toBeUndefined();
    expect(await sent('RSSecondary', 'Single', { read })).toEqual({ mode: 'primaryPreferred' });
    expect(await sent('RSSecondary', 'Single', { read, kind: 'either' })).toEqual({ mode: 'primaryPreferred' });
    expect(await sent('RSPrimary', 'Single', { read, kind: 'write' })).toBeUndefined();
  });

  test('sends other modes with tags and maxStalenessSeconds to all servers except standalones', async () => {
    expect(await sent('RSSecondary', 'ReplicaSetNoPrimary', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('Mongos', 'Sharded', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('LoadBalancer', 'LoadBalanced', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('RSSecondary', 'Single', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('Standalone', 'Single', { read, selection: secondary })).toBeUndefined();
    const bare = { mode: 'nearest', tags: [], maxStalenessSeconds: -1 } as const;
    expect(await sent('Mongos', 'Sharded', { read, selection: bare })).toEqual({ mode: 'nearest' });
  });

  test('sends the preference of an aggregation with $out only if the server version supports it', async () => {
    const selection = { ...secondary, writes: true };
    const given = { read, selection, kind: 'write' } as const;
    expect(await sent('LoadBalancer', 'LoadBalanced', given, 13)).toEqual(secondary);
    expect(await sent('LoadBalancer', 'LoadBalanced', given, 9)).toBeUndefined();
  });
});

describe('a fixed server', () => {
  test('makes its pool ready and runs commands without monitoring', async () => {
    const pool = new ScriptedPool(new ScriptedConnection(a));
    const deployment = fixedServer(pool, a);
    expect(await createAttempt({ deployment })(request(ping))).toBe(true);
    await deployment.close();
    expect(pool.log).toEqual(['ready', 'check out', 'release', 'close']);
    expect(pool.closedFor?.kind).toBe('closed');
  });

  test('clears its pool once after a lost connection or a shutdown and makes it ready again, but not after other errors', async () => {
    const pool = new ScriptedPool(new ScriptedConnection(a));
    const deployment = fixedServer(pool, a);
    const origin: Origin = { phase: 'command', sent: true, address: a, generation: 0 };
    deployment.report(new MongoError('network', 'reset', { origin }));
    deployment.report(new MongoError('network', 'reset', { origin }));
    deployment.report(new MongoError('timeout', 'slow', { origin: { ...origin, generation: 1 } }));
    deployment.report(new MongoError('network', 'refused', { origin: { ...origin, phase: 'connect', generation: 1 } }));
    expect(pool.log).toEqual(['ready', 'clear', 'ready']);
    deployment.report(new MongoError('server', 'bye', { code: 91, origin: { ...origin, generation: 1 } }));
    expect(pool.log).toEqual(['ready', 'clear', 'ready', 'clear', 'ready']);
  });
});

describe('after an error between checkout and release, the connection is released once and the operation rejects', () => {
  const thrown = new RangeError('thrown at this step');
  const fail = (): never => {
    throw thrown;
  };
  const signalWith = (more: object): Signal => ({
    aborted: false,
    reason: undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    ...more,
  });
  const throwing = {
    get aborted(): boolean {
      return fail();
    },
  };
  const refused = { ok: 0, code: 10107, errmsg: 'not primary' };
  type Scene = ReturnType<typeof createScene>;
  interface Step {
    readonly more?: Partial<Request<unknown>>;
    readonly of?: Partial<Operation<unknown>>;
    readonly prepare?: (scene: Scene) => void;
  }
  const steps: Readonly<Record<string, Step>> = {
    'the signal says whether it is aborted': {
      more: { signal: Object.defineProperties(signalWith({}), Object.getOwnPropertyDescriptors(throwing)) },
    },
    'the signal takes a listener': { more: { signal: signalWith({ addEventListener: fail }) } },
    'the signal forgets a listener': { more: { signal: signalWith({ removeEventListener: fail }) } },
    'the operation writes its body': { of: { body: fail } },
    'the operation writes its sections': { of: { sections: fail } },
    'an exchange appends': { more: { exchanges: [{ append: fail, received: () => undefined }] } },
    'the connection starts': {
      prepare: ({ connection }) => {
        connection.start = fail;
      },
    },
    'an exchange hears the reply': { more: { exchanges: [{ append: () => undefined, received: fail }] } },
    'the operation reads the reply': { of: { read: fail } },
    'the deployment hears of a refusal': {
      prepare: ({ connection, deployment }) => {
        connection.answers.push(refused);
        deployment.report = fail;
      },
    },
    'the session hears of a refusal': {
      more: { session: session({ failed: fail }) },
      prepare: ({ connection }) => connection.answers.push(refused),
    },
    'the deployment hears of a lost connection': {
      prepare: ({ connection, deployment }) => {
        connection.answers.push(new MongoError('network', 'reset'));
        deployment.report = fail;
      },
    },
    'the session hears of a lost connection': {
      more: { session: session({ failed: fail }) },
      prepare: ({ connection }) => connection.answers.push(new MongoError('network', 'reset')),
    },
  };
  const waits = {
    'nothing waits': [false, false],
    'checkout waits': [false, true],
    'both wait': [true, true],
  } as const;

  describe.each(Object.entries(waits))('%s', (_, [selectWaits, checkOutWaits]) => {
    test.each(Object.entries(steps))('when %s', async (__, { more, of, prepare }) => {
      const scene = createScene();
      const { pool, server, deployment } = scene;
      pool.later = checkOutWaits;
      deployment.select = () => (selectWaits ? Promise.resolve(server) : server);
      // Like the codec, writes the sections after the body.
      const { connection } = scene;
      const start = connection.start.bind(connection);
      connection.start = message => {
        message.sections?.({} as SectionWriter);
        start(message);
      };
      prepare?.(scene);
      const failing = scene.dispatch(request(operation({ read: () => 1, ...of }), more));
      expect(await failing.then(String, (error: unknown) => error)).toBe(thrown);
      expect(pool.log.filter(what => what !== 'report')).toEqual(['check out', 'release']);
    });
  });

  test('rejects if checkOut throws after an asynchronous selection', async () => {
    const { deployment, server, dispatch } = createScene();
    deployment.select = () => Promise.resolve(server);
    server.pool.checkOut = fail;
    await expect(dispatch(request(ping))).rejects.toBe(thrown);
  });
});
