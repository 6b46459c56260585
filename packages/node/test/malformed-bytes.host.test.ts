import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket as NetSocket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { bson } from '@tessera/bson';
import type { SocketSink, TransportOptions } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createWire } from '@tessera/wire';
import { createAuthority, createFiles, strictTls } from './certificates.js';
import { createProxy } from './socks5-proxy.js';

const { clock, transport } = createNode();
const wire = createWire({ bson, compressors: [] });
const files = createFiles();
const ca = createAuthority();
const caFile = files.write('ca.pem', ca.certificate);
const tls = strictTls({ caFile });
const answer = Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n');

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => {
  files.remove();
});

/** A web server that answers in two pieces, which arrive separately. */
const serve = async (cut: number, createListener: (accept: (socket: NetSocket) => void) => Server): Promise<string> => {
  const server = createListener(socket => {
    socket.setNoDelay(true).on('error', () => undefined);
    cleanups.push(() => socket.destroy());
    socket.once('data', () => {
      socket.write(answer.subarray(0, cut), () => setImmediate(() => socket.write(answer.subarray(cut))));
    });
  });
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  cleanups.push(() => server.close());
  return `localhost:${(server.address() as AddressInfo).port}`;
};

type Path = (cut: number) => Promise<{ readonly to: string; readonly options: Partial<TransportOptions> }>;

const paths: Readonly<Record<string, Path>> = {
  TCP: async cut => ({ to: await serve(cut, accept => createServer(accept)), options: {} }),
  TLS: async cut => {
    const { both } = ca.issue('localhost', { hosts: ['localhost'] });
    return { to: await serve(cut, accept => createTlsServer({ cert: both, key: both }, accept)), options: { tls } };
  },
  SOCKS5: async cut => {
    const to = await serve(cut, accept => createServer(accept));
    const { port, close } = await createProxy();
    cleanups.push(close);
    return { to, options: { proxy: { host: 'localhost', port } } };
  },
};

/** Connects, sends a byte and returns the cause with which the sink closed. */
const hear = async (
  path: Path,
  cut: number,
  sinkOf: (closed: (cause: unknown) => void) => SocketSink,
): Promise<unknown> => {
  const { to, options } = await path(cut);
  const socket = await transport.connect(to, { deadline: clock.now() + 5000, ...options });
  cleanups.push(() => {
    socket.destroy();
  });
  return new Promise(resolve => {
    socket.listen(
      sinkOf(cause => {
        socket.destroy();
        resolve(cause);
      }),
    );
    socket.write(Buffer.from('?'));
  });
};

describe.each(Object.entries(paths))('a web server behind %s', (_, path) => {
  test('ends the connection with one protocol error, wherever its response is split', async () => {
    for (let cut = 1; cut < answer.length; cut++) {
      const errors: unknown[] = [];
      const cause = await hear(path, cut, closed => {
        const reader = wire.reader({ readsAhead: false, take: () => undefined, failed: closed });
        return {
          room: () => reader.room(),
          filled: length => {
            try {
              reader.filled(length);
            } catch (error) {
              errors.push(error);
              // The connection closes one turn later, so that the socket delivers the rest first.
              queueMicrotask(() => {
                closed(error);
              });
            }
          },
          drained: () => undefined,
          closed: () => {
            closed(undefined);
          },
        };
      });
      expect(errors).toMatchObject([{ kind: 'protocol' }]);
      expect(cause).toBe(errors[0]);
    }
  });
});

test.each(['TLS', 'SOCKS5'])(
  'a sink without room loses a socket with %s instead of blocking the process',
  async name => {
    const cause = await hear(paths[name]!, 10, closed => ({
      room: () => new Uint8Array(0),
      filled: () => undefined,
      drained: () => undefined,
      closed,
    }));
    expect((cause as Error).message).toMatch(/^The reader of the socket has no room for \d+ bytes\.$/);
  },
);
