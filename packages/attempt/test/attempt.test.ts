import { bson, encode } from '@tessera/bson';
import { Cancellation, MongoError } from '@tessera/contracts';
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

/** One member of a replica set; what it is told stands in the log of its pool. */
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
  test('tells its session of every failure, wherever it came about, before it rejects', async () => {
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

  test('checks out within the time that selection left, and within the whole deadline if selection set no limit', async () => {
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

  test('selects, checks out, sends, reads, gives back; then the value is there', async () => {
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

  test('waits where selection or checkout waits', async () => {
    const { deployment, pool, server } = createScene();
    pool.later = true;
    const dispatch = createAttempt({ deployment: { ...deployment, select: () => Promise.resolve(server) } });
    expect(await dispatch(request(ping))).toBe(true);
    expect(pool.log).toEqual(['check out', 'release']);
  });

  test('exchanges write between the concerns and the read preference, and hear the reply first, also a refusal', async () => {
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

  test('keeps what it has written for the operation, which keeps nothing itself, and for the origin of errors', async () => {
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
    // ping: an int32, with its type and name.
    expect(await scene.dispatch(request(insert))).toEqual({ bodyLength: 10, statements: 3 });
    expect((await failureOf(scene.dispatch(request(insert)))).origin?.statements).toBe(3);
  });

  test('a refusal that quotes half a character is told like any other', async () => {
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

  test('a refusal becomes an error with all that the server said and where it was; it is reported before the connection goes back', async () => {
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

  test('what an operation throws while it reads is told where it was, and not reported', async () => {
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

  test('SDAM: the write concern error of a write is reported, those of its statements are not', async () => {
    const scene = createScene();
    const reply = { ok: 1, n: 1, writeConcernError: { code: 91, errmsg: 'bye' }, writeErrors: [{ code: 10107 }] };
    scene.connection.answers.push(reply, reply);
    const insert = operation({ kind: 'write', read: answer => answer.int('n') });
    expect(await scene.dispatch(request(insert))).toBe(1);
    expect(scene.reported.map(({ kind, code, message, reply: told }) => ({ kind, code, message, told }))).toEqual([
      { kind: 'server', code: 91, message: 'The write concern was not satisfied: bye', told: reply },
    ]);
    expect(scene.reported[0]?.origin).toMatchObject({ phase: 'command', ...everywhere(scene) });
    await scene.dispatch(request(operation({ kind: 'read', read: answer => answer.int('n') })));
    expect(scene.reported).toHaveLength(1);
  });

  test('a lost connection: reported, told to the session, given back; then the caller hears', async () => {
    const scene = createScene();
    scene.connection.answers.push(new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } }));
    const failed: MongoError[] = [];
    const given = request(ping, { session: session({ failed: error => failed.push(error) }) });
    const error = await failureOf(scene.dispatch(given));
    expect(error.origin).toEqual({ phase: 'command', sent: true, serviceId: undefined, ...everywhere(scene) });
    expect([scene.reported, failed]).toEqual([[error], [error]]);
    expect(scene.pool.log).toEqual(['select', 'check out', 'report', 'release']);
  });

  test('a command that cannot be written was not sent, and the connection is still good', async () => {
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

  test('errors of selection and checkout say how far it came, and are not reported again', async () => {
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

  test('an unacknowledged command succeeds when it is sent', async () => {
    const { dispatch, pool, connection } = createScene();
    const insert = operation({ kind: 'write', answer: 'none', read: () => expect.unreachable() });
    expect(await dispatch(request(insert))).toBeUndefined();
    expect(await dispatch(request({ ...insert, unanswered: ({ server }) => server.address }))).toBe(a);
    expect(connection.asked).toHaveLength(2);
    expect(pool.log.at(-1)).toBe('release');
  });

  test('an attempt knows its session, the failures before it and the answer it wants', async () => {
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
  test('aborts at once; the connection goes back when the late reply has come', async () => {
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

  test('aborted before: nothing is sent', async () => {
    const { dispatch, connection, pool } = createScene();
    const signal = new Cancellation();
    signal.abort('enough');
    const error = await failureOf(dispatch(request(ping, { signal })));
    expect([error.kind, error.origin?.sent, connection.asked]).toEqual(['aborted', false, []]);
    expect(pool.log.at(-1)).toBe('release');
  });

  test('is forgotten when the operation has ended, and listened to only if there is one', async () => {
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

describe('a deadline that passes while the server works', () => {
  test('the caller hears at once, the connection goes back after the late reply', async () => {
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
  /** Aborts an operation, then lets its reply come: what the late listener was called with. */
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

  test('is given to `late` with its attempt and operation', async () => {
    expect(await lateAfterAbort(false)).toEqual([[{ ok: 1, n: 7 }, 'connection', 'ping']]);
  });

  test('on a connection that a cursor or transaction keeps, `late` does not receive it', async () => {
    expect(await lateAfterAbort(true)).toEqual([]);
  });

  test('needs no listener', async () => {
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

test('of several replies whose reading fails, the first error is the one that rejects', async () => {
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

test('an error that is not a MongoError rejects unchanged, and is reported to neither the deployment nor the session', async () => {
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
  test('a connection that is held stays with the caller', async () => {
    const { dispatch, pool } = createScene();
    const find = operation({ read: (_, attempt) => attempt.hold('cursor') });
    const lease = await dispatch(request(find));
    expect(pool.log).toEqual(['select', 'check out', 'held by cursor']);
    expect(lease.generation).toBe(3);
  });

  test('a pinned lease is used without selection or checkout and not given back; the session goes before the request', async () => {
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

  test('what a pinned lease refuses because it is busy gives up nothing of what is under way there', async () => {
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

  test('a pinned lease to a server that left fails clearly', async () => {
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

  test('primary is never told, but to a single server that is not mongos or standalone, and then as primaryPreferred', async () => {
    expect(await sent('RSPrimary', 'ReplicaSetWithPrimary', { read })).toBeUndefined();
    expect(await sent('Mongos', 'Sharded', { read })).toBeUndefined();
    expect(await sent('LoadBalancer', 'LoadBalanced', { read })).toBeUndefined();
    expect(await sent('Mongos', 'Single', { read })).toBeUndefined();
    expect(await sent('Standalone', 'Single', { read })).toBeUndefined();
    expect(await sent('RSSecondary', 'Single', { read })).toEqual({ mode: 'primaryPreferred' });
    expect(await sent('RSSecondary', 'Single', { read, kind: 'either' })).toEqual({ mode: 'primaryPreferred' });
    expect(await sent('RSPrimary', 'Single', { read, kind: 'write' })).toBeUndefined();
  });

  test('other modes are told to all but standalones, with tags and staleness', async () => {
    expect(await sent('RSSecondary', 'ReplicaSetNoPrimary', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('Mongos', 'Sharded', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('LoadBalancer', 'LoadBalanced', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('RSSecondary', 'Single', { read, selection: secondary })).toEqual(secondary);
    expect(await sent('Standalone', 'Single', { read, selection: secondary })).toBeUndefined();
    const bare = { mode: 'nearest', tags: [], maxStalenessSeconds: -1 } as const;
    expect(await sent('Mongos', 'Sharded', { read, selection: bare })).toEqual({ mode: 'nearest' });
  });

  test('of an aggregation that writes, what the version of the server behind the connection can do', async () => {
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

  test('a lost connection or a shutdown drops the pool once and makes it ready again; other errors do not', async () => {
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

describe('whatever throws between checkout and release, the connection goes back once and the caller is told', () => {
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
      // As the codec does it: the sections are written after the body.
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

  test('checking out throws after selection has waited', async () => {
    const { deployment, server, dispatch } = createScene();
    deployment.select = () => Promise.resolve(server);
    server.pool.checkOut = fail;
    await expect(dispatch(request(ping))).rejects.toBe(thrown);
  });
});
