import { describe, expect, test } from 'vitest';
import type { Compressor, Document, MongoError } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { createStage, HELLO, settle } from './stage.js';

const turned = (bytes: Uint8Array): Uint8Array => bytes.map(byte => ~byte);
const compressor = (id: number, name: string): Compressor => ({ id, name, compress: turned, decompress: turned });
const compressors = [compressor(1, 'snappy'), compressor(2, 'zlib')];

const CLIENT = {
  driver: { name: 'tessera', version: '0.0.0' },
  os: { type: 'Linux', name: 'linux', architecture: 'x64', version: '6.1' },
  platform: 'Node.js v20.20.2, LE',
};

/** The values for a server whose hello has no optional fields. */
const defaultLimits = {
  serviceId: undefined,
  connectionId: undefined,
  maxWireVersion: 0,
  logicalSessionTimeoutMinutes: undefined,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 1000,
};

const failure = async (connecting: Promise<unknown>): Promise<MongoError> => {
  try {
    await connecting;
  } catch (error) {
    return error as MongoError;
  }
  throw new Error('connected');
};

describe('MongoDB Handshake "Connection handshake"', () => {
  test('sends legacy hello first, with helloOk and the client metadata, over OP_MSG', async () => {
    const { peer } = await createStage().dial();
    expect(peer.requests).toEqual([
      {
        id: 1,
        flags: 0,
        opCode: 2013,
        command: { isMaster: 1, helloOk: true, client: CLIENT, compression: [], backpressure: '2', $db: 'admin' },
      },
    ]);
    expect(Object.keys(peer.last.command)[0]).toBe('isMaster');
  });

  test('with a declared API version, sends hello with the version, and adds it to every command given as a document', async () => {
    const serverApi = { version: '1', strict: true, deprecationErrors: false };
    const api = { apiVersion: '1', apiStrict: true, apiDeprecationErrors: false };
    const stage = createStage({ options: { serverApi } });
    const { peer, connecting } = await stage.dial();
    expect(peer.last.command).toEqual({
      hello: 1,
      helloOk: true,
      client: CLIENT,
      compression: [],
      backpressure: '2',
      ...api,
      $db: 'admin',
    });
    peer.reply(HELLO);
    void (await connecting).command('admin', { hello: 1 }, Infinity);
    expect(peer.last.command).toEqual({ hello: 1, ...api, $db: 'admin' });
  });

  test('behind a load balancer, sends hello with loadBalanced', async () => {
    const { peer } = await createStage({ options: { loadBalanced: true } }).dial();
    expect(Object.keys(peer.last.command)).toEqual([
      'hello',
      'helloOk',
      'client',
      'compression',
      'backpressure',
      'loadBalanced',
      '$db',
    ]);
    expect(peer.last.command['loadBalanced']).toBe(true);
  });

  test('takes the limits of a connection from its own hello', async () => {
    const stage = createStage();
    const { peer, connecting } = await stage.dial();
    stage.clock.advance(12);
    peer.reply({ ...HELLO, maxWireVersion: 21, maxMessageSizeBytes: 1000, connectionId: 5 });
    const connection = await connecting;
    expect(connection.hello).toEqual({
      document: { ...HELLO, maxWireVersion: 21, maxMessageSizeBytes: 1000, connectionId: 5 },
      serviceId: undefined,
      connectionId: 5n,
      maxWireVersion: 21,
      logicalSessionTimeoutMinutes: 30,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 1000,
      maxWriteBatchSize: 100_000,
      roundTrip: 12,
    });
    expect([connection.id, connection.address, connection.closed]).toEqual([1, 'db:27017', false]);
  });

  test('uses the defaults of old servers for limits that hello does not report', async () => {
    const { connection } = await createStage().open({}, { ismaster: true, ok: 1 });
    const { document: _, roundTrip: __, ...rest } = connection.hello;
    expect(rest).toEqual(defaultLimits);
  });

  test.each<readonly [string, unknown]>([
    ['a text', 'many'],
    ['null', null],
    ['a list', [1]],
    ['a document', { toBigInt: 5 }],
    ['not a number', NaN],
    ['infinity', Infinity],
  ])('ignores fields of wrong types: %s', async (_, odd) => {
    const fields = ['maxWireVersion', 'logicalSessionTimeoutMinutes', 'connectionId', 'serviceId', 'compression'];
    const limits = ['maxBsonObjectSize', 'maxMessageSizeBytes', 'maxWriteBatchSize', 'speculativeAuthenticate'];
    const told = Object.fromEntries([...fields, ...limits].map(name => [name, odd]));
    const { connection } = await createStage().open({}, { ismaster: true, ok: 1, ...told });
    const { document: _document, roundTrip: _roundTrip, ...rest } = connection.hello;
    expect(rest).toEqual(defaultLimits);
  });

  test('Load Balancers "Connection Establishment": rejects a server without serviceId, and keeps the serviceId otherwise', async () => {
    const stage = createStage({ options: { loadBalanced: true } });
    const { peer, connecting } = await stage.dial();
    peer.reply(HELLO);
    const error = await failure(connecting);
    expect(error.message).toContain(
      'Driver attempted to initialize in load balancing mode, but the server does not support this mode.',
    );
    expect(peer.destroyed).toBe(true);
    const serviceId = new ObjectId();
    const { connection } = await stage.open({}, { ...HELLO, serviceId });
    expect(connection.hello.serviceId).toEqual(serviceId);
    const odd = await createStage().open({}, { ...HELLO, serviceId: 5 });
    expect(odd.connection.hello.serviceId).toBeUndefined();
  });
});

