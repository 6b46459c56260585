import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Server, connect as connectPlain } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Socket, SocketSink, TlsSettings } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { readsAhead } from '../src/socket.js';
import { createAuthority, createFiles, strictTls } from './certificates.js';

const { clock, transport, listener } = createNode();
const files = createFiles();
const ca = createAuthority();
const caFile = files.write('ca.pem', ca.certificate);
const server = ca.issue('localhost', {
  hosts: ['localhost'],
  organization: 'Tests',
  places: [['L', 'Bonn, am Rhein']],
});
const serverFile = files.write('server.pem', server.both);
const clientFile = files.write(
  'client.pem',
  ca.issue('ann', {
    places: [
      ['OU', 'x'],
      ['C', 'DE'],
    ],
  }).both,
);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => {
  files.remove();
});

const tlsOf = (given: Partial<TlsSettings> = {}): TlsSettings => strictTls({ caFile, ...given });

/** A sink that reports how its socket closes. */
const closing = (): { readonly sink: SocketSink; readonly closed: Promise<unknown> } => {
  let close: (cause: unknown) => void;
  const closed = new Promise<unknown>(resolve => (close = resolve));
  const room = new Uint8Array(64);
  const sink = { room: () => room, filled: () => undefined, drained: () => undefined };
  return {
    sink: {
      ...sink,
      closed: cause => {
        close(cause);
      },
    },
    closed,
  };
};

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'listening-'));
  cleanups.push(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
};

/** Returns both ends of a connection. */
const pair = async (
  at: string,
  { options = {}, tls }: { options?: Parameters<typeof createNode>[0]; tls?: TlsSettings } = {},
): Promise<{ accepted: Socket; connected: Socket }> => {
  let accept: (socket: Socket) => void;
  const accepting = new Promise<Socket>(resolve => (accept = resolve));
  const listening = await createNode(options).listener.listen(at, socket => {
    accept(socket);
  });
  cleanups.push(() => listening.close());
  const connected = await transport.connect(listening.address, { deadline: clock.now() + 5000, tls });
  const accepted = await accepting;
  cleanups.push(() => {
    connected.destroy();
    accepted.destroy();
  });
  return { accepted, connected };
};

