import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket as NetSocket, createServer } from 'node:net';
import type { AddressInfo, LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Clock, Socket, TransportOptions } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { hostClock } from '../src/clock.js';
import { defaults } from '../src/runtime.js';
import { createTransport } from '../src/transport.js';
import { createAuthority, createFiles, strictTls } from './certificates.js';

const { clock, transport, listener } = createNode();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const deaf = { room: () => new Uint8Array(9), filled: () => undefined, drained: () => undefined };

/** Listens with a peer that never sends anything. */
const listen = async (at = '127.0.0.1:0', from = listener): Promise<string> => {
  const listening = await from.listen(at, socket => {
    socket.listen({ ...deaf, closed: () => undefined });
    cleanups.push(() => {
      socket.destroy();
    });
  });
  cleanups.push(() => listening.close());
  return listening.address;
};

/** Returns a local address without a listener. */
const nobody = async (): Promise<string> => {
  const listening = await listener.listen('127.0.0.1:0', () => undefined);
  await listening.close();
  return listening.address;
};

const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);

const connect = async (to: string, options: Partial<TransportOptions>, from = transport): Promise<Socket> => {
  const socket = await from.connect(to, { deadline: clock.now() + 5000, ...options });
  cleanups.push(() => {
    socket.destroy();
  });
  return socket;
};

const failure = (connecting: Promise<unknown>): Promise<MongoError> =>
  connecting.then(
    () => {
      throw new Error('connected');
    },
    (error: unknown) => error as MongoError,
  );

const facts = ({ kind, message, origin, cause }: MongoError): unknown => ({ kind, message, origin, cause });

const originOf = (address: string, phase: string): object => ({ phase, sent: false, address });

describe('TCP options', () => {
  /**
   * Returns the socket options of both ends: whether small packets are sent at once, and the idle time before
   * keep-alive probes.
   */
  const askedOf = async (options: Parameters<typeof createNode>[0]): Promise<readonly unknown[]> => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => server.once('listening', resolve));
    const probe = new NetSocket().connect((server.address() as AddressInfo).port, '127.0.0.1');
    const { _handle: handle } = probe as unknown as { _handle: object };
    const prototype = Object.getPrototypeOf(handle) as Record<string, (...values: unknown[]) => unknown>;
    probe.destroy();
    server.close();
    const asked: unknown[] = [];
    for (const name of ['setNoDelay', 'setKeepAlive'] as const) {
      const real = prototype[name]!;
      prototype[name] = function (...values) {
        asked.push([name, ...values]);
        return real.apply(this, values);
      };
      cleanups.push(() => {
        prototype[name] = real;
      });
    }
    const node = createNode(options);
    let accept: () => void;
    const accepted = new Promise<void>(resolve => (accept = resolve));
    const listening = await node.listener.listen('127.0.0.1:0', socket => {
      cleanups.push(() => {
        socket.destroy();
      });
      accept();
    });
    cleanups.push(() => listening.close());
    await Promise.all([connect(listening.address, {}, node.transport), accepted]);
    return asked;
  };

  test('noDelay and keep-alive with two minutes are on at both ends by default', async () => {
    const asked = await askedOf({});
    expect(asked).toHaveLength(4);
    expect(asked).toEqual(
      expect.arrayContaining([
        ['setNoDelay', true],
        ['setKeepAlive', true, 120],
        ['setNoDelay', true],
        ['setKeepAlive', true, 0],
      ]),
    );
  });

  test('noDelay and keepAliveInitialDelay apply to connecting sockets', async () => {
    expect(await askedOf({ noDelay: false, keepAliveInitialDelay: 7000 })).toEqual(
      expect.arrayContaining([
        ['setKeepAlive', true, 7],
        ['setNoDelay', true],
        ['setKeepAlive', true, 0],
      ]),
    );
  });

  test('a lookup requests the addresses of both families, of one family, or a single address', async () => {
    const to = `db1.invalid:${portOf(await listen())}`;
    const askedWith = async (options: Parameters<typeof createNode>[0]): Promise<unknown> => {
      let asked: unknown;
      const lookup: LookupFunction = (name, given, done) => {
        asked = [name, { family: given.family, all: given.all }];
        if (given.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
        else done(null, '127.0.0.1', 4);
      };
      await connect(to, {}, createNode({ ...options, lookup }).transport);
      return asked;
    };
    expect([await askedWith({}), await askedWith({ family: 4 }), await askedWith({ autoSelectFamily: false })]).toEqual(
      [
        ['db1.invalid', { family: undefined, all: true }],
        ['db1.invalid', { family: 4, all: undefined }],
        ['db1.invalid', { family: undefined, all: undefined }],
      ],
    );
  });
});

