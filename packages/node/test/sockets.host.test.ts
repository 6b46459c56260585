import { connect, createServer } from 'node:net';
import type { AddressInfo, LookupFunction } from 'node:net';
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import type { MongoError, Socket, SocketSink } from '@tessera/contracts';
import { createNode } from '@tessera/node';

const { clock, transport, listener } = createNode();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A sink with so little room that every chunk takes several reads. It records everything it receives. */
class Ear implements SocketSink {
  readonly bytes: number[] = [];
  readonly ends: unknown[] = [];
  drains = 0;
  readonly #room: Uint8Array;
  #waiting: (() => void)[] = [];
  constructor(size = 7) {
    this.#room = new Uint8Array(size);
  }
  room(): Uint8Array {
    return this.#room;
  }
  filled(length: number): void {
    for (const byte of this.#room.subarray(0, length)) this.bytes.push(byte);
    this.#wake();
  }
  drained(): void {
    this.drains++;
    this.#wake();
  }
  closed(cause?: unknown): void {
    this.ends.push(cause);
    this.#wake();
  }
  async until(done: (ear: this) => boolean): Promise<void> {
    while (!done(this)) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }
  get text(): string {
    return String.fromCharCode(...this.bytes);
  }
  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const listen = async (at: string, accept: (socket: Socket) => void): Promise<string> => {
  const accepted: Socket[] = [];
  const listening = await listener.listen(at, socket => {
    accepted.push(socket);
    accept(socket);
  });
  cleanups.push(() => listening.close());
  cleanups.push(() => {
    for (const socket of accepted) socket.destroy();
  });
  return listening.address;
};

const dial = async (to: string): Promise<Socket> => {
  const socket = await transport.connect(to, { deadline: clock.now() + 5000 });
  cleanups.push(() => socket.destroy());
  return socket;
};

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'node-sockets-'));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Returns a port whose owner sleeps and whose queue is full, so that the system accepts no further connection. */
const silentPort = async (): Promise<number> => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
     });`,
    { eval: true },
  );
  cleanups.push(() => worker.terminate());
  const port = await new Promise<number>(resolve => worker.once('message', resolve));
  for (let i = 0; i < 4; i++) {
    const filler = connect(port, '127.0.0.1').on('error', () => undefined);
    cleanups.push(() => filler.destroy());
  }
  await clock.sleep(20);
  return port;
};

const addresses: readonly (readonly [string, () => string])[] = [
  ['TCP over IPv4', () => '127.0.0.1:0'],
  ['TCP over IPv6', () => '[::1]:0'],
  ['TCP by host name', () => 'localhost:0'],
  ['a unix socket', () => join(folder(), 'a.sock')],
];

describe.each(addresses)('%s', (_, address) => {
  test('delivers bytes in order in both directions, and reports the close once to both ends without a cause', async () => {
    const there = new Ear();
    const at = await listen(address(), socket => {
      socket.listen(there);
      socket.write(bytes('welcome, '));
      socket.write(bytes('dear client'));
    });
    expect(at).not.toMatch(/:0$/);
    const here = new Ear();
    const socket = await dial(at);
    socket.listen(here);
    socket.write(bytes('hello, '));
    socket.write(bytes('server of many bytes'));
    await here.until(ear => ear.text === 'welcome, dear client');
    await there.until(ear => ear.text === 'hello, server of many bytes');
    socket.destroy();
    await Promise.all([here.until(ear => ear.ends.length > 0), there.until(ear => ear.ends.length > 0)]);
    expect([here.ends, there.ends]).toEqual([[undefined], [undefined]]);
  });
});

test('loses no byte between connecting and listen on either side', async () => {
  const server: Socket[] = [];
  const at = await listen('127.0.0.1:0', socket => {
    socket.write(bytes('first words of the server'));
    server.push(socket);
  });
  const client = await dial(at);
  client.write(bytes('first words of the client'));
  await clock.sleep(30);
  const [here, there] = [new Ear(), new Ear()];
  client.listen(here);
  server[0]?.listen(there);
  await here.until(ear => ear.text === 'first words of the server');
  await there.until(ear => ear.text === 'first words of the client');
});

test('delivers megabytes completely, with backpressure through write and drained', async () => {
  const block = new Uint8Array(1 << 20).map((_, i) => i * 31);
  const there = new Ear(1 << 16);
  let received = 0;
  const at = await listen('127.0.0.1:0', socket => socket.listen(there));
  const client = await dial(at);
  const here = new Ear();
  client.listen(here);
  let waits = 0;
  for (let i = 0; i < 4; i++) {
    if (!client.write(block)) {
      waits++;
      await here.until(ear => ear.drains >= waits);
    }
  }
  await there.until(ear => (received = ear.bytes.length) === 4 << 20);
  expect(received).toBe(4 << 20);
  expect(waits).toBeGreaterThan(0);
  for (let i = 0; i < there.bytes.length; i += 4099) expect(there.bytes[i]).toBe(block[i & 0xfffff]);
});

test('calls drained for a large write that the kernel takes at once, so that its memory can be reused', async () => {
  const client = await dial(await listen('127.0.0.1:0', socket => socket.listen(new Ear(1 << 16))));
  const here = new Ear();
  client.listen(here);
  for (let writes = 1; writes <= 3; writes++) {
    expect(client.write(new Uint8Array(1 << 16))).toBe(false);
    await here.until(ear => ear.drains === writes);
  }
  expect(client.write(new Uint8Array(100))).toBe(true);
});

test('does not call drained while a later write is pending, even after end', async () => {
  const client = await dial(await listen('127.0.0.1:0', () => undefined));
  const here = new Ear();
  client.listen(here);
  expect([client.write(new Uint8Array(1 << 16)), client.write(new Uint8Array(1 << 25))]).toEqual([false, false]);
  client.end();
  await new Promise(setImmediate);
  expect(here.drains).toBe(0);
});

test('end sends pending writes and then closes', async () => {
  const there = new Ear();
  const at = await listen('127.0.0.1:0', socket => {
    socket.listen(new Ear());
    socket.write(new Uint8Array(100_000).fill(65));
    socket.end();
  });
  const client = await dial(at);
  client.listen(there);
  await there.until(ear => ear.ends.length > 0);
  expect([there.bytes.length, there.ends]).toEqual([100_000, [undefined]]);
});

test('reports a peer that closed before listen', async () => {
  const at = await listen('127.0.0.1:0', socket => socket.destroy());
  const client = await dial(at);
  await clock.sleep(20);
  const ear = new Ear();
  client.listen(ear);
  await ear.until(e => e.ends.length > 0);
  expect(ear.ends).toHaveLength(1);
});

test("client sockets read directly into the sink's memory", async () => {
  const at = await listen('127.0.0.1:0', socket => {
    socket.listen(new Ear());
    socket.write(bytes('one'));
    setTimeout(() => socket.write(bytes('two')), 20);
  });
  const client = await dial(at);
  const rooms: Uint8Array[] = [];
  const seen: string[] = [];
  const done = new Promise<void>(resolve => {
    client.listen({
      room: () => {
        const room = new Uint8Array(64);
        rooms.push(room);
        return room;
      },
      filled: length => {
        seen.push(String.fromCharCode(...rooms.at(-1)!.subarray(0, length)));
        if (seen.length === 2) resolve();
      },
      drained: () => undefined,
      closed: () => undefined,
    });
  });
  await done;
  expect(seen).toEqual(['one', 'two']);
});

describe('Transport: errors', () => {
  const failure = async (to: string, options: Parameters<typeof transport.connect>[1]): Promise<MongoError> => {
    try {
      (await transport.connect(to, options)).destroy();
    } catch (error) {
      return error as MongoError;
    }
    throw new Error(`connected to ${to}`);
  };

  test('without a listener: kind network, phase connect, with address and cause in the message', async () => {
    const listening = await listener.listen('127.0.0.1:0', () => undefined);
    await listening.close();
    const error = await failure(listening.address, { deadline: Infinity });
    expect(error.kind).toBe('network');
    expect(error.origin).toEqual({ phase: 'connect', sent: false, address: listening.address });
    expect(error.message).toBe(`Could not connect to ${listening.address}: connect ECONNREFUSED ${listening.address}.`);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('without a listener at any address of a host: the message names every address', async () => {
    const listening = await listener.listen('127.0.0.1:0', () => undefined);
    await listening.close();
    const port = listening.address.split(':')[1]!;
    const error = await failure(`localhost:${port}`, { deadline: Infinity });
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'connect']);
    expect(error.message).toContain(`Could not connect to localhost:${port}: connect ECONNREFUSED`);
  });

  test('a missing Unix socket: kind network, phase connect', async () => {
    const path = join(folder(), 'nobody.sock');
    const error = await failure(path, { deadline: Infinity });
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'connect']);
    expect(error.message).toContain(path);
  });

  test('an unknown host name: kind network, phase resolve', async () => {
    const error = await failure('nobody.invalid:27017', { deadline: clock.now() + 20_000 });
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'resolve']);
    expect(error.message).toMatch(
      /^Could not resolve the host name of nobody\.invalid:27017: (?:it does not exist; check the name \(getaddrinfo ENOTFOUND|getaddrinfo E)/,
    );
  });

  test('a deadline that has passed: kind timeout, and no connection attempt', async () => {
    const error = await failure('127.0.0.1:1', { deadline: clock.now() - 1 });
    expect([error.kind, error.origin]).toEqual(['timeout', { phase: 'connect', sent: false, address: '127.0.0.1:1' }]);
  });

  test('a deadline that passes before the peer answers: kind timeout, and the attempt is stopped', async () => {
    const port = await silentPort();
    const error = await failure(`127.0.0.1:${port}`, { deadline: clock.now() + 40 });
    expect([error.kind, error.origin]).toEqual([
      'timeout',
      { phase: 'connect', sent: false, address: `127.0.0.1:${port}` },
    ]);
    expect(error.message).toMatch(
      /^Could not connect to 127\.0\.0\.1:\d+ within \d+ ms; check that the host is reachable/,
    );
  });

  test('a signal that aborts before or during connecting: kind aborted, with the reason as the cause', async () => {
    const before = await failure('127.0.0.1:1', { deadline: Infinity, signal: AbortSignal.abort('why') });
    expect([before.kind, before.cause]).toEqual(['aborted', 'why']);
    const controller = new AbortController();
    const pending = failure('localhost:1', { deadline: Infinity, signal: controller.signal });
    controller.abort('changed my mind');
    const during = await pending;
    expect([during.kind, during.cause]).toEqual(['aborted', 'changed my mind']);
  });

  test('an invalid address: kind usage', async () => {
    expect((await failure('localhost', { deadline: Infinity })).kind).toBe('usage');
  });
});

describe('createNode: TCP options', () => {
  /** Returns the client's address as the peer sees it. */
  const seenFrom = async (options: Parameters<typeof createNode>[0], host = 'localhost'): Promise<unknown> => {
    const server = createServer();
    cleanups.push(() => server.close());
    await new Promise<void>(resolve => server.listen({ host: '::', port: 0, ipv6Only: false }, resolve));
    const seen = new Promise<unknown>(resolve => {
      server.on('connection', peer => {
        cleanups.push(() => peer.destroy());
        resolve([peer.remoteAddress, peer.remotePort]);
      });
    });
    const { port } = server.address() as AddressInfo;
    const own = createNode(options).transport;
    const socket = await own.connect(`${host}:${port}`, { deadline: clock.now() + 5000 });
    cleanups.push(() => {
      socket.destroy();
    });
    return seen;
  };

  test('family restricts connections to IPv4 or IPv6', async () => {
    // With one family, a single address is requested; otherwise all addresses.
    const lookup: LookupFunction = (_, { family, all }, done) => {
      if (all === true) done(null, []);
      else done(null, family === 6 ? '::1' : '127.0.0.1', Number(family));
    };
    expect(await seenFrom({ family: 4, lookup })).toEqual(['::ffff:127.0.0.1', expect.any(Number)]);
    expect(await seenFrom({ family: 6, lookup })).toEqual(['::1', expect.any(Number)]);
  });

  test("lookup replaces the system's name resolution", async () => {
    const asked: string[] = [];
    const lookup: LookupFunction = (name, _, done) => {
      asked.push(name);
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    expect(await seenFrom({ lookup }, 'db1.invalid')).toEqual(['::ffff:127.0.0.1', expect.any(Number)]);
    expect(asked).toEqual(['db1.invalid']);
  });

  test('localAddress and localPort set the local end of a connection', async () => {
    const free = await listener.listen('127.0.0.1:0', () => undefined);
    const localPort = Number(free.address.split(':')[1]);
    await free.close();
    expect(await seenFrom({ localAddress: '127.0.0.1', localPort }, '127.0.0.1')).toEqual([
      '::ffff:127.0.0.1',
      localPort,
    ]);
  });
});

describe('Listener', () => {
  test('names the address in the error if the port is in use', async () => {
    const at = await listen('127.0.0.1:0', () => undefined);
    await expect(listener.listen(at, () => undefined)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining(`Cannot listen at ${at}: listen EADDRINUSE`) as unknown,
    });
  });

  test('close stops accepting, frees the port, and keeps open sockets open', async () => {
    const there = new Ear();
    const listening = await listener.listen('127.0.0.1:0', socket => {
      cleanups.push(() => socket.destroy());
      socket.listen(there);
    });
    const client = await dial(listening.address);
    client.listen(new Ear());
    client.write(bytes('a'));
    await there.until(ear => ear.text === 'a');
    await listening.close();
    client.write(bytes('b'));
    await there.until(ear => ear.text === 'ab');
    const again = await listener.listen(listening.address, () => undefined);
    await again.close();
  });

  test('close removes the file of a Unix socket', async () => {
    const path = join(folder(), 'b.sock');
    const listening = await listener.listen(path, () => undefined);
    expect(existsSync(path)).toBe(true);
    await listening.close();
    expect(existsSync(path)).toBe(false);
  });
});