describe('certificate subjects', () => {
  const listenTls = { tlsCertificateKeyFile: serverFile, tlsCAFile: caFile };

  test('follow RFC 2253: in reverse order of the certificate, with escaped commas', async () => {
    const { accepted, connected } = await pair('localhost:0', {
      options: { listenTls },
      tls: tlsOf({ certificateKeyFile: clientFile }),
    });
    expect([accepted.peerSubject, accepted.ownSubject]).toEqual([
      'C=DE,OU=x,CN=ann',
      'L=Bonn\\, am Rhein,CN=localhost,O=Tests',
    ]);
    expect([connected.peerSubject, connected.ownSubject]).toEqual([undefined, undefined]);
  });

  test('are undefined for a client without a certificate, and for connections without TLS', async () => {
    const { accepted } = await pair('localhost:0', {
      options: { listenTls: { ...listenTls, tlsAllowConnectionsWithoutCertificates: true } },
      tls: tlsOf(),
    });
    const plain = await pair('localhost:0');
    expect([accepted.peerSubject, plain.accepted.peerSubject, plain.accepted.ownSubject]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('are undefined for a client whose certificate is not checked', async () => {
    const { accepted } = await pair('localhost:0', {
      options: { listenTls: { tlsCertificateKeyFile: serverFile } },
      tls: tlsOf({ certificateKeyFile: clientFile }),
    });
    expect([accepted.peerSubject, accepted.ownSubject]).toEqual([undefined, 'L=Bonn\\, am Rhein,CN=localhost,O=Tests']);
  });
});

describe('Listener', () => {
  test('accepts an encrypted key with its password', async () => {
    const locked = ca.issue('localhost', { hosts: ['localhost'], password: 'hunter2' });
    const tlsCertificateKeyFile = files.write('locked.pem', locked.both);
    const listenTls = { tlsCertificateKeyFile, tlsCertificateKeyFilePassword: 'hunter2' };
    const { accepted } = await pair('localhost:0', { options: { listenTls }, tls: tlsOf() });
    expect(accepted.ownSubject).toBe('CN=localhost');
  });

  test('rejects missing and invalid files', async () => {
    const failing = (listenTls: object): Promise<unknown> =>
      createNode({ listenTls: { tlsCertificateKeyFile: serverFile, ...listenTls } })
        .listener.listen('localhost:0', () => undefined)
        .catch((error: unknown) => error);
    const noPem = files.write('no.pem', 'nothing of that kind');
    expect([
      await failing({ tlsCAFile: '/nowhere/ca.pem' }),
      await failing({ tlsCertificateKeyFile: noPem }),
    ]).toMatchObject([
      {
        ...{ kind: 'usage', cause: { code: 'ENOENT' } },
        message: 'Could not read the file of "tlsCAFile": ENOENT: no such file or directory, open \'/nowhere/ca.pem\'.',
      },
      {
        ...{ kind: 'usage', cause: expect.any(Error) as unknown },
        message: expect.stringMatching(/^The TLS options of the server are invalid: .*PEM/) as unknown,
      },
    ]);
  });

  test('continues after a failed accept', async () => {
    const listening = await listener.listen('127.0.0.1:0', () => undefined);
    cleanups.push(() => listening.close());
    const port = Number(listening.address.split(':')[1]);
    const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): readonly unknown[] };
    const own = handles
      .call(process)
      .find((handle): handle is Server => handle instanceof Server && (handle.address() as AddressInfo).port === port)!;
    for (let times = 0; times < 2; times++) own.emit('error', new Error('accept EMFILE'));
    const socket = await transport.connect(listening.address, { deadline: clock.now() + 5000 });
    socket.destroy();
  });

  test('with TLS continues after a client that does not use TLS', async () => {
    const accepted: Socket[] = [];
    let accept: () => void;
    const accepting = new Promise<void>(resolve => (accept = resolve));
    const secured = createNode({ listenTls: { tlsCertificateKeyFile: serverFile } }).listener;
    const listening = await secured.listen('localhost:0', socket => {
      accepted.push(socket);
      accept();
      cleanups.push(() => {
        socket.destroy();
      });
    });
    cleanups.push(() => listening.close());
    const plain = connectPlain(Number(listening.address.split(':')[1]), 'localhost');
    const ended = new Promise(resolve =>
      plain
        .on('close', resolve)
        .on('error', () => undefined)
        .resume(),
    );
    plain.write('I speak something quite different here, friend.');
    await ended;
    const socket = await transport.connect(listening.address, { deadline: clock.now() + 5000, tls: tlsOf() });
    await accepting;
    socket.destroy();
    expect(accepted).toHaveLength(1);
  });

  test('reports the bound port or the path, with and without TLS', async () => {
    const path = join(folder(), 'a.sock');
    const addresses: string[] = [];
    for (const from of [listener, createNode({ listenTls: { tlsCertificateKeyFile: serverFile } }).listener]) {
      const listening = await from.listen(path, () => undefined);
      addresses.push(listening.address);
      await listening.close();
    }
    expect(addresses).toEqual([path, path]);
    for (const listenTls of [undefined, { tlsCertificateKeyFile: serverFile }]) {
      const listening = await createNode({ listenTls }).listener.listen('[::1]:0', () => undefined);
      expect(listening.address).toMatch(/^\[::1\]:[1-9]\d*$/);
      await listening.close();
    }
  });
});

describe('a socket', () => {
  test('reads ahead only on Windows, and there only without TLS', async () => {
    expect(readsAhead).toBe(process.platform === 'win32');
    const plain = await pair('127.0.0.1:0');
    const secured = await pair('localhost:0', {
      options: { listenTls: { tlsCertificateKeyFile: serverFile } },
      tls: tlsOf(),
    });
    expect([plain, secured].map(({ accepted, connected }) => [accepted.readsAhead, connected.readsAhead])).toEqual([
      [readsAhead, readsAhead],
      [false, false],
    ]);
  });

  test('is closed instead of reset if it is a Unix socket or uses TLS', async () => {
    const pairs = [
      await pair(join(folder(), 'b.sock')),
      await pair('localhost:0', { options: { listenTls: { tlsCertificateKeyFile: serverFile } }, tls: tlsOf() }),
    ];
    for (const { accepted, connected } of pairs) {
      const [here, there] = [closing(), closing()];
      connected.listen(here.sink);
      accepted.listen(there.sink);
      connected.reset?.();
      expect([await here.closed, await there.closed]).toEqual([undefined, undefined]);
    }
  });

  test('that is closed accepts writes and sends nothing', async () => {
    const { accepted, connected } = await pair('127.0.0.1:0');
    const there = closing();
    accepted.listen(there.sink);
    connected.destroy();
    expect([connected.write(new Uint8Array(1 << 20)), connected.write(new Uint8Array(1))]).toEqual([true, true]);
    expect(await there.closed).toBeUndefined();
  });

  test('that was closed before listen reports it in a later turn', async () => {
    const { connected } = await pair('127.0.0.1:0');
    connected.destroy();
    await clock.sleep(5);
    const { sink, closed } = closing();
    let isHeard = false;
    connected.listen({
      ...sink,
      closed: cause => {
        isHeard = true;
        sink.closed(cause);
      },
    });
    expect(isHeard).toBe(false);
    expect(await closed).toBeUndefined();
  });
});

describe('client TLS', () => {
  test('treats the peer of a Unix socket as localhost', async () => {
    const connected = await pair(join(folder(), 'c.sock'), {
      options: { listenTls: { tlsCertificateKeyFile: serverFile } },
      tls: tlsOf(),
    });
    expect(connected.accepted.ownSubject).toMatch(/CN=localhost/);
    const other = files.write('db9.pem', ca.issue('db9', { hosts: ['db9.example.com'] }).both);
    await expect(
      pair(join(folder(), 'd.sock'), { options: { listenTls: { tlsCertificateKeyFile: other } }, tls: tlsOf() }),
    ).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringMatching(/is for another host: Host: localhost\. is not .*DNS:db9/) as unknown,
    });
  });

  test('compares an IP address with the addresses in the certificate, not with its names', async () => {
    const only = (host: string): { listenTls: { tlsCertificateKeyFile: string } } => ({
      listenTls: { tlsCertificateKeyFile: files.write(`${host}.pem`, ca.issue('x', { hosts: [host] }).both) },
    });
    await pair('127.0.0.1:0', { options: only('127.0.0.1'), tls: tlsOf() });
    await expect(pair('127.0.0.1:0', { options: only('localhost'), tls: tlsOf() })).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringMatching(/is for another host: IP: 127\.0\.0\.1 is not /) as unknown,
    });
  });

  test('reads files once for all connections, and again after a failure', async () => {
    const at = join(folder(), 'late.pem');
    const tls = tlsOf({ caFile: at });
    const connect = (): Promise<unknown> =>
      pair('localhost:0', { options: { listenTls: { tlsCertificateKeyFile: serverFile } }, tls });
    await expect(connect()).rejects.toMatchObject({ kind: 'usage', cause: { code: 'ENOENT' } });
    writeFileSync(at, ca.certificate);
    await connect();
    rmSync(at);
    await connect();
  });

  test('starts a new session after a connection error', async () => {
    const reused: boolean[] = [];
    const sockets: TLSSocket[] = [];
    const { both } = server;
    const host = createTlsServer({ cert: both, key: both }, socket => {
      reused.push(socket.isSessionReused());
      sockets.push(socket);
      socket.on('error', () => undefined).write('seen.');
    });
    await new Promise<void>(resolve => host.listen(0, 'localhost', resolve));
    cleanups.push(() => host.close());
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
    });
    const to = `localhost:${(host.address() as AddressInfo).port}`;
    const tls = tlsOf();
    /** Connects, reads a sentence, and closes the connection in one of two ways. */
    const visit = async (isBroken: boolean): Promise<unknown> => {
      const socket = await transport.connect(to, { deadline: clock.now() + 5000, tls });
      const { sink, closed } = closing();
      await new Promise<void>(resolve => {
        socket.listen({
          ...sink,
          filled: () => {
            resolve();
          },
        });
      });
      const { _parent: raw } = sockets.at(-1) as unknown as { _parent: { resetAndDestroy(): void } };
      if (isBroken) raw.resetAndDestroy();
      else socket.destroy();
      return closed;
    };
    const ends = [await visit(false), await visit(false), await visit(true), await visit(false)];
    expect([reused, ends]).toMatchObject([
      [false, true, true, false],
      [undefined, undefined, { code: 'ECONNRESET' }, undefined],
    ]);
  });
});