describe('a connection attempt', () => {
  const never: LookupFunction = () => undefined;

  test('reports that the name was not resolved in time, or that resolving was aborted', async () => {
    const own = createNode({ lookup: never }).transport;
    const to = 'db1.invalid:27017';
    const late = await failure(own.connect(to, { deadline: clock.now() + 30 }));
    const controller = new AbortController();
    const connecting = failure(own.connect(to, { deadline: Infinity, signal: controller.signal }));
    await clock.sleep(1);
    controller.abort('why');
    expect([facts(late), facts(await connecting)]).toEqual([
      {
        ...{ kind: 'timeout', cause: undefined, origin: originOf(to, 'resolve') },
        message: expect.stringMatching(
          /^The host name of db1\.invalid:27017 was not resolved within \d+ ms; check that the host is reachable, or increase the limit\.$/,
        ) as unknown,
      },
      {
        ...{ kind: 'aborted', cause: 'why', origin: originOf(to, 'resolve') },
        message: 'The connection attempt to db1.invalid:27017 was aborted.',
      },
    ]);
  });

  test.each<readonly [when: string, defer: (answer: () => void) => void]>([
    ['later', setImmediate],
    [
      'at once',
      answer => {
        answer();
      },
    ],
  ])('to a name that resolves %s fails in the phase connect and names every address', async (_, defer) => {
    const port = portOf(await nobody());
    const lookup: LookupFunction = (__, options, done) => {
      defer(() => {
        done(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '127.0.0.2', family: 4 },
        ]);
      });
    };
    const to = `db1.invalid:${port}`;
    const error = await failure(createNode({ lookup }).transport.connect(to, { deadline: Infinity }));
    expect(facts(error)).toMatchObject({
      ...{ kind: 'network', origin: originOf(to, 'connect') },
      message: `Could not connect to ${to}: connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}.`,
    });
  });

  test("to a name that does not resolve fails in the phase resolve with the lookup's error", async () => {
    const cause = new Error('no such name');
    const lookup: LookupFunction = (_, options, done) => {
      done(cause, []);
    };
    const to = 'db1.invalid:27017';
    expect(facts(await failure(createNode({ lookup }).transport.connect(to, { deadline: Infinity })))).toEqual({
      ...{ kind: 'network', cause, origin: originOf(to, 'resolve') },
      message: `Could not resolve the host name of ${to}: no such name.`,
    });
  });

  test('to a name that does not exist fails with the advice to check the name', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND db1.invalid'), { code: 'ENOTFOUND' });
    const lookup: LookupFunction = (_, options, done) => {
      done(cause, []);
    };
    const to = 'db1.invalid:27017';
    expect(facts(await failure(createNode({ lookup }).transport.connect(to, { deadline: Infinity })))).toEqual({
      ...{ kind: 'network', cause, origin: originOf(to, 'resolve') },
      message: `Could not resolve the host name of ${to}: it does not exist; check the name (getaddrinfo ENOTFOUND db1.invalid).`,
    });
  });

  test('to an IP address or a Unix socket has no phase resolve', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'connecting-'));
    cleanups.push(() => {
      rmSync(folder, { recursive: true });
    });
    const phases = [];
    for (const to of [`[::1]:${portOf(await nobody())}`, join(folder, 'no.sock')])
      phases.push((await failure(transport.connect(to, { deadline: Infinity }))).origin);
    expect(phases).toMatchObject([{ phase: 'connect' }, { phase: 'connect' }]);
  });

  test('does not start after the deadline or with an aborted signal', async () => {
    const to = '127.0.0.1:1';
    const now = clock.now();
    const controller = new AbortController();
    controller.abort('why');
    const fixed = createTransport({ ...hostClock, now: () => now }, defaults);
    expect([
      facts(await failure(fixed.connect(to, { deadline: now }))),
      facts(await failure(fixed.connect(to, { deadline: now + 1, signal: controller.signal }))),
    ]).toEqual([
      {
        ...{ kind: 'timeout', cause: undefined, origin: originOf(to, 'connect') },
        message: 'The deadline passed before connecting to 127.0.0.1:1 started.',
      },
      {
        ...{ kind: 'aborted', cause: 'why', origin: originOf(to, 'connect') },
        message: 'The connection attempt to 127.0.0.1:1 was aborted.',
      },
    ]);
  });

  test('with TLS does not start if the deadline passes or the signal aborts while files are read', async () => {
    const files = createFiles();
    cleanups.push(files.remove);
    const caFile = files.write('ca.pem', createAuthority().certificate);
    const tls = () => strictTls({ caFile });
    const to = await listen();
    let looks = 0;
    const jumping = createTransport({ ...hostClock, now: () => 1000 * looks++ }, defaults);
    const controller = new AbortController();
    const aborting = failure(transport.connect(to, { deadline: Infinity, tls: tls(), signal: controller.signal }));
    controller.abort('why');
    expect([facts(await failure(jumping.connect(to, { deadline: 500, tls: tls() }))), facts(await aborting)]).toEqual([
      {
        ...{ kind: 'timeout', cause: undefined, origin: originOf(to, 'connect') },
        message: `The deadline passed before connecting to ${to} started.`,
      },
      {
        ...{ kind: 'aborted', cause: 'why', origin: originOf(to, 'connect') },
        message: `The connection attempt to ${to} was aborted.`,
      },
    ]);
  });

  test('leaves no timer and no listener behind on success or failure', async () => {
    const timers: { after: number; isInBackground: boolean | undefined; cancelled: boolean }[] = [];
    const watched: Clock = {
      ...hostClock,
      now: () => 0,
      startTimer: (after, _, options) => {
        const timer = { after, isInBackground: options?.background, cancelled: false };
        timers.push(timer);
        return {
          cancel: () => {
            timer.cancelled = true;
          },
        };
      },
    };
    const own = createTransport(watched, defaults);
    const { signal } = new AbortController();
    await connect(await listen(), { deadline: 300, signal }, own);
    const refused = await failure(own.connect(await nobody(), { deadline: Infinity, signal }));
    const controller = new AbortController();
    const connecting = failure(own.connect(await listen(), { deadline: 7, signal: controller.signal }));
    await Promise.resolve();
    const during = getEventListeners(controller.signal, 'abort').length;
    controller.abort('why');
    expect([refused.kind, (await connecting).kind]).toEqual(['network', 'aborted']);
    expect([during, ...[signal, controller.signal].map(one => getEventListeners(one, 'abort').length)]).toEqual([
      1, 0, 0,
    ]);
    expect(timers).toEqual([300, Infinity, 7].map(after => ({ after, isInBackground: true, cancelled: true })));
  });

  test('that ends early leaves no connection open', async () => {
    const ended: Promise<unknown>[] = [];
    const server = createServer(socket => {
      ended.push(
        new Promise(resolve =>
          socket
            .on('close', resolve)
            .on('error', () => undefined)
            .resume(),
        ),
      );
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const to = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const tls = { caFile: undefined, allowInvalidCertificates: true, allowInvalidHostnames: true, native: {} };
    expect((await failure(transport.connect(to, { deadline: clock.now() + 100, tls }))).kind).toBe('timeout');
    expect(ended).toHaveLength(1);
    await Promise.all(ended);
  });
});

