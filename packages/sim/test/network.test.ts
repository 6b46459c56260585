import type { Runtime, Socket } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { World, WorldOptions } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const worldOf = (options?: WorldOptions): World => createWorld({ turn }, options);

interface Talk {
  readonly socket: Socket;
  readonly pieces: number[][];
  closed: { readonly cause: unknown; readonly at: number } | undefined;
}

const talk = (runtime: Runtime, socket: Socket, roomSize = 1000): Talk => {
  const heard: Talk = { socket, pieces: [], closed: undefined };
  let room = new Uint8Array(0);
  socket.listen({
    room: () => (room = new Uint8Array(roomSize)),
    filled: length => heard.pieces.push([...room.subarray(0, length)]),
    drained: () => undefined,
    closed: cause => (heard.closed = { cause, at: runtime.clock.now() }),
  });
  return heard;
};

/** Connects a client to a server at db1:27017. */
const meet = async (world: World, from = world.runtime): Promise<{ client: Talk; server: Talk }> => {
  let server: Talk | undefined;
  const listening = await world.runtime.listener.listen('db1:27017', socket => {
    server = talk(world.runtime, socket);
  });
  const client = talk(from, await from.transport.connect('db1:27017', { deadline: Infinity }));
  await listening.close();
  if (server === undefined) throw new Error('nobody was accepted');
  return { client, server };
};

const failureOf = async (connecting: Promise<Socket>): Promise<unknown> => {
  const error: unknown = await connecting.catch((cause: unknown) => cause);
  return MongoError.is(error) ? [error.kind, error.origin?.phase, error.message] : error;
};

describe('delay', () => {
  test('a connect takes two latencies, a packet one', async () => {
    const world = worldOf({ latency: { delay: 10 } });
    await world.run(async () => {
      const { client, server } = await meet(world);
      expect(world.runtime.clock.now()).toBe(20);
      client.socket.write(Uint8Array.of(1));
      await world.runtime.clock.sleep(9.999);
      expect(server.pieces).toEqual([]);
      await world.runtime.clock.sleep(0.002);
      expect(server.pieces).toEqual([[1]]);
    });
  });

  test('the latest rule that matches two names applies', async () => {
    const world = worldOf({ latency: { delay: 10 } });
    world.network.latency({ delay: 50 }, 'db1', 'far');
    await world.run(async () => {
      await meet(world, world.at('far'));
      expect(world.runtime.clock.now()).toBe(100);
      await meet(world);
      expect(world.runtime.clock.now()).toBe(120);
      world.network.latency({ delay: 1 });
      await meet(world, world.at('far'));
      expect(world.runtime.clock.now()).toBe(122);
    });
  });

  test('packets of one connection arrive in order with any jitter, and are cut at positions that depend on the seed', async () => {
    const splits = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1000 }),
        fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 20 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 40 }),
        async (seed, writes, readsAhead, roomSize) => {
          const world = worldOf({ seed, readsAhead, latency: { delay: 0, jitter: 30 } });
          await world.run(async () => {
            const { client } = await meet(world);
            let server: Talk | undefined;
            await world.runtime.listener.listen('db2:1', socket => (server = talk(world.runtime, socket, roomSize)));
            const socket = await world.runtime.transport.connect('db2:1', { deadline: Infinity });
            for (const bytes of writes) socket.write(bytes);
            await world.runtime.clock.sleep(2000);
            expect(server?.pieces.flat()).toEqual(writes.flatMap(bytes => [...bytes]));
            expect(server?.pieces.every(piece => piece.length <= roomSize)).toBe(true);
            splits.add(JSON.stringify(server?.pieces.map(piece => piece.length)));
            expect(client.closed).toBe(undefined);
          });
        },
      ),
      { numRuns: 50 },
    );
    expect(splits.size).toBeGreaterThan(20);
  });

  test('with splitWrites false every write arrives as one packet', async () => {
    const world = worldOf({ splitWrites: false });
    await world.run(async () => {
      const { client, server } = await meet(world);
      for (const length of [3, 500, 1]) client.socket.write(new Uint8Array(length));
      await world.runtime.clock.sleep(5);
      expect(server.pieces.map(piece => piece.length)).toEqual([3, 500, 1]);
    });
  });
});

