import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { MongoError, ProxySettings, TransportOptions } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createAuthority, createFiles, strictTls } from './certificates.js';
import { createProxy } from './socks5-proxy.js';
import type { ProxyWish, TestProxy } from './socks5-proxy.js';

const { clock, transport, listener } = createNode();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const greeting = new TextEncoder().encode('hello from behind the proxy.');

/** Listens with a peer that sends one sentence to every client. */
const listen = async (at = 'localhost:0', from = listener): Promise<string> => {
  const listening = await from.listen(at, socket => {
    socket.listen({
      room: () => new Uint8Array(9),
      filled: () => undefined,
      drained: () => undefined,
      closed: () => undefined,
    });
    socket.write(greeting);
    cleanups.push(() => {
      socket.destroy();
    });
  });
  cleanups.push(() => listening.close());
  return listening.address;
};

const proxyOf = async (wish?: ProxyWish): Promise<TestProxy> => {
  const proxy = await createProxy(wish);
  cleanups.push(() => proxy.close());
  return proxy;
};

/** Connects and returns the sentence. */
const visit = async (to: string, options: Partial<TransportOptions>): Promise<string> => {
  const socket = await transport.connect(to, { deadline: clock.now() + 5000, ...options });
  cleanups.push(() => {
    socket.destroy();
  });
  const room = new Uint8Array(7);
  let text = '';
  await new Promise<void>(resolve => {
    const filled = (length: number): void => {
      text += String.fromCharCode(...room.subarray(0, length));
      if (text.endsWith('.')) resolve();
    };
    socket.listen({ room: () => room, filled, drained: () => undefined, closed: () => resolve() });
  });
  return text;
};

const failure = async (to: string, proxy: ProxySettings, within = 5000): Promise<unknown> => {
  const failing = transport.connect(to, { deadline: clock.now() + within, proxy });
  const error = await failing.then(
    socket => {
      socket.destroy();
      throw new Error(`connected to ${to}`);
    },
    (reason: unknown) => reason as MongoError,
  );
  return [error.kind, error.origin?.phase, error.origin?.address, error.message];
};

describe('SOCKS5 Support, "Connection Establishment"', () => {
  test('sends names and addresses to the proxy unchanged, and offers only "no authentication" without credentials', async () => {
    const real = await listen('127.0.0.1:0');
    const map = { 'db1.invalid:27017': real, '192.0.2.7:27017': real, '[2001:db8:0:0:0:0:c000:207]:27017': real };
    const { port, asked } = await proxyOf({ map });
    const proxy = { host: 'localhost', port };
    const said: string[] = [];
    for (const to of [
      'db1.invalid:27017',
      '192.0.2.7:27017',
      '[2001:db8::192.0.2.7]:27017',
      '[2001:db8::c000:207]:27017',
    ])
      said.push(await visit(to, { proxy }));
    expect(said).toEqual(Array(4).fill('hello from behind the proxy.'));
    expect(asked).toEqual([
      ...['methods 0', 'name db1.invalid:27017', 'methods 0', 'ipv4 192.0.2.7:27017'],
      ...['methods 0', 'ipv6 [2001:db8:0:0:0:0:c000:207]:27017', 'methods 0', 'ipv6 [2001:db8:0:0:0:0:c000:207]:27017'],
    ]);
  });

  test('offers both methods with credentials, and the proxy chooses', async () => {
    const to = await listen('127.0.0.1:0');
    const auth = { username: 'ann', password: 'hunter2' };
    const [asking, open] = await Promise.all([proxyOf({ auth }), proxyOf()]);
    await visit(to, { proxy: { host: 'localhost', port: asking.port, ...auth } });
    await visit(to, { proxy: { host: 'localhost', port: open.port, ...auth } });
    expect([asking.asked, open.asked]).toEqual([
      ['methods 0,2', `ipv4 ${to}`],
      ['methods 0,2', `ipv4 ${to}`],
    ]);
  });

  test('runs TLS through the tunnel, and checks the certificate of the server', async () => {
    const files = createFiles();
    cleanups.push(files.remove);
    const ca = createAuthority();
    const server = files.write('server.pem', ca.issue('db1', { hosts: ['db1.invalid'] }).both);
    const real = await listen('127.0.0.1:0', createNode({ listenTls: { tlsCertificateKeyFile: server } }).listener);
    const { port } = await proxyOf({ map: { 'db1.invalid:27017': real, 'db2.invalid:27017': real } });
    const proxy = { host: 'localhost', port };
    const caFile = files.write('ca.pem', ca.certificate);
    const tls = strictTls({ caFile });
    expect(await visit('db1.invalid:27017', { proxy, tls })).toBe('hello from behind the proxy.');
    await expect(visit('db2.invalid:27017', { proxy, tls })).rejects.toMatchObject({
      kind: 'protocol',
      origin: { phase: 'tls', address: 'db2.invalid:27017' },
    });
  });

  test('connects to a Unix socket without the proxy', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'socks5-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const to = await listen(join(folder, 'a.sock'));
    expect(await visit(to, { proxy: { host: 'localhost', port: 1 } })).toBe('hello from behind the proxy.');
  });
});