describe('a connection through a proxy', () => {
  test('names an IPv6 proxy with its port', async () => {
    const port = Number(portOf(await nobody()));
    const to = 'db1.invalid:27017';
    expect(facts(await failure(transport.connect(to, { deadline: Infinity, proxy: { host: '::1', port } })))).toEqual({
      ...{ kind: 'network', origin: originOf(to, 'proxy'), cause: expect.any(Error) as unknown },
      message: `Could not connect to ${to} through the proxy [::1]:${port}: connect ECONNREFUSED ::1:${port}.`,
    });
  });

  test('fails in the phase proxy if the proxy is resolved late, or not before the signal aborts', async () => {
    const to = 'db1.invalid:27017';
    const own = createNode({ lookup: () => undefined }).transport;
    const proxy = { host: 'proxy.invalid', port: 1080 };
    const late = await failure(own.connect(to, { deadline: clock.now() + 30, proxy }));
    const controller = new AbortController();
    const aborting = failure(own.connect(to, { deadline: Infinity, proxy, signal: controller.signal }));
    await Promise.resolve();
    controller.abort('why');
    expect([facts(late), facts(await aborting)]).toEqual([
      {
        ...{ kind: 'timeout', origin: originOf(to, 'proxy'), cause: undefined },
        message: expect.stringMatching(
          /^The proxy proxy\.invalid:1080 did not connect to db1\.invalid:27017 within \d+ ms; check that the host is reachable, or increase the limit\.$/,
        ) as unknown,
      },
      {
        ...{ kind: 'aborted', origin: originOf(to, 'proxy'), cause: 'why' },
        message: `The connection attempt to ${to} was aborted.`,
      },
    ]);
  });
});
