import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { MongoError, Socket, SocketSink, TlsSettings } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createListener } from '../src/listener.js';
import { createAuthority, createFiles, strictTls } from './certificates.js';

const { clock, transport } = createNode();
const files = createFiles();
const ca = createAuthority();
const hosts = ['localhost', '127.0.0.1', '::1'];
const caFile = files.write('ca.pem', ca.certificate);
const serverFile = files.write('server.pem', ca.issue('localhost', { hosts }).both);
const clientFile = files.write('client.pem', ca.issue('ann').both);
const locked = ca.issue('ann', { password: 'hunter2' });
const lockedFile = files.write('locked.pem', locked.both);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => {
  files.remove();
});

const tlsOf = (given: Partial<TlsSettings> = {}): TlsSettings => strictTls({ caFile, ...given });

/** A sink that collects text. `ended` resolves with the cause of the close. */
const ear = (): { sink: SocketSink; heard: Promise<string>; ended: Promise<unknown> } => {
  const room = new Uint8Array(5);
  let text = '';
  let hear: (text: string) => void;
  let end: (cause: unknown) => void;
  const heard = new Promise<string>(resolve => (hear = resolve));
  const ended = new Promise<unknown>(resolve => (end = resolve));
  const sink: SocketSink = {
    room: () => room,
    filled: length => {
      text += String.fromCharCode(...room.subarray(0, length));
      if (text.endsWith('.')) hear(text);
    },
    drained: () => undefined,
    closed: cause => {
      end(cause);
    },
  };
  return { sink, heard, ended };
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Listens and sends one sentence to every client. */
const listen = async (tls: Parameters<typeof createNode>[0] = {}, at = 'localhost:0'): Promise<string> => {
  const { listener } = createNode({ listenTls: { tlsCertificateKeyFile: serverFile }, ...tls });
  const listening = await listener.listen(at, socket => {
    socket.listen(ear().sink);
    socket.write(bytes('hello from within.'));
    cleanups.push(() => {
      socket.destroy();
    });
  });
  cleanups.push(() => listening.close());
  return listening.address;
};

/** A server of Node.js itself, for cases that the listener does not cover. */
const serve = async (accept: (socket: TLSSocket) => void, options = {}): Promise<string> => {
  const { both } = ca.issue('localhost', { hosts });
  const server = createTlsServer({ cert: both, key: both, ...options }, socket => {
    socket.on('error', () => undefined);
    cleanups.push(() => socket.destroy());
    accept(socket);
  });
  server.on('tlsClientError', () => undefined);
  return bound(server);
};

const bound = async (server: ReturnType<typeof createServer>): Promise<string> => {
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  cleanups.push(() => server.close());
  return `localhost:${(server.address() as AddressInfo).port}`;
};

const connect = async (to: string, tls: TlsSettings, within = 5000): Promise<Socket> => {
  const socket = await transport.connect(to, { deadline: clock.now() + within, tls });
  cleanups.push(() => {
    socket.destroy();
  });
  return socket;
};

/** Connects without a handshake. */
const dial = async (to: string): Promise<NetSocket> => {
  const { hostname, port } = new URL(`tcp://${to}`);
  const socket = connectTcp(Number(port), hostname);
  cleanups.push(() => socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  return socket;
};

/** Connects, reads a sentence, and closes. */
const visit = async (to: string, tls: TlsSettings): Promise<void> => {
  const socket = await connect(to, tls);
  const { sink, heard, ended } = ear();
  socket.listen(sink);
  await heard;
  socket.destroy();
  await ended;
};

const failure = async (to: string, tls: TlsSettings, within?: number): Promise<MongoError> =>
  connect(to, tls, within).then(
    () => {
      throw new Error(`connected to ${to}`);
    },
    (error: unknown) => error as MongoError,
  );

const facts = ({ kind, message, origin }: MongoError): unknown => ({ kind, phase: origin?.phase, message });

describe('Transport.connect with TLS', () => {
  test.each(['localhost', '127.0.0.1', '[::1]'])(
    'sends bytes in both directions to %s, which the certificate contains',
    async host => {
      const to = await listen({}, `${host}:0`);
      const socket = await connect(to, tlsOf());
      const { sink, heard } = ear();
      socket.listen(sink);
      expect(await heard).toBe('hello from within.');
    },
  );

  test('delivers megabytes completely', async () => {
    const size = 3 << 20;
    const to = await serve(socket => {
      socket.end(Buffer.alloc(size, 65));
    });
    const socket = await connect(to, tlsOf());
    let received = 0;
    const room = new Uint8Array(1 << 16);
    await new Promise<void>(resolve => {
      const filled = (length: number): void => void (received += length);
      socket.listen({ room: () => room, filled, drained: () => undefined, closed: () => resolve() });
    });
    expect(received).toBe(size);
  });

  test('SNI: sends the host name to the server, but never an IP address', async () => {
    const names: unknown[] = [];
    const to = await serve(socket => {
      names.push(socket.servername);
      socket.write('seen.');
    });
    await visit(to, tlsOf());
    const { family } = await lookup('localhost');
    await visit(to.replace('localhost', family === 6 ? '[::1]' : '127.0.0.1'), tlsOf());
    await visit(to, tlsOf({ native: { servername: 'db1.example.com', checkServerIdentity: () => undefined } }));
    expect(names).toEqual(['localhost', false, 'db1.example.com']);
  });

  test('resumes the session of a host for later connections, except with other settings', async () => {
    const reused: boolean[] = [];
    const to = await serve(socket => {
      reused.push(socket.isSessionReused());
      socket.write('seen.');
    });
    const tls = tlsOf();
    await visit(to, tls);
    await visit(to, tls);
    await visit(to, tls);
    await visit(to, tlsOf());
    expect(reused).toEqual([false, true, true, false]);
  });

  test('offers the protocols of ALPNProtocols', async () => {
    const chosen: unknown[] = [];
    const accept = (socket: TLSSocket): void => {
      chosen.push(socket.alpnProtocol);
      socket.write('seen.');
    };
    const to = await serve(accept, { ALPNProtocols: ['mongodb'] });
    await visit(to, tlsOf({ native: { ALPNProtocols: ['other', 'mongodb'] } }));
    await visit(to, tlsOf());
    expect(chosen).toEqual(['mongodb', false]);
  });

  test('resumes a given session for the first connection', async () => {
    const reused: boolean[] = [];
    const to = await serve(socket => {
      reused.push(socket.isSessionReused());
      socket.write('seen.');
    });
    const port = Number(to.slice(to.lastIndexOf(':') + 1));
    const earlier = connectTls({ host: 'localhost', port, ca: ca.certificate });
    cleanups.push(() => earlier.destroy());
    earlier.resume();
    const [session] = (await once(earlier, 'session')) as [Buffer];
    await visit(to, tlsOf({ native: { session } }));
    expect(reused).toEqual([false, true]);
  });

  test('presents a client certificate from a file, an encrypted file, or options of tls.connect', async () => {
    const seen: string[] = [];
    const to = await serve(socket => seen.push(socket.getPeerCertificate().subject.CN as string), {
      ...{ ca: ca.certificate, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    });
    await connect(to, tlsOf({ certificateKeyFile: clientFile }));
    await connect(to, tlsOf({ certificateKeyFile: lockedFile, certificateKeyFilePassword: 'hunter2' }));
    const native = { ca: ca.certificate, cert: locked.certificate, key: locked.key, passphrase: 'hunter2' };
    await connect(to, tlsOf({ caFile: undefined, native }));
    expect(seen).toEqual(['ann', 'ann', 'ann']);
  });
});

describe('URI Options: insecure TLS options', () => {
  test('tlsAllowInvalidHostnames accepts the certificate of another host, but not of another authority', async () => {
    const other = files.write('other.pem', ca.issue('db9', { hosts: ['db9'] }).both);
    const to = await listen({ listenTls: { tlsCertificateKeyFile: other } });
    await connect(to, tlsOf({ allowInvalidHostnames: true }));
    expect((await failure(to, tlsOf({ allowInvalidHostnames: true, caFile: undefined }))).message).toContain(
      'tlsCAFile',
    );
  });

  test('tlsAllowInvalidCertificates accepts any certificate', async () => {
    const stranger = files.write('stranger.pem', createAuthority('Stranger').issue('x', { to: -1 }).both);
    const to = await listen({ listenTls: { tlsCertificateKeyFile: stranger } });
    await connect(to, tlsOf({ allowInvalidCertificates: true }));
  });

  test('tlsCRLFile accepts a certificate that was not revoked, and rejects a revoked one', async () => {
    const revoked = ca.issue('localhost', { hosts });
    const crlFile = files.write('revoked.crl', ca.revoke(revoked));
    const good = await listen();
    await connect(good, tlsOf({ crlFile }));
    const bad = await listen({ listenTls: { tlsCertificateKeyFile: files.write('revoked.pem', revoked.both) } });
    expect(facts(await failure(bad, tlsOf({ crlFile })))).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: `The certificate of ${bad} was revoked according to tlsCRLFile (CERT_REVOKED).`,
    });
  });
});

describe('Transport.connect with TLS: errors', () => {
  test('an authority that is not trusted', async () => {
    const to = await listen();
    const error = await failure(to, tlsOf({ caFile: undefined }));
    expect(facts(error)).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: `The certificate of ${to} is not signed by a trusted authority; pass the authority's certificate as tlsCAFile (UNABLE_TO_VERIFY_LEAF_SIGNATURE).`,
    });
  });

  test('a self-signed authority that the server sends', async () => {
    const stranger = createAuthority('Stranger');
    const { certificate, key } = stranger.issue('localhost', { hosts });
    const to = await serve(() => undefined, { cert: certificate + stranger.certificate, key });
    expect(facts(await failure(to, tlsOf()))).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: `The certificate of ${to} is not signed by a trusted authority; pass the authority's certificate as tlsCAFile (SELF_SIGNED_CERT_IN_CHAIN).`,
    });
  });

  test('an expired certificate, and a certificate that is not valid yet', async () => {
    const late = files.write('expired.pem', ca.issue('localhost', { hosts, to: -1000 }).both);
    const early = files.write('tomorrow.pem', ca.issue('localhost', { hosts, from: 3_600_000 }).both);
    const [expired, tomorrow] = await Promise.all([
      listen({ listenTls: { tlsCertificateKeyFile: late } }),
      listen({ listenTls: { tlsCertificateKeyFile: early } }),
    ]);
    expect([facts(await failure(expired, tlsOf())), facts(await failure(tomorrow, tlsOf()))]).toEqual([
      {
        kind: 'protocol',
        phase: 'tls',
        message: `The certificate of ${expired}, or of its authority, has expired; renew it on the server (CERT_HAS_EXPIRED).`,
      },
      {
        kind: 'protocol',
        phase: 'tls',
        message: `The certificate of ${tomorrow}, or of its authority, is not valid yet; check the clocks of both machines (CERT_NOT_YET_VALID).`,
      },
    ]);
  });

  test('the certificate of another host', async () => {
    const other = files.write('db9.pem', ca.issue('db9', { hosts: ['db9.example.com'] }).both);
    const to = await listen({ listenTls: { tlsCertificateKeyFile: other } });
    expect(facts(await failure(to, tlsOf()))).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: expect.stringMatching(
        /^The certificate of localhost:\d+ is for another host: .*DNS:db9\.example\.com/,
      ) as unknown,
    });
  });

  test('a peer without TLS that answers, closes the connection, or is silent until the deadline', async () => {
    const peer = (hear: (socket: NetSocket) => void): Promise<string> =>
      bound(
        createServer(socket => {
          cleanups.push(() => socket.destroy());
          socket.on('error', () => undefined).once('data', () => hear(socket));
        }),
      );
    const talker = await peer(socket => socket.write('I speak something quite different here, friend.'));
    const rude = await peer(socket => socket.destroy());
    const silent = await peer(() => undefined);
    expect(facts(await failure(talker, tlsOf()))).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: expect.stringMatching(
        / does not respond with TLS; if it does not use TLS, remove the option tls /,
      ) as unknown,
    });
    expect(facts(await failure(rude, tlsOf()))).toEqual({
      kind: 'network',
      phase: 'tls',
      message: expect.stringMatching(
        /^localhost:\d+ closed the connection during the TLS handshake \(.*\); it may not support TLS/,
      ) as unknown,
    });
    expect(facts(await failure(silent, tlsOf(), 100))).toEqual({
      kind: 'timeout',
      phase: 'tls',
      message: expect.stringMatching(/^localhost:\d+ did not complete the TLS handshake within \d+ ms; /) as unknown,
    });
  });

  test('a server that requires a client certificate: in the handshake of TLS 1.2, and after it in TLS 1.3', async () => {
    const demanding = { ca: ca.certificate, requestCert: true, rejectUnauthorized: true };
    const old = await serve(() => undefined, { ...demanding, maxVersion: 'TLSv1.2' });
    expect(facts(await failure(old, tlsOf()))).toMatchObject({ phase: 'tls' });
    const to = await listen({ listenTls: { tlsCertificateKeyFile: serverFile, tlsCAFile: caFile } });
    const socket = await connect(to, tlsOf());
    const { sink, ended } = ear();
    socket.listen(sink);
    expect(facts((await ended) as MongoError)).toEqual({
      kind: 'protocol',
      phase: 'tls',
      message: `${to} requires a client certificate; set tlsCertificateKeyFile (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED).`,
    });
  });

  test('no common TLS version', async () => {
    const to = await serve(() => undefined, { maxVersion: 'TLSv1.2' });
    expect(facts(await failure(to, tlsOf({ native: { minVersion: 'TLSv1.3' } })))).toMatchObject({
      kind: 'protocol',
      phase: 'tls',
      message: expect.stringContaining('have no TLS version in common') as unknown,
    });
  });

  test('missing or invalid files and a wrong password: kind usage, at once, without revealing the password', async () => {
    const noPem = files.write('no.pem', 'nothing of that kind');
    const missing = await failure('localhost:1', tlsOf({ caFile: '/nowhere/ca.pem' }));
    expect([missing.kind, missing.message]).toEqual([
      'usage',
      'Could not read the file of the option "tlsCAFile": ENOENT: no such file or directory, open \'/nowhere/ca.pem\'.',
    ]);
    const wrong = await failure('localhost:1', tlsOf({ certificateKeyFile: noPem }));
    expect([wrong.kind, wrong.message]).toEqual([
      'usage',
      expect.stringMatching(/^The TLS options are invalid \(ERR_\w+\)\. Check that the files are PEM/),
    ]);
    const secret = { certificateKeyFile: lockedFile, certificateKeyFilePassword: 'hunter3' };
    const denied = await failure('localhost:1', tlsOf(secret));
    expect([denied.kind, denied.message]).toEqual([
      'usage',
      expect.stringMatching(/^The TLS options are invalid .*\. Check tlsCertificateKeyFilePassword/),
    ]);
    expect(denied.message).not.toContain('hunter3');
  });

  test('a signal that aborts during the handshake', async () => {
    const to = await bound(createServer(socket => void cleanups.push(() => socket.destroy())));
    const controller = new AbortController();
    const connecting = transport.connect(to, { deadline: Infinity, signal: controller.signal, tls: tlsOf() });
    await clock.sleep(30);
    controller.abort('why');
    await expect(connecting).rejects.toMatchObject({ kind: 'aborted', cause: 'why', origin: { phase: 'tls' } });
  });
});

