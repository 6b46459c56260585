import { createServer as createWebServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { bson, decode, encode } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { Connect, Connection, Document, MongoError, Socket } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createWire } from '@tessera/wire';
import { HELLO, Note } from './stage.js';

const runtime = createNode();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const replyTo = (requestId: number, document: Document): Uint8Array => {
  const body = encode(document);
  const frame = Buffer.alloc(21 + body.length);
  [frame.length, 1, requestId, 2013, 0].forEach((value, i) => frame.writeInt32LE(value, 4 * i));
  frame.set(body, 21);
  return frame;
};

/**
 * Starts a server on a real port that answers each command with the result of `answer`, or not at all if that is
 * undefined.
 */
const serve = async (answer: (command: Document) => Document | undefined, at = '127.0.0.1:0'): Promise<string> => {
  const accept = (socket: Socket): void => {
    let seen = Buffer.alloc(0);
    const room = new Uint8Array(64 * 1024);
    cleanups.push(() => {
      socket.destroy();
    });
    socket.listen({
      room: () => room,
      filled: length => {
        seen = Buffer.concat([seen, room.subarray(0, length)]);
        while (seen.length >= 4 && seen.length >= seen.readInt32LE(0)) {
          const frame = seen.subarray(0, seen.readInt32LE(0));
          seen = seen.subarray(frame.length);
          const document = answer(decode(frame.subarray(21)));
          if (document !== undefined) socket.write(replyTo(frame.readInt32LE(4), document));
        }
      },
      drained: () => undefined,
      closed: () => undefined,
    });
  };
  const listening = await runtime.listener.listen(at, accept);
  cleanups.push(() => listening.close());
  return listening.address;
};

const asMongo = (command: Document): Document => ('isMaster' in command ? HELLO : { ok: 1, echo: command });

const connect: Connect = createConnect({
  ...runtime,
  wire: createWire({ bson, compressors: [] }),
  bson,
  events: { wants: () => false, emit: () => undefined },
});

const open = async (to: string, within = 5000): Promise<Connection> => {
  const connection = await connect(to, { use: 'operations', id: 1, deadline: runtime.clock.now() + within });
  cleanups.push(() => {
    connection.close();
  });
  return connection;
};

const failure = async (to: string, within = 5000): Promise<MongoError> => {
  try {
    await open(to, within);
  } catch (error) {
    return error as MongoError;
  }
  throw new Error(`connected to ${to}`);
};

/** Listens with a server of Node.js on a free port, and returns its address. */
const listen = async (server: Server): Promise<string> => {
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connection', socket => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise(resolve => server.close(resolve)));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
};

describe('over real sockets', () => {
  test('completes a handshake and sequential commands and replies, small and large', async () => {
    const connection = await open(await serve(asMongo));
    for (const size of [0, 1000, 200_000, 3_000_000]) {
      const text = 'x'.repeat(size);
      const { echo } = await connection.command('test', { ping: 1, text }, runtime.clock.now() + 5000);
      expect(((echo as Document)['text'] as string).length).toBe(size);
    }
  });

  test('two connections at once share a receive buffer, and each gets its own replies', async () => {
    const to = await serve(asMongo);
    const connections = [await open(to), await open(to)];
    const ask = async (connection: Connection, n: number): Promise<number> => {
      let sum = 0;
      for (let i = 0; i < 50; i++) {
        const reply = await connection.command('test', { ping: n, text: String(n).repeat(i * 997) }, Infinity);
        sum += (reply['echo'] as Document)['ping'] as number;
      }
      return sum;
    };
    expect(await Promise.all(connections.map((connection, i) => ask(connection, i + 1)))).toEqual([50, 100]);
  });

  test('sends unacknowledged commands no faster than the socket drains, and all arrive', async () => {
    let seen = 0;
    const to = await serve(command => {
      if ('insert' in command) {
        seen++;
        return undefined;
      }
      return asMongo(command);
    });
    const connection = await open(to);
    const text = 'x'.repeat(100_000);
    let turns = 0;
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        if (turns++ === 100) {
          resolve();
          return;
        }
        const note = new Note({ insert: 'c', text }, { answer: 'none' });
        note.onEnd = next;
        note.fail = reject;
        connection.start(note, Infinity);
      };
      next();
    });
    await connection.command('test', { ping: 1 }, Infinity);
    expect(seen).toBe(100);
  });

  test('drains a command that timed out, and the same socket serves the next command', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<void>(resolve => (release = resolve));
    const server = createServer(socket => {
      socket
        .on('error', () => undefined)
        .on('data', frame => {
          const command = decode(frame.subarray(21));
          const reply = replyTo(frame.readInt32LE(4), asMongo(command));
          if ('slow' in command) void late.then(() => socket.write(reply));
          else socket.write(reply);
        });
    });
    const connection = await open(await listen(server));
    const error = await connection
      .command('test', { slow: 1 }, runtime.clock.now() + 20)
      .catch((e: unknown) => e as MongoError);
    expect(error.kind).toBe('timeout');
    const usable = connection.detach(error as MongoError);
    release();
    expect(await usable).toBe(true);
    expect(await connection.command('test', { ping: 1 }, Infinity)).toMatchObject({ ok: 1 });
  });

  test('a command fails with a network error when the server process ends', async () => {
    const server = createServer(socket => {
      socket
        .on('error', () => undefined)
        .on('data', frame => {
          const command = decode(frame.subarray(21));
          if ('isMaster' in command) socket.write(replyTo(frame.readInt32LE(4), HELLO));
          else socket.resetAndDestroy();
        });
    });
    const connection = await open(await listen(server));
    await expect(connection.command('test', { ping: 1 }, Infinity)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining("while 'ping' was under way: read ECONNRESET") as unknown,
    });
  });
});

describe('peers that are not MongoDB servers', () => {
  test('a web server', async () => {
    const error = await failure(await listen(createWebServer()));
    expect([error.kind, error.message.replace(/:\d+/, '')]).toEqual([
      'protocol',
      '127.0.0.1 answered with HTTP ("HTTP/1.1 400 Bad Request"); check that the port belongs to MongoDB.',
    ]);
  });

  test('TLS servers that send an alert, or only close the connection, as OpenSSL does', async () => {
    const alert = Uint8Array.from([21, 3, 1, 0, 2, 2, 70]);
    const telling = await failure(await listen(createServer(socket => socket.end(alert))));
    expect([telling.kind, telling.message.replace(/:\d+/, '')]).toEqual([
      'protocol',
      '127.0.0.1 answered with TLS; the port requires TLS, so connect with tls=true.',
    ]);
    const closing = await failure(await listen(createTlsServer({}).on('tlsClientError', () => undefined)));
    expect(closing.kind).toBe('network');
    expect(closing.message).toContain('it may expect TLS (tls=true)');
  });

  test('a server that closes the connection at once', async () => {
    const error = await failure(await listen(createServer(socket => socket.destroy())));
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'hello']);
    expect(error.message).toContain('closed the connection instead of answering hello');
  });

  test('a server that sends nothing', async () => {
    const error = await failure(await listen(createServer(() => undefined)), 40);
    expect([error.kind, error.origin?.phase]).toEqual(['timeout', 'hello']);
  });

  test('a port on which nothing listens', async () => {
    const server = createServer();
    const to = await listen(server);
    await new Promise(resolve => server.close(resolve));
    const error = await failure(to);
    expect([error.kind, error.origin?.phase, error.origin?.sent]).toEqual(['network', 'connect', false]);
  });
});
