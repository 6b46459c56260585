import type { Socket, SocketSink } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import type { SimWritable, World, WorldOptions } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const worldOf = (options?: WorldOptions): World => createWorld({ turn }, options);

interface Heard {
  readonly bytes: number[];
  closed: { readonly cause: unknown } | undefined;
  drained: number;
}

/** Reads everything through a room of this many bytes. */
const readAll = (socket: Socket, roomSize = 16): Heard => {
  const heard: Heard = { bytes: [], closed: undefined, drained: 0 };
  let room = new Uint8Array(roomSize);
  const sink: SocketSink = {
    room: () => (room = new Uint8Array(roomSize)),
    filled: length => heard.bytes.push(...room.subarray(0, length)),
    drained: () => (heard.drained += 1),
    closed: cause => (heard.closed = { cause }),
  };
  socket.listen(sink);
  return heard;
};

const echo = (socket: Socket): void => {
  let room = new Uint8Array(0);
  socket.listen({
    room: () => (room = new Uint8Array(64)),
    filled: length => void socket.write(room.slice(0, length)),
    drained: () => undefined,
    closed: () => undefined,
  });
};

describe('time', () => {
  test('timers fire by time, then in the order in which they were started; the clock stands still between them', async () => {
    const world = worldOf();
    const { clock } = world.runtime;
    const fired = await world.run(async () => {
      const seen: string[] = [];
      const say = (what: string) => () => seen.push(`${what} ${clock.now()}`);
      clock.startTimer(20, say('c'));
      clock.startTimer(10, say('a'));
      clock.startTimer(10, say('b'));
      clock.startTimer(15, say('never')).cancel();
      clock.startTimer(0, say('first'));
      clock.startTimer(-5, say('second'));
      seen.push('not in the same turn');
      await clock.sleep(30);
      return seen;
    });
    expect(fired).toEqual(['not in the same turn', 'first 0', 'second 0', 'a 10', 'b 10', 'c 20']);
  });

  test('every microtask runs before the time advances', async () => {
    const world = worldOf();
    const { clock } = world.runtime;
    const at = await world.run(async () => {
      let now = -1;
      clock.startTimer(5, () => (now = clock.now()));
      for (let hop = 0; hop < 1000; hop += 1) await Promise.resolve();
      return [clock.now(), now];
    });
    expect(at).toEqual([0, -1]);
  });

  test('a day of sleep takes no real time, and the wall clock follows', async () => {
    const world = worldOf({ wallTime: 1_000_000, horizon: Infinity });
    const { clock } = world.runtime;
    await world.run(() => clock.sleep(86_400_001.5));
    expect([clock.now(), clock.wallTime()]).toEqual([86_400_001.5, 87_400_001]);
    world.shiftWallTime(-1000);
    expect([clock.now(), clock.wallTime()]).toEqual([86_400_001.5, 87_399_001]);
  });

  test('a sleep ends with the reason of its signal, also if the signal aborted before', async () => {
    const world = worldOf();
    const { clock } = world.runtime;
    const abort = new AbortController();
    const seen = await world.run(async () => {
      clock.startTimer(7, () => abort.abort('enough'));
      const first = await clock.sleep(100, abort.signal).catch((reason: unknown) => [reason, clock.now()]);
      const second = await clock.sleep(100, abort.signal).catch((reason: unknown) => [reason, clock.now()]);
      return [first, second];
    });
    expect(seen).toEqual([
      ['enough', 7],
      ['enough', 7],
    ]);
    expect(world.leftovers()).toEqual([]);
  });

  test('a heap with any timers and cancellations fires the rest in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ after: fc.nat(50), cancel: fc.boolean() }), { maxLength: 300 }),
        async timers => {
          const world = worldOf();
          const fired: number[] = [];
          await world.run(async () => {
            const started = timers.map(({ after }, index) =>
              world.runtime.clock.startTimer(after, () => fired.push(index)),
            );
            for (const [index, timer] of started.entries()) if (timers[index]?.cancel === true) timer.cancel();
            await world.runtime.clock.sleep(51);
          });
          const expected = timers
            .map(({ after, cancel }, index) => ({ after, cancel, index }))
            .filter(({ cancel }) => !cancel)
            .sort((a, b) => a.after - b.after || a.index - b.index)
            .map(({ index }) => index);
          expect(fired).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the end of a run', () => {
  test('an exception of main, at once or later, fails the run with that error', async () => {
    const world = worldOf();
    await expect(
      world.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    await expect(
      world.run(async () => {
        await world.runtime.clock.sleep(1);
        throw new Error('later');
      }),
    ).rejects.toThrow('later');
  });

  test('an exception in a timer fails the run', async () => {
    const world = worldOf();
    const run = world.run(async () => {
      world.runtime.clock.startTimer(1, () => {
        throw new Error('in a timer');
      });
      await world.runtime.clock.sleep(2);
    });
    await expect(run).rejects.toThrow('in a timer');
  });

  test('reports a deadlock with time, seed and what is open', async () => {
    const world = worldOf({ seed: 42 });
    const run = world.run(async () => {
      await world.runtime.listener.listen('db1:27017', () => undefined);
      await world.runtime.clock.sleep(5);
      await new Promise(() => undefined);
    });
    await expect(run).rejects.toThrow(
      'The world (seed 42) stopped at 5 ms: deadlock: main has not finished, and no timer or packet is scheduled. ' +
        'Still there: db1:27017 still listens.',
    );
  });

  test('stops a program that never ends at the horizon, and an endless loop without time after the maximum of steps', async () => {
    const beat = (world: World, every: number) => {
      const again = (): void => void world.runtime.clock.startTimer(every, again);
      again();
    };
    const slow = worldOf({ horizon: 1000 });
    const late = slow.run(() => {
      beat(slow, 300);
      return new Promise(() => undefined);
    });
    await expect(late).rejects.toThrow('stopped at 900 ms: main has not finished within 1000 ms (option horizon)');
    const busy = worldOf({ steps: 100 });
    const endless = busy.run(() => {
      beat(busy, 0);
      return new Promise(() => undefined);
    });
    await expect(endless).rejects.toThrow('main has not finished within 100 timers and packets (option steps)');
  });

  test('leftovers lists listeners, ends of connections and timers that are left', async () => {
    const world = worldOf();
    const { clock, listener, transport } = world.runtime;
    await world.run(async () => {
      const listening = await listener.listen('db1:27017', echo);
      const closed = await transport.connect('db1:27017', { deadline: Infinity });
      readAll(closed);
      const open = await transport.connect('db1:27017', { deadline: Infinity });
      readAll(open);
      closed.destroy();
      clock.startTimer(1000, () => undefined);
      await clock.sleep(10);
      await listening.close();
    });
    expect(world.leftovers()).toEqual([
      'client>db1:27017#2: the end of client is open',
      'client>db1:27017#2: the end of db1:27017 is open',
      'timer is due at 1004 ms',
    ]);
  });
});

describe('one seed, one history', () => {
  /** Runs clients of an echo server under all kinds of faults for a virtual minute. */
  const story = async (seed: number, program = 10): Promise<World> => {
    const world = worldOf({
      seed,
      latency: { delay: 2, jitter: 5 },
      mishaps: { reset: 0.02, silence: 0.01, refuse: 0.05, stall: 0.05, stallFor: 300 },
    });
    const { clock, random, transport, listener } = world.runtime;
    await world.run(async () => {
      await listener.listen('db1:27017', echo);
      for (let time = 100; time < 5000; time += 100) {
        clock.startTimer(time, () => {
          const fault = world.chance.below(8);
          if (fault === 0) world.network.partition('client', 'db1');
          if (fault === 1) world.network.reset('db1:27017');
          if (fault === 2) world.network.blackhole('db1');
          if (fault > 3) world.network.heal();
        });
      }
      const talk = async (): Promise<void> => {
        for (let count = 0; count < program; count += 1) {
          const deadline = clock.now() + 200;
          const socket = await transport.connect('db1:27017', { deadline }).catch(() => undefined);
          if (socket === undefined) continue;
          readAll(socket);
          socket.write(random.bytes(1 + Math.floor(random.unit() * 200)));
          await clock.sleep(random.unit() * 100);
          if (random.unit() < 0.5) socket.end();
          await clock.sleep(random.unit() * 100);
          socket.destroy();
        }
      };
      await Promise.all([talk(), talk(), talk()]);
    });
    return world;
  };

  test('the same seed gives the same history, byte for byte, including random faults', async () => {
    const seen: string[] = [];
    for (const seed of [1, 2, 3, Number.MAX_SAFE_INTEGER]) {
      const first = await story(seed);
      const second = await story(seed);
      expect(second.history).toEqual(first.history);
      expect(first.history.length).toBeGreaterThan(100);
      seen.push(JSON.stringify(first.history));
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (const word of ['silent', 'reset', 'refused', 'partition', 'heal', 'destroyed', 'end of stream']) {
      expect(seen.join('')).toContain(word);
    }
  });

  test('drops the older half of a long history, repeatedly', async () => {
    const world = worldOf({ historyLimit: 10 });
    await world.run(async () => {
      for (let count = 0; count < 100; count += 1) await world.runtime.clock.sleep(1);
    });
    expect(world.history.length).toBeLessThanOrEqual(10);
    expect(world.history.at(-1)).toEqual({ at: 100, what: 'timer' });
  });

  test('a different program has a different history', async () => {
    expect((await story(1, 11)).history).not.toEqual((await story(1)).history);
  });

  test('each name on the network has a stream of random numbers of its own', () => {
    const draw = (name: string): number[] => [...worldOf({ seed: 5 }).at(name).random.bytes(8)];
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  test('random numbers are uniform: a thousand draws fill ten intervals about evenly', () => {
    const { random } = worldOf({ seed: 9 }).runtime;
    const drawers = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 10_000; draw += 1) {
      const drawer = Math.floor(random.unit() * 10);
      drawers[drawer] = (drawers[drawer] ?? 0) + 1;
    }
    for (const count of drawers) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

describe('work outside of the world', () => {
  test('a thread pool takes no virtual time, and its results arrive in the order in which they were requested', async () => {
    const real = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
    let delay = 6;
    const crypto = {
      hash: (_: string, data: Uint8Array) => data,
      hmac: (_: string, _key: Uint8Array, data: Uint8Array) => data,
      pbkdf2: async (_: string, password: Uint8Array) => {
        await real((delay -= 2));
        return password;
      },
    };
    const world = createWorld({ turn, crypto });
    const { clock } = world.runtime;
    const order: (number | undefined)[] = [];
    const none = new Uint8Array();
    const derive = async (value: number): Promise<void> => {
      const [first] = await world.runtime.crypto.pbkdf2('sha256', Uint8Array.of(value), none, 1, 1);
      order.push(first, clock.now());
    };
    await world.run(async () => {
      clock.startTimer(1, () => order.push(-1));
      await Promise.all([derive(1), derive(2), derive(3)]);
    });
    expect(order).toEqual([1, 0, 2, 0, 3, 0]);
  });

  test('without crypto a hash throws and says what to do', async () => {
    const { crypto } = worldOf().runtime;
    const none = new Uint8Array();
    expect(() => crypto.hash('sha1', none)).toThrow('pass one to createWorld({ turn, crypto })');
    await expect(crypto.pbkdf2('sha1', none, none, 1, 1)).rejects.toThrow('pass one to createWorld({ turn, crypto })');
  });
});

describe('names', () => {
  test('the resolver answers from the table after a round trip, rejects a name without SRV records, and has no TXT records for one', async () => {
    const world = worldOf({
      names: { srv: { '_mongodb._tcp.a.b': [{ host: 'db1', port: 1 }] }, txt: { 'a.b': [['x']] } },
    });
    const { clock, resolver } = world.runtime;
    const answers = await world.run(async () => [
      await resolver.srv('_mongodb._tcp.a.b'),
      await resolver.txt('a.b'),
      clock.now(),
      await resolver.srv('b.a').catch((error: unknown) => MongoError.is(error) && [error.kind, error.origin?.phase]),
      await resolver.txt('b.a'),
    ]);
    expect(answers).toEqual([[{ host: 'db1', port: 1 }], [['x']], 4, ['network', 'resolve'], []]);
  });
});

test('a stream runs its writes one after another, and none once it is destroyed', async () => {
  const world = createWorld({ turn });
  const seen: unknown[] = [];
  const sink = {
    async write(bytes: Uint8Array) {
      await Promise.resolve();
      seen.push(bytes[0]);
    },
    end: () => Promise.resolve(void seen.push('end')),
  };
  const stream = world.runtime.streams.writable(sink) as SimWritable;
  await Promise.all([stream.write(Uint8Array.of(1)), stream.write(Uint8Array.of(2)), stream.end()]);
  expect(seen).toEqual([1, 2, 'end']);
  stream.destroy();
  await expect(stream.write(Uint8Array.of(3))).rejects.toThrow('The stream was destroyed.');
});
