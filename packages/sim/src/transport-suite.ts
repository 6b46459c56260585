import type { Address, Clock, Listener, Listening, Millis, Socket, SocketSink, Transport } from '@tessera/contracts';
import { createAbort, expectEqual, expectRejection, expectTrue } from './case.js';
import type { ContractCase } from './case.js';

export interface TransportSuiteDeps {
  readonly transport: Transport;
  readonly listener: Listener;
  readonly clock: Clock;
}

export interface TransportSuiteOptions {
  /** The address to listen at; port 0 selects a free port. Default `127.0.0.1:0`. */
  readonly at?: Address;
  /** An address whose host does not exist. Default `nobody.invalid:27017`. */
  readonly unknown?: Address;
  /** The maximum wait for something that must happen. Default 5 seconds of the given clock. */
  readonly patience?: Millis;
}

/** Reads everything, and fails if the contract of {@link SocketSink} is broken. */
class Reader implements SocketSink {
  readonly #pieces: number[] = [];
  readonly #room: (() => Uint8Array) | undefined;
  #lent: Uint8Array | undefined;
  drains = 0;
  closings = 0;
  cause: unknown;
  broken = '';

  constructor(room?: () => Uint8Array) {
    this.#room = room;
  }

  get bytes(): readonly number[] {
    return this.#pieces;
  }

  room(): Uint8Array {
    if (this.closings > 0) this.broken = 'room() after closed()';
    this.#lent = this.#room?.() ?? new Uint8Array(100);
    return this.#lent;
  }

  filled(length: number): void {
    if (this.closings > 0) this.broken = 'filled() after closed()';
    const lent = this.#lent;
    this.#lent = undefined;
    if (lent === undefined) {
      this.broken = 'filled() without room() before it';
      return;
    }
    if (length < 1 || length > lent.length) this.broken = `filled(${length}) of a room of ${lent.length}`;
    for (const byte of lent.subarray(0, length)) this.#pieces.push(byte);
  }

  drained(): void {
    this.drains += 1;
  }

  closed(cause?: unknown): void {
    this.closings += 1;
    this.cause = cause;
  }
}

const pattern = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) & 255);

/**
 * Returns the cases of {@link Transport}, {@link Listener} and {@link Socket}, for any network that can reach itself.
 * In a simulated world, run each case with `world.run`.
 */