describe('forbidden calls', () => {
  test('Socket.write: detects bytes that change before they are sent', async () => {
    const world = worldOf();
    const run = world.run(async () => {
      const { client } = await meet(world);
      const bytes = new Uint8Array(10);
      client.socket.write(bytes);
      bytes[9] = 1;
      await world.runtime.clock.sleep(5);
    });
    await expect(run).rejects.toThrow('client changed bytes after writing them to db1:27017');
  });

  test('SocketSink.room: rejects an empty room', async () => {
    const world = worldOf();
    const run = world.run(async () => {
      const { client } = await meet(world);
      await world.runtime.listener.listen('db2:1', socket => void talk(world.runtime, socket, 0));
      const socket = await world.runtime.transport.connect('db2:1', { deadline: Infinity });
      socket.write(Uint8Array.of(1));
      await world.runtime.clock.sleep(5);
      expect(client.closed).toBe(undefined);
    });
    await expect(run).rejects.toThrow('db2:1 gave an empty room');
  });
});

describe('connecting', () => {
  test('a host without a past listener is unknown; a known host without a listener refuses the connection', async () => {
    const world = worldOf({ hosts: ['db9'] });
    await world.run(async () => {
      const { transport } = world.runtime;
      expect(await failureOf(transport.connect('db8:1', { deadline: Infinity }))).toEqual([
        'network',
        'resolve',
        'No host is known as db8.',
      ]);
      expect(await failureOf(transport.connect('db9:1', { deadline: Infinity }))).toEqual([
        'network',
        'connect',
        'db9:1 refused the connection from client: nothing listens there.',
      ]);
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('Transport.connect: rejects TLS and proxies, and says what is missing', async () => {
    const world = worldOf({ hosts: ['db9'] });
    await world.run(async () => {
      const { transport } = world.runtime;
      const tls = { allowInvalidCertificates: false, allowInvalidHostnames: false, native: {} };
      const proxy = { host: 'proxy', port: 1080 };
      const refusal = 'leave their options out.';
      await expect(transport.connect('db9:1', { deadline: Infinity, tls })).rejects.toThrow(
        `The simulated network knows no TLS; ${refusal}`,
      );
      await expect(transport.connect('db9:1', { deadline: Infinity, proxy })).rejects.toThrow(
        `The simulated network knows no proxies; ${refusal}`,
      );
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('refuse and forget last until heal', async () => {
    const world = worldOf();
    await world.run(async () => {
      const { listener, transport } = world.runtime;
      const listening = await listener.listen('db1:1', socket => void talk(world.runtime, socket));
      const phaseOf = async (): Promise<unknown> =>
        await transport.connect('db1:1', { deadline: Infinity }).then(
          socket => socket.destroy(),
          (error: unknown) => MongoError.is(error) && error.origin?.phase,
        );
      world.network.refuse('db1:1');
      expect(await phaseOf()).toBe('connect');
      world.network.forget('db1');
      expect(await phaseOf()).toBe('resolve');
      world.network.heal();
      expect(await phaseOf()).toBe(undefined);
      await listening.close();
      await world.runtime.clock.sleep(10);
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('supports Unix sockets and the names of the local machine', async () => {
    const world = worldOf();
    await world.run(async () => {
      const { listener, transport } = world.runtime;
      const accepted: string[] = [];
      for (const at of ['/tmp/mongodb-27017.sock', '127.0.0.1:27017']) {
        await listener.listen(at, socket => {
          accepted.push(at);
          talk(world.runtime, socket);
        });
      }
      await transport.connect('/tmp/mongodb-27017.sock', { deadline: Infinity });
      await transport.connect('localhost:27017', { deadline: Infinity });
      await transport.connect('[::1]:27017', { deadline: Infinity });
      expect(accepted).toEqual(['/tmp/mongodb-27017.sock', '127.0.0.1:27017', '127.0.0.1:27017']);
      const twice = listener.listen('localhost:27017', () => undefined);
      await expect(twice).rejects.toThrow('Cannot listen at localhost:27017: the address is in use');
    });
  });
});

describe('partition', () => {
  test('holds packets until the network heals and then delivers them in order; holds new connects until their deadline', async () => {
    const world = worldOf();
    const { clock, transport, listener } = world.runtime;
    await world.run(async () => {
      const { client, server } = await meet(world);
      await listener.listen('db1:27017', socket => void talk(world.runtime, socket));
      client.socket.write(Uint8Array.of(1));
      world.network.partition('client', 'db1');
      client.socket.write(Uint8Array.of(2));
      const late = await failureOf(transport.connect('db1:27017', { deadline: clock.now() + 500 }));
      expect(late).toEqual(['timeout', 'connect', 'db1:27017 did not answer within 500 ms.']);
      const patient = transport.connect('db1:27017', { deadline: Infinity });
      await clock.sleep(1000);
      expect(server.pieces).toEqual([]);
      server.socket.end();
      await clock.sleep(10);
      world.network.heal();
      await patient;
      expect([server.pieces, client.closed?.cause]).toEqual([[[1], [2]], undefined]);
      expect(client.closed).toEqual({ cause: undefined, at: clock.now() - 1 });
    });
  });

  test('affects only the two named hosts', async () => {
    const world = worldOf();
    await world.run(async () => {
      world.network.partition('other', 'db1:27017');
      const { client, server } = await meet(world);
      client.socket.write(Uint8Array.of(1));
      await world.runtime.clock.sleep(5);
      expect(server.pieces).toEqual([[1]]);
    });
  });
});

describe('blackhole', () => {
  test('connections stay silent for good without notice; new ones wait until their deadline, and work after heal', async () => {
    const world = worldOf();
    const { clock, transport, listener } = world.runtime;
    await world.run(async () => {
      const { client, server } = await meet(world);
      world.network.blackhole('db1:27017');
      client.socket.write(Uint8Array.of(1));
      server.socket.write(Uint8Array.of(2));
      server.socket.destroy();
      await listener.listen('db1:27017', socket => void talk(world.runtime, socket));
      const late = await failureOf(transport.connect('db1:27017', { deadline: clock.now() + 100 }));
      expect(late).toEqual(['timeout', 'connect', 'db1:27017 did not answer within 100 ms.']);
      world.network.heal();
      await clock.sleep(1000);
      expect([client.pieces, client.closed, server.pieces]).toEqual([[], undefined, []]);
      await transport.connect('db1:27017', { deadline: Infinity });
    });
  });
});

describe('reset', () => {
  test('both ends receive closed with ECONNRESET once, and packets in transit are lost', async () => {
    const world = worldOf();
    await world.run(async () => {
      const { client, server } = await meet(world);
      client.socket.write(Uint8Array.of(1));
      expect(world.network.reset('db1')).toBe(1);
      expect(world.network.reset('db1')).toBe(0);
      await world.runtime.clock.sleep(5);
      for (const end of [client, server]) {
        expect(end.pieces).toEqual([]);
        expect(end.closed?.cause).toMatchObject({ code: 'ECONNRESET' });
      }
    });
    expect(world.leftovers()).toEqual([]);
  });
});

describe('end', () => {
  test('an end without a listener closes too, once its data has arrived at a peer that is closed', async () => {
    const world = worldOf();
    await world.run(async () => {
      const { listener, transport, clock } = world.runtime;
      const listening = await listener.listen('db1:27017', socket => socket.end());
      const socket = await transport.connect('db1:27017', { deadline: Infinity });
      socket.destroy();
      const ending = await transport.connect('db1:27017', { deadline: Infinity });
      ending.end();
      await listening.close();
      await clock.sleep(10);
    });
    expect(world.leftovers()).toEqual([]);
  });
});

describe('destroy', () => {
  test('loses unsent bytes: the seed decides how many, and the order is kept', async () => {
    const arrived = new Set<number>();
    for (let seed = 0; seed < 40; seed += 1) {
      const world = worldOf({ seed });
      await world.run(async () => {
        const { client, server } = await meet(world);
        for (let byte = 0; byte < 4; byte += 1) client.socket.write(Uint8Array.of(byte));
        client.socket.destroy();
        await world.runtime.clock.sleep(5);
        expect(server.pieces.flat()).toEqual([0, 1, 2, 3].slice(0, server.pieces.flat().length));
        expect(server.closed?.cause).toBe(undefined);
        arrived.add(server.pieces.flat().length);
      });
      expect(world.leftovers()).toEqual([]);
    }
    expect([...arrived].sort()).toEqual([0, 1, 2, 3, 4]);
  });
});