describe('OP_COMPRESSED "MongoDB Handshake Amendment"', () => {
  const offers = async (given: readonly string[], use: 'operations' | 'monitor' = 'operations'): Promise<unknown> => {
    const { peer } = await createStage({ compressors, options: { compressors: given } }).dial({ use });
    return peer.last.command['compression'];
  };

  test('offers known compressors in the configured order, and none for monitors', async () => {
    expect(await offers(['zlib', 'zstd', 'snappy'])).toEqual(['zlib', 'snappy']);
    expect(await offers([])).toEqual([]);
    expect(await offers(['zlib'], 'monitor')).toEqual([]);
  });

  test('uses the first offered compressor that the server supports', async () => {
    const stage = createStage({ compressors, options: { compressors: ['zlib', 'snappy'] } });
    const { peer, connection } = await stage.open({}, { ...HELLO, compression: ['snappy', 'zlib'] });
    void connection.command('test', { ping: 1 }, Infinity);
    expect([peer.last.opCode, peer.frames[0]?.[24]]).toEqual([2012, 2]);
  });

  test('compresses nothing if the server reports no compression', async () => {
    const stage = createStage({ compressors, options: { compressors: ['zlib'] } });
    for (const hello of [HELLO, { ...HELLO, compression: [] }, { ...HELLO, compression: ['zstd'] }]) {
      const { peer, connection } = await stage.open({}, hello);
      void connection.command('test', { ping: 1 }, Infinity);
      expect(peer.last.opCode).toBe(2013);
    }
  });

  test.each([
    'hello',
    'isMaster',
    'ismaster',
    'saslStart',
    'saslContinue',
    'getnonce',
    'authenticate',
    'createUser',
    'updateUser',
    'copydbSaslStart',
    'copydbgetnonce',
    'copydb',
  ])('"Messages not allowed to be compressed": %s', async name => {
    const stage = createStage({ compressors, options: { compressors: ['zlib'] } });
    const { peer, connection } = await stage.open({}, { ...HELLO, compression: ['zlib'] });
    void connection.command('test', { [name]: 1 }, Infinity);
    expect(peer.last.opCode).toBe(2013);
  });
});