export const transportSuite = (
  deps: TransportSuiteDeps,
  options: TransportSuiteOptions = {},
): readonly ContractCase[] => {
  const { transport, listener, clock } = deps;
  const { at = '127.0.0.1:0', unknown = 'nobody.invalid:27017', patience = 5000 } = options;

  const until = async (condition: () => boolean, what: string): Promise<void> => {
    const deadline = clock.now() + patience;
    while (!condition()) {
      if (clock.now() >= deadline) throw new Error(`Waited ${patience} ms in vain for: ${what}`);
      await clock.sleep(1);
    }
  };

  interface Pair {
    readonly listening: Listening;
    readonly client: Socket;
    readonly server: Socket;
    readonly clientReader: Reader;
    readonly serverReader: Reader;
  }

  const withServer = async (
    accept: (socket: Socket) => void,
    use: (listening: Listening) => Promise<void>,
  ): Promise<void> => {
    const sockets: Socket[] = [];
    const listening = await listener.listen(at, socket => {
      sockets.push(socket);
      accept(socket);
    });
    try {
      await use(listening);
    } finally {
      await listening.close();
      for (const socket of sockets) socket.destroy();
    }
  };

  const withPair = (use: (pair: Pair) => Promise<void>, room?: () => Uint8Array): Promise<void> => {
    const serverReader = new Reader(room);
    let server: Socket | undefined;
    const accept = (socket: Socket): void => {
      server = socket;
      socket.listen(serverReader);
    };
    return withServer(accept, async listening => {
      const client = await transport.connect(listening.address, { deadline: clock.now() + patience });
      const clientReader = new Reader(room);
      client.listen(clientReader);
      try {
        await until(() => server !== undefined, 'the server accepts');
        await use({ listening, client, server: server!, clientReader, serverReader });
      } finally {
        client.destroy();
      }
      await until(() => clientReader.closings > 0, 'closed() of a destroyed socket');
      expectEqual([clientReader.broken, serverReader.broken], ['', ''], 'terms of SocketSink');
    });
  };

  const one = (name: string, run: () => Promise<void>): ContractCase => ({ name, run });

  return [
    one('Listener.listen: port 0 selects a free port, and the address contains it', () =>
      withServer(
        socket => socket.listen(new Reader()),
        listening => {
          expectTrue(!listening.address.endsWith(':0'), `a real port in ${listening.address}`);
          return Promise.resolve();
        },
      ),
    ),
    one('Socket: all bytes arrive in order, in both directions', () =>
      withPair(async ({ client, server, clientReader, serverReader }) => {
        const there = pattern(50_000);
        const back = pattern(3000).reverse();
        for (let from = 0; from < there.length; from += 7001) client.write(there.subarray(from, from + 7001));
        server.write(back);
        await until(() => serverReader.bytes.length >= there.length, 'all bytes at the server');
        await until(() => clientReader.bytes.length >= back.length, 'all bytes at the client');
        expectEqual(serverReader.bytes, [...there], 'what the server read');
        expectEqual(clientReader.bytes, [...back], 'what the client read');
      }),
    ),
    one('Socket.listen: no byte is lost if listen is called in the turn in which the socket was handed over', () =>
      withServer(
        socket => {
          socket.listen(new Reader());
          socket.write(Uint8Array.of(1, 2, 3));
        },
        async listening => {
          const client = await transport.connect(listening.address, { deadline: clock.now() + patience });
          const reader = new Reader();
          client.listen(reader);
          await until(() => reader.bytes.length >= 3, 'the greeting');
          expectEqual(reader.bytes, [1, 2, 3], 'the greeting');
          client.destroy();
        },
      ),
    ),
    one('Socket.readsAhead: if false, all sockets may share one room', async () => {
      const shared = new Uint8Array(10);
      const readsAhead: boolean[] = [];
      await withPair(({ client }) => {
        readsAhead.push(client.readsAhead);
        return Promise.resolve();
      });
      if (readsAhead.includes(true)) return;
      await withPair(
        async ({ client, server, clientReader, serverReader }) => {
          const there = pattern(997);
          const back = pattern(499).map(byte => byte ^ 0xff);
          client.write(there);
          server.write(back);
          await until(() => serverReader.bytes.length + clientReader.bytes.length >= 997 + 499, 'all bytes');
          expectEqual(serverReader.bytes, [...there], 'what the server read');
          expectEqual(clientReader.bytes, [...back], 'what the client read');
        },
        () => shared,
      );
    }),
    one(
      'Socket.write: after it returns false, drained is called once when all bytes have been sent, and otherwise never',
      () =>
        withPair(async ({ client, clientReader, serverReader }) => {
          const block = pattern(1 << 16);
          let written = 0;
          expectEqual(clientReader.drains, 0, 'calls of drained() before a write');
          while (client.write(block)) {
            written += 1;
            expectTrue(written < 1000, 'write() answers false before 64 MiB have been written in one turn');
          }
          client.write(block);
          written += 2;
          await until(() => clientReader.drains > 0, 'drained()');
          await until(() => serverReader.bytes.length === written * block.length, 'all bytes');
          expectEqual(clientReader.drains, 1, 'calls of drained()');
        }),
    ),
    one('Socket.write: memory may be reused after drained(), and the peer reads the original bytes', () =>
      withPair(async ({ client, clientReader, serverReader }) => {
        const block = pattern(1 << 18);
        const read = [...block, ...new Uint8Array(block.length)];
        if (client.write(block)) client.write(new Uint8Array(block.length));
        else {
          await until(() => clientReader.drains === 1, 'drained()');
          client.write(block.fill(0));
        }
        await until(() => serverReader.bytes.length === read.length, 'all bytes');
        expectEqual(serverReader.bytes, read, 'what the server read');
      }),
    ),
    one(
      'Socket.end: sends what was written, then closes; closed() of the peer is called last, once, without a cause',
      () =>
        withPair(async ({ client, clientReader, serverReader }) => {
          client.write(pattern(20_000));
          client.end();
          await until(() => serverReader.closings > 0 && clientReader.closings > 0, 'closed() at both ends');
          expectEqual(serverReader.bytes, [...pattern(20_000)], 'what the server read');
          await clock.sleep(5);
          expectEqual([serverReader.closings, serverReader.cause], [1, undefined], 'closed() at the peer');
          expectEqual([clientReader.closings, clientReader.cause], [1, undefined], 'closed() at the end that ended');
        }),
    ),
    one('Socket.destroy: closes at once; closed() is called once, in a later turn, without a cause', () =>
      withPair(async ({ client, clientReader, serverReader }) => {
        client.destroy();
        client.destroy();
        client.end();
        client.write(Uint8Array.of(1));
        expectEqual(clientReader.closings, 0, 'calls of closed() in the turn of destroy()');
        await until(() => clientReader.closings > 0 && serverReader.closings > 0, 'closed() at both ends');
        await clock.sleep(5);
        expectEqual([clientReader.closings, clientReader.cause], [1, undefined], 'closed() at the end that destroyed');
        expectEqual([serverReader.closings, serverReader.bytes], [1, []], 'the peer');
      }),
    ),
    one('Listening.close: accepts no new connections, and open sockets stay open', () =>
      withPair(async ({ listening, client, server, clientReader }) => {
        await listening.close();
        await listening.close();
        await expectRejection(
          transport.connect(listening.address, { deadline: clock.now() + patience }),
          { kind: 'network', phase: 'connect' },
          'connect to a listener that was closed',
        );
        server.write(Uint8Array.of(9));
        await until(() => clientReader.bytes.length > 0, 'a byte over the open socket');
        client.destroy();
      }),
    ),
    one(
      'Transport.connect: without a listener, fails as network in phase connect, with the address and nothing sent',
      async () => {
        const listening = await listener.listen(at, socket => socket.destroy());
        await listening.close();
        const error = await expectRejection(
          transport.connect(listening.address, { deadline: clock.now() + patience }),
          { kind: 'network', phase: 'connect' },
          'connect to nobody',
        );
        expectEqual([error.origin?.address, error.origin?.sent], [listening.address, false], 'its origin');
      },
    ),
    one('Transport.connect: an unknown host fails as network or timeout in phase resolve', async () => {
      const failing = transport.connect(unknown, { deadline: clock.now() + patience });
      await expectRejection(failing, { kind: ['network', 'timeout'], phase: 'resolve' }, 'connect to an unknown host');
    }),
    one('Transport.connect: a deadline that has passed fails as timeout', () =>
      withServer(
        socket => socket.listen(new Reader()),
        async listening => {
          const failing = transport.connect(listening.address, { deadline: clock.now() - 1 });
          await expectRejection(failing, { kind: 'timeout', phase: ['resolve', 'connect'] }, 'connect too late');
        },
      ),
    ),
    one(
      'Transport.connect: an aborted signal fails it as aborted with the reason as cause, before or during the connect',
      () =>
        withServer(
          socket => socket.listen(new Reader()),
          async listening => {
            const reason = new Error('enough');
            const hand = createAbort();
            const during = transport.connect(listening.address, { deadline: Infinity, signal: hand.signal });
            hand.abort(reason);
            const before = transport.connect(listening.address, { deadline: Infinity, signal: hand.signal });
            for (const failing of [during, before]) {
              const error = await expectRejection(failing, { kind: 'aborted' }, 'an aborted connect');
              expectTrue(error.cause === reason, 'the cause is the reason of the signal');
            }
            expectEqual(hand.listeners, 0, 'listeners left on the signal');
          },
        ),
    ),
    one('Transport.connect: after the connect, neither the deadline nor the signal affects the socket', () =>
      withServer(
        socket => {
          const reader = new Reader();
          socket.listen(reader);
          socket.write(Uint8Array.of(1));
        },
        async listening => {
          const hand = createAbort();
          const deadline = clock.now() + 500;
          const client = await transport.connect(listening.address, { deadline, signal: hand.signal });
          const reader = new Reader();
          client.listen(reader);
          expectEqual(hand.listeners, 0, 'listeners left on the signal');
          hand.abort(new Error('too late'));
          await clock.sleep(deadline - clock.now() + 10);
          expectEqual([reader.bytes, reader.closings], [[1], 0], 'the socket');
          client.destroy();
        },
      ),
    ),
  ];
};