describe('SOCKS5: errors', () => {
  const to = 'db1.invalid:27017';

  test('no listener at the proxy', async () => {
    const { port, close } = await createProxy();
    await close();
    expect(await failure(to, { host: '127.0.0.1', port })).toEqual([
      ...['network', 'proxy', to],
      `Could not connect to ${to} through the proxy 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}.`,
    ]);
  });

  test('wrong or missing credentials, which the error does not contain', async () => {
    const { port } = await proxyOf({ auth: { username: 'ann', password: 'hunter2' } });
    const start = `Could not connect to ${to} through the proxy localhost:${port}:`;
    expect(await failure(to, { host: 'localhost', port, username: 'ann', password: 'hunter3' })).toEqual([
      ...['network', 'proxy', to, `${start} The proxy rejected "proxyUsername" and "proxyPassword".`],
    ]);
    expect(await failure(to, { host: 'localhost', port })).toEqual([
      ...[
        'network',
        'proxy',
        to,
        `${start} The proxy requires authentication. Set "proxyUsername" and "proxyPassword".`,
      ],
    ]);
  });

  test('a destination that refuses the connection', async () => {
    const gone = await listen('127.0.0.1:0');
    for (const cleanup of cleanups.splice(0)) await cleanup();
    const { port } = await proxyOf();
    expect(await failure(gone, { host: 'localhost', port })).toEqual([
      ...['network', 'proxy', gone],
      `Could not connect to ${gone} through the proxy localhost:${port}: The proxy could not connect: the connection was refused.`,
    ]);
  });

  test('a name or password of more than 255 bytes', async () => {
    const { port } = await proxyOf();
    const long = 'x'.repeat(256);
    expect(await failure(`${long}:1`, { host: 'localhost', port })).toEqual([
      ...['usage', 'proxy', `${long}:1`, 'The host name is too long for SOCKS5: at most 255 bytes are allowed.'],
    ]);
    expect(await failure(to, { host: 'localhost', port, username: 'ann', password: long })).toEqual([
      ...['usage', 'proxy', to, 'The proxyPassword is too long for SOCKS5: at most 255 bytes are allowed.'],
    ]);
  });

  /** A peer that sends one of these responses per received chunk, and then calls `then`. */
  const scripted = async (
    answers: readonly (readonly number[])[],
    then: (socket: NetSocket) => void = () => undefined,
  ): Promise<number> => {
    const server = createServer(socket => {
      cleanups.push(() => socket.destroy());
      let heard = 0;
      socket
        .on('error', () => undefined)
        .on('data', () => {
          const answer = answers[heard++];
          if (answer !== undefined) socket.write(Uint8Array.from(answer));
          if (heard >= answers.length) then(socket);
        });
    });
    await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
    cleanups.push(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const pour = (socket: NetSocket): void => {
    while (!socket.destroyed && socket.write(new Uint8Array(65_536).fill(1)));
    socket.on('drain', () => pour(socket));
  };

  test.each<readonly [string, readonly (readonly number[])[], (socket: NetSocket) => void, string]>([
    ['another version', [[4, 0]], () => undefined, 'The proxy does not support SOCKS5 (the first byte is 4).'],
    ['an endless HTTP response', [[72, 84, 84, 80]], pour, 'The proxy does not support SOCKS5 (the first byte is 72).'],
    [
      'a method that was not offered',
      [[5, 1]],
      () => undefined,
      'The proxy requires authentication. Set "proxyUsername" and "proxyPassword".',
    ],
    [
      'a truncated response',
      [[5]],
      socket => socket.end(),
      'The proxy closed the connection during the SOCKS5 handshake.',
    ],
    [
      'a reply of another version',
      [
        [5, 0],
        [1, 0, 0, 1],
      ],
      () => undefined,
      'The proxy violates SOCKS5 (a reply begins with 1).',
    ],
    [
      'a failed reply',
      [
        [5, 0],
        [5, 4, 0, 1],
      ],
      () => undefined,
      'The proxy could not connect: the host is unreachable or unknown.',
    ],
    [
      'a failed reply with an unknown code',
      [
        [5, 0],
        [5, 99, 0, 1],
      ],
      () => undefined,
      'The proxy could not connect: unknown reason 99.',
    ],
    ...[
      [1, 'general failure'],
      [2, 'its rules do not allow the connection'],
      [3, 'the network is unreachable'],
      [5, 'the connection was refused'],
      [6, 'the TTL expired'],
      [7, 'it does not support the command CONNECT'],
      [8, 'it does not support the address type'],
      [9, 'unknown reason 9'],
    ].map(
      ([reply, reason]) =>
        [
          `a failed reply with the code ${reply}`,
          [
            [5, 0],
            [5, Number(reply), 0, 1],
          ],
          () => undefined,
          `The proxy could not connect: ${reason}.`,
        ] as const,
    ),
    [
      'an address of an unknown type',
      [
        [5, 0],
        [5, 0, 0, 9],
      ],
      () => undefined,
      'The proxy violates SOCKS5 (an address has type 9).',
    ],
    [
      'a truncated reply',
      [
        [5, 0],
        [5, 0, 0, 3, 200, 1],
      ],
      socket => socket.end(),
      'The proxy closed the connection during the SOCKS5 handshake.',
    ],
  ])('rejects a proxy that answers with %s', async (_, answers, then, reason) => {
    const port = await scripted(answers, then);
    expect(await failure(to, { host: 'localhost', port })).toEqual([
      ...['network', 'proxy', to, `Could not connect to ${to} through the proxy localhost:${port}: ${reason}`],
    ]);
  });

  test.each([
    ['an IPv4 address', [1, 127, 0, 0, 1]],
    ['an IPv6 address', [4, ...new Array<number>(16).fill(7)]],
    ['a name', [3, 3, 97, 98, 99]],
    ['an empty name', [3, 0]],
  ])('accepts a reply with %s as the local address of the proxy', async (_, place) => {
    const port = await scripted([
      [5, 0],
      [5, 0, 0, ...place, 1, 2, ...greeting],
    ]);
    expect(await visit(to, { proxy: { host: 'localhost', port } })).toBe('hello from behind the proxy.');
  });

  test('rejects a proxy that chooses a method that was not offered, or rejects all methods', async () => {
    const credentials = { username: 'ann', password: 'hunter2' };
    for (const method of [1, 255]) {
      const port = await scripted([[5, method]]);
      expect(await failure(to, { host: 'localhost', port, ...credentials })).toEqual([
        ...['network', 'proxy', to],
        `Could not connect to ${to} through the proxy localhost:${port}: The proxy supports neither "proxyUsername" and "proxyPassword" nor connections without authentication.`,
      ]);
    }
  });

  test('offers credentials only if both user name and password are given', async () => {
    for (const half of [{ username: 'ann' }, { password: 'hunter2' }]) {
      const proxy = await proxyOf();
      await visit(await listen('127.0.0.1:0'), { proxy: { host: 'localhost', port: proxy.port, ...half } });
      expect(proxy.asked[0]).toBe('methods 0');
    }
  });

  test('sends names of up to 255 bytes in UTF-8, and rejects longer ones', async () => {
    const longest = 'x'.repeat(253) + 'ü';
    const auth = { username: longest, password: 'hunter2' };
    const { port, asked } = await proxyOf({ auth, map: { [`${longest}:27017`]: await listen('127.0.0.1:0') } });
    expect(await visit(`${longest}:27017`, { proxy: { host: 'localhost', port, ...auth } })).toBe(
      'hello from behind the proxy.',
    );
    expect(asked[1]).toBe(`name ${longest}:27017`);
    expect(await failure(to, { host: 'localhost', port, username: `x${longest}`, password: 'hunter2' })).toEqual([
      ...['usage', 'proxy', to, 'The proxyUsername is too long for SOCKS5: at most 255 bytes are allowed.'],
    ]);
  });

  test('sends every form of an IPv6 address as its 16 bytes, without its zone', async () => {
    const real = await listen('127.0.0.1:0');
    const forms: readonly (readonly [string, string])[] = [
      ['::', '0:0:0:0:0:0:0:0'],
      ['::1', '0:0:0:0:0:0:0:1'],
      ['fe80::', 'fe80:0:0:0:0:0:0:0'],
      ['fe80::1:2%eth0', 'fe80:0:0:0:0:0:1:2'],
      ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
      ['2001:db8:1::ffff:8', '2001:db8:1:0:0:0:ffff:8'],
      ['::ffff:192.0.2.7', '0:0:0:0:0:ffff:c000:207'],
      ['64:ff9b::10.11.12.13', '64:ff9b:0:0:0:0:a0b:c0d'],
      ['1:2:3:4:5:6:255.254.253.252', '1:2:3:4:5:6:fffe:fdfc'],
    ];
    const map = Object.fromEntries(forms.map(([, groups]) => [`[${groups}]:27017`, real]));
    const { port, asked } = await proxyOf({ map });
    for (const [form] of forms) await visit(`[${form}]:27017`, { proxy: { host: 'localhost', port } });
    expect(asked.filter(line => line !== 'methods 0')).toEqual(forms.map(([, groups]) => `ipv6 [${groups}]:27017`));
  });

  test('sends both bytes of a port', async () => {
    const real = await listen('127.0.0.1:0');
    const map = { 'db1.invalid:65281': real, 'db1.invalid:254': real };
    const { port, asked } = await proxyOf({ map });
    for (const at of Object.keys(map)) await visit(at, { proxy: { host: 'localhost', port } });
    expect(asked.filter(line => line !== 'methods 0')).toEqual(['name db1.invalid:65281', 'name db1.invalid:254']);
  });

  test('times out if a proxy sends nothing, or sends its response without end', async () => {
    const silent = await scripted([]);
    const [kind, phase, , message] = (await failure(to, { host: 'localhost', port: silent }, 100)) as string[];
    expect([kind, phase, message]).toEqual([
      ...['timeout', 'proxy'],
      expect.stringMatching(/^The proxy localhost:\d+ did not connect to db1\.invalid:27017 within \d+ ms; /),
    ]);
  });

  test('passes all bytes after the reply to the connection', async () => {
    const welcome = [...greeting];
    const port = await scripted([
      [5, 0],
      [5, 0, 0, 3, 2, 97, 98, 0, 0, ...welcome],
    ]);
    expect(await visit(to, { proxy: { host: 'localhost', port } })).toBe('hello from behind the proxy.');
  });
});