describe('a peer that is not a MongoDB server: one error with the address and a description of what it sent', () => {
  const tls = Uint8Array.from([21, 3, 1, 0, 2, 2, 70]);
  const seen: readonly (readonly [string, Uint8Array, string])[] = [
    ['a TLS server', tls, 'db:27017 answered with TLS; the port requires TLS, so connect with tls=true.'],
    [
      'a web server',
      Buffer.from('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'),
      'db:27017 answered with HTTP ("HTTP/1.1 400 Bad Request"); check that the port belongs to MongoDB.',
    ],
    [
      'a web server that has sent only the start of its answer',
      Buffer.from('HTTP/'),
      'db:27017 answered with HTTP ("HTTP/"); check that the port belongs to MongoDB.',
    ],
    [
      'SSH',
      Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
      'db:27017 answered with SSH ("SSH-2.0-OpenSSH_9.2"); check that the SSH tunnel is open.',
    ],
    [
      'Redis',
      Buffer.from('-ERR unknown command\r\n'),
      `db:27017 answered with "-ERR unknown command", which is not MongoDB's protocol.`,
    ],
    [
      'garbage',
      new Uint8Array(20).fill(255),
      `db:27017 answered with the bytes ${Array(16).fill('ff').join(' ')}, which are not MongoDB's protocol.`,
    ],
  ];

  test.each(seen)('%s', async (_, bytes, sentence) => {
    const { peer, connecting } = await createStage().dial();
    peer.send(bytes);
    peer.close();
    const error = await failure(connecting);
    expect([error.kind, error.message, error.origin]).toEqual([
      'protocol',
      sentence,
      { phase: 'hello', sent: true, address: 'db:27017' },
    ]);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('a TLS server that keeps the socket open: the same message at the deadline', async () => {
    const stage = createStage();
    const { peer, connecting } = await stage.dial({ deadline: stage.clock.now() + 500 });
    peer.send(tls);
    stage.clock.advance(500);
    expect((await failure(connecting)).message).toBe(
      'db:27017 answered with TLS; the port requires TLS, so connect with tls=true.',
    );
  });

  test('a silent peer: a timeout error with the time waited, and the socket is closed', async () => {
    const stage = createStage();
    const { peer, connecting } = await stage.dial({ deadline: stage.clock.now() + 500 });
    stage.clock.advance(499);
    await settle();
    expect(peer.destroyed).toBe(false);
    stage.clock.advance(1);
    const error = await failure(connecting);
    await settle();
    expect([error.kind, error.message, error.origin]).toEqual([
      'timeout',
      'db:27017 accepted the connection, but did not answer hello within 500 ms.',
      { phase: 'hello', sent: true, address: 'db:27017' },
    ]);
    expect(peer.destroyed).toBe(true);
    expect(stage.clock.armed).toEqual([]);
  });

  test('a peer that closes or resets at once: a network error', async () => {
    for (const cause of [undefined, new Error('read ECONNRESET')]) {
      const { peer, connecting } = await createStage().dial();
      peer.close(cause);
      const error = await failure(connecting);
      expect([error.kind, error.message]).toEqual([
        'network',
        'db:27017 closed the connection instead of answering hello; it may expect TLS (tls=true), be shutting down, or be overloaded.',
      ]);
      expect((error.cause as MongoError).cause).toBe(cause);
    }
  });

  test('a peer that closes after half a reply: a network error, since it may be a server that shut down', async () => {
    const { peer, connecting } = await createStage().dial();
    peer.send(Uint8Array.from([100, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0xdd, 7, 0, 0, 0]));
    peer.close();
    expect((await failure(connecting)).kind).toBe('network');
  });

  test('a reply to an unknown request: a protocol error', async () => {
    const { peer, connecting } = await createStage().dial();
    peer.reply(HELLO, { to: 4711 });
    const error = await failure(connecting);
    expect([error.kind, error.message]).toEqual([
      'protocol',
      "db:27017 violates MongoDB's protocol: it sent a reply to request 4711, but the reply to 1 was expected.",
    ]);
  });
});

test("a server that rejects hello: a server error of the phase 'hello' with code and labels, and the socket is closed", async () => {
  const { peer, connecting } = await createStage().dial();
  const reply: Document = {
    ok: 0,
    errmsg: 'going down',
    code: 91,
    codeName: 'ShutdownInProgress',
    errorLabels: ['RetryableError'],
  };
  peer.reply(reply);
  const error = await failure(connecting);
  await settle();
  expect(error).toMatchObject({
    kind: 'server',
    code: 91,
    codeName: 'ShutdownInProgress',
    labels: ['RetryableError'],
    reply,
  });
  expect(error.message).toBe("'isMaster' failed at db:27017: going down (code 91, ShutdownInProgress)");
  expect([error.origin?.phase, error.origin?.sent, peer.destroyed]).toEqual(['hello', true, true]);
});

describe('aborting through a signal', () => {
  test('during hello: closes the socket and throws an aborted error whose cause is the reason', async () => {
    const controller = new AbortController();
    const { peer, connecting } = await createStage().dial({ signal: controller.signal });
    controller.abort('stop');
    const error = await failure(connecting);
    await settle();
    expect([error.kind, error.cause, peer.destroyed]).toEqual(['aborted', 'stop', true]);
    expect([error.message, error.origin]).toEqual([
      'Connecting to db:27017 was aborted.',
      { phase: 'hello', sent: true, address: 'db:27017' },
    ]);
  });

  test('while a transport connects that ignores the signal: sends nothing to the server', async () => {
    const controller = new AbortController();
    const stage = createStage();
    const connecting = stage.connect('db:27017', {
      use: 'operations',
      id: 1,
      deadline: Infinity,
      signal: controller.signal,
    });
    controller.abort('stop');
    const error = await failure(connecting);
    await settle();
    expect([error.kind, error.cause, error.message, error.origin]).toEqual([
      ...['aborted', 'stop', 'Connecting to db:27017 was aborted.'],
      { phase: 'hello', sent: true, address: 'db:27017' },
    ]);
    expect([stage.peers[0]?.frames, stage.peers[0]?.destroyed]).toEqual([[], true]);
  });

  test('after the handshake: has no effect', async () => {
    const controller = new AbortController();
    const { connection } = await createStage().open({ signal: controller.signal });
    controller.abort('stop');
    expect(connection.closed).toBe(false);
  });
});

test('passes errors of the transport unchanged', async () => {
  const stage = createStage();
  const refused = new Error('as it was');
  const { createConnect } = await import('@tessera/connection');
  const { bson } = await import('@tessera/bson');
  const connect = createConnect({
    clock: stage.clock,
    wire: stage.wire,
    bson,
    events: { wants: () => false, emit: () => undefined },
    platform: { os: { type: 'x' }, runtime: 'y' },
    host: { environment: () => undefined },
    compressors: [],
    transport: { connect: () => Promise.reject(refused) },
  });
  expect(await failure(connect('db:27017', { use: 'operations', id: 1, deadline: Infinity }))).toBe(refused);
});