describe('Listener with TLS', () => {
  test('closes connections beyond the limit, which counts connections without a finished handshake', async () => {
    let refused = 0;
    const { listener } = createNode({ listenTls: { tlsCertificateKeyFile: serverFile } });
    let enter!: (socket: Socket) => void;
    const entered = new Promise<Socket>(resolve => (enter = resolve));
    const limit = { most: 2, refused: () => (refused += 1) };
    const listening = await listener.listen('localhost:0', enter, limit);
    cleanups.push(() => listening.close());
    await connect(listening.address, tlsOf());
    const served = await entered;
    cleanups.push(() => {
      served.destroy();
    });
    await dial(listening.address);
    await once(await dial(listening.address), 'close');
    expect(refused).toBe(1);
  });

  test('closes a connection whose handshake exceeds the time limit', async () => {
    const listening = await createListener({ tlsCertificateKeyFile: serverFile }, 20).listen('localhost:0', () => {
      throw new Error('The listener accepted a connection without a handshake.');
    });
    cleanups.push(() => listening.close());
    await once(await dial(listening.address), 'close');
  });

  test('connections that have closed do not count toward the limit', async () => {
    const { listener } = createNode({ listenTls: { tlsCertificateKeyFile: serverFile } });
    const ends: Promise<unknown>[] = [];
    const accept = (socket: Socket): void => {
      const { sink, ended } = ear();
      ends.push(ended);
      socket.listen(sink);
      socket.write(bytes('hello from within.'));
    };
    const listening = await listener.listen('localhost:0', accept, { most: 2 });
    cleanups.push(() => listening.close());
    for (let i = 0; i < 6; i++) {
      await visit(listening.address, tlsOf());
      await ends[i];
    }
    expect(ends).toHaveLength(6);
  });

  test('tlsCAFile accepts clients with a valid certificate, without one only if allowed, and never with a foreign one', async () => {
    const listenTls = { tlsCertificateKeyFile: serverFile, tlsCAFile: caFile };
    const strict = await listen({ listenTls });
    const lenient = await listen({ listenTls: { ...listenTls, tlsAllowConnectionsWithoutCertificates: true } });
    const strange = files.write('strange.pem', createAuthority('Stranger').issue('eve').both);
    const outcome = async (to: string, certificateKeyFile?: string): Promise<string> => {
      const { sink, heard, ended } = ear();
      (await connect(to, tlsOf({ certificateKeyFile }))).listen(sink);
      return Promise.race([heard.then(() => 'in'), ended.then(() => 'out')]);
    };
    expect([
      await outcome(strict, clientFile),
      await outcome(strict),
      await outcome(lenient, clientFile),
      await outcome(lenient),
      await outcome(lenient, strange),
    ]).toEqual(['in', 'out', 'in', 'in', 'out']);
  });

  test('listen rejects invalid files', async () => {
    const { listener } = createNode({ listenTls: { tlsCertificateKeyFile: '/nowhere/server.pem' } });
    await expect(listener.listen('localhost:0', () => undefined)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('Could not read the file of "tlsCertificateKeyFile"') as unknown,
    });
  });
});
