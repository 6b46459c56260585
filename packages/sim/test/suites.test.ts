// A suite must be able to fail: each object breaks one rule of a contract, and the suite must detect it.
import { bson } from '@tessera/bson';
import type { BsonCodec, BsonWriter, Compressor, Socket, Transport } from '@tessera/contracts';
import { Cancellation, MongoError } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import type { ContractCase, PoolSuiteDeps, TopologySuiteDeps, WireSuiteDeps } from '@tessera/sim';
import {
  codecSuite,
  compressorSuite,
  createWorld,
  poolSuite,
  runCases,
  topologySuite,
  transportSuite,
  wireSuite,
} from '@tessera/sim';
import { createSnappy } from '@tessera/snappy';
import { createTopology } from '@tessera/topology';
import { createWire } from '@tessera/wire';
import { describe, expect, test } from 'vitest';
import { expectNotice, turn } from './notice.js';

describe('runCases', () => {
  const broken = new Error('a term is broken');
  const thrown: ContractCase = { name: 'throws', run: () => Promise.reject(broken) };
  const kept: ContractCase = { name: 'kept', run: () => Promise.resolve() };

  test('runs the remaining cases after a case throws', async () => {
    expect(await runCases([thrown, kept], { turn })).toEqual([
      { name: 'throws', failure: broken },
      { name: 'kept', failure: undefined },
    ]);
  });

  test('counts an unhandled rejection as the failure of the case in which it occurred', async () => {
    const listening: ((reason: unknown) => void)[] = [];
    const careless: ContractCase = {
      name: 'careless',
      run: () => {
        // A host reports it after all other tasks.
        setImmediate(() => listening.at(-1)?.(broken));
        return Promise.resolve();
      },
    };
    const watchRejections = (heard: (reason: unknown) => void) => {
      listening.push(heard);
      return () => void listening.pop();
    };
    expect(await runCases([careless, kept], { turn, watchRejections })).toEqual([
      { name: 'careless', failure: broken },
      { name: 'kept', failure: undefined },
    ]);
    expect(listening).toEqual([]);
  });
});

test('poolSuite runs the chosen parts, and all parts by default', () => {
  const given = { createPools, turn };
  const namesOf = (cases: readonly ContractCase[]): readonly string[] => cases.map(({ name }) => name);
  const parts = (['checkingOut', 'clearing', 'opening'] as const).map(part => namesOf(poolSuite(given, [part])));
  expect(parts.every(names => names.length > 5)).toBe(true);
  expect(namesOf(poolSuite(given))).toEqual(parts.flat());
});

describe('poolSuite detects pools that', () => {
  type Door = PoolSuiteDeps['createPools'];
  const suiteOf = (door: Door): readonly ContractCase[] => poolSuite({ createPools: door, turn });

  test('open too many connections at once', () =>
    expectNotice(
      suiteOf((deps, options) => createPools(deps, { ...options, maxConnecting: 100 })),
      'rate-limited',
    ));

  test('have no limit', () =>
    expectNotice(
      suiteOf((deps, options) => createPools(deps, { ...options, maxPoolSize: 0 })),
      'capped',
    ));

  test('do not report failed handshakes', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const openPool = createPools(deps, options);
        return at => openPool(at, () => undefined);
      }),
      'is reported once',
    ));

  test('report them twice', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const openPool = createPools(deps, options);
        return (at, report) =>
          openPool(at, error => {
            report(error);
            report(error);
          });
      }),
      'is reported once',
    ));

  test('do not fail waiting check-outs on a clear', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const openPool = createPools(deps, options);
        return (at, report) => {
          const pool = openPool(at, report);
          return {
            get load() {
              return pool.load;
            },
            checkOut: given => pool.checkOut(given),
            ready: () => pool.ready(),
            clear: () => undefined,
            close: () => pool.close(),
            interrupt: cause => pool.interrupt(cause),
          };
        };
      }),
      'waiting check-outs fail at once with the cause',
    ));

  test('leave connections open when they are closed', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const openPool = createPools(deps, options);
        return (at, report) => {
          const pool = openPool(at, report);
          return Object.assign(Object.create(pool) as typeof pool, {
            checkOut: pool.checkOut.bind(pool),
            ready: pool.ready.bind(pool),
            clear: pool.clear.bind(pool),
            close: () => undefined,
          });
        };
      }),
      'closes idle connections at once',
    ));

  test('do not fail waiting check-outs when they are interrupted', () =>
    expectNotice(
      suiteOf((deps, options) => {
        const openPool = createPools(deps, options);
        return (at, report) => Object.assign(openPool(at, report), { interrupt: () => undefined });
      }),
      'ConnectionPool.interrupt',
    ));
});

describe('transportSuite detects networks that', () => {
  const suiteWith = (change: (socket: Socket) => Socket): readonly ContractCase[] => {
    const world = createWorld({ turn });
    const { transport, listener, clock } = world.runtime;
    const changed: Transport = { connect: async (to, options) => change(await transport.connect(to, options)) };
    return transportSuite({ transport: changed, listener, clock }).map(({ name, run }) => ({
      name,
      run: () => world.run(run),
    }));
  };
  const over = (socket: Socket, changes: Partial<Socket>): Socket => ({
    readsAhead: socket.readsAhead,
    listen: sink => socket.listen(sink),
    write: bytes => socket.write(bytes),
    end: () => socket.end(),
    destroy: () => socket.destroy(),
    ...changes,
  });

  test('lose a byte', () =>
    expectNotice(
      suiteWith(socket => over(socket, { write: bytes => socket.write(bytes.subarray(1)) })),
      'all bytes arrive in order',
    ));

  test('end without sending what was written', () =>
    expectNotice(
      suiteWith(socket => over(socket, { end: () => socket.destroy() })),
      'Socket.end',
    ));

  test('report a wrong readsAhead', () => {
    const world = createWorld({ turn }, { readsAhead: true });
    const { transport, listener, clock } = world.runtime;
    const lying: Transport = {
      connect: async (to, options) => over(await transport.connect(to, options), { readsAhead: false }),
    };
    const cases = transportSuite({ transport: lying, listener, clock });
    return expectNotice(
      cases.map(({ name, run }) => ({ name, run: () => world.run(run) })),
      'Socket.readsAhead',
    );
  });
});

describe('topologySuite detects deployments that', () => {
  type Door = TopologySuiteDeps['createDeployment'];
  const suiteOf = (change: (made: ReturnType<Door>) => Partial<ReturnType<Door>>): readonly ContractCase[] =>
    topologySuite({
      createDeployment: (deps, seeds) => {
        const made = createTopology(deps, { seeds });
        return {
          get description() {
            return made.description;
          },
          select: (request, at) => made.select(request, at),
          report: error => made.report(error),
          close: () => made.close(),
          interrupt: () => made.interrupt(),
          closing: made.closing,
          ...change(made),
        };
      },
      turn,
    });

  test('handle errors a turn later', () =>
    expectNotice(
      suiteOf(made => ({ report: error => void Promise.resolve().then(() => made.report(error)) })),
      'clears its pool once, in the same turn',
    ));

  test('throw when an error is reported', () =>
    expectNotice(
      suiteOf(() => ({
        report: () => {
          throw new Error('no');
        },
      })),
      'never throws',
    ));

  test('ignore the address', () =>
    expectNotice(
      suiteOf(made => ({ select: request => made.select(request) })),
      'selects that server of any type',
    ));

  test('do not interrupt their pools', () =>
    expectNotice(
      suiteOf(() => ({ interrupt: () => undefined })),
      'Deployment.interrupt: interrupts its pools',
    ));

  test('have a closing that never aborts', () =>
    expectNotice(
      suiteOf(() => ({ closing: new Cancellation() })),
      'Deployment.close: closing aborts',
    ));

  test('do not close', () =>
    expectNotice(
      suiteOf(() => ({ close: () => Promise.resolve() })),
      'no request gets a connection',
    ));
});

describe('wireSuite detects codecs that', () => {
  type Door = WireSuiteDeps['createWire'];
  const suiteOf = (createThis: Door): readonly ContractCase[] => wireSuite({ createWire: createThis, bson });

  test('know no compressors', () =>
    expectNotice(
      suiteOf(deps => createWire({ ...deps, compressors: [] })),
      'OP_COMPRESSED',
    ));

  test('lose moreToCome', () =>
    expectNotice(
      suiteOf(deps => {
        const wire = createWire(deps);
        return {
          ...wire,
          reader: options =>
            wire.reader({ ...options, take: (to, reply, _, id) => options.take(to, reply, false, id) }),
        };
      }),
      'moreToCome On Responses',
    ));

  test('deliver a reply after its memory is reused', () =>
    expectNotice(
      suiteOf(deps => {
        const wire = createWire(deps);
        return {
          ...wire,
          reader: options =>
            wire.reader({
              ...options,
              take: (to, reply, more, id) => {
                const late = Promise.resolve().then(() => options.take(to, reply, more, id));
                late.catch(() => undefined);
              },
            }),
        };
      }),
      'delivers complete replies in order',
    ));
});

describe('codecSuite detects codecs that', () => {
  test('write into messages that were taken', () => {
    const room = new Uint8Array(100_000);
    const sharing: BsonCodec = {
      ...bson,
      writer: (): BsonWriter => {
        const writer = bson.writer();
        const take = (): Uint8Array => {
          const bytes = writer.take();
          room.set(bytes);
          return room.subarray(0, bytes.length);
        };
        return new Proxy(writer, {
          get: (target, key) => {
            if (key === 'take') return take;
            const member: unknown = Reflect.get(target, key, target);
            return typeof member === 'function' ? (member.bind(target) as unknown) : member;
          },
        });
      },
    };
    return expectNotice(codecSuite(sharing), 'not overwritten before');
  });

  test('fail with errors of their own', () => {
    const raw: BsonCodec = {
      ...bson,
      read: (...given) => {
        const reply = bson.read(...given);
        return new Proxy(reply, {
          get: (target, key) => {
            const member: unknown = Reflect.get(target, key, target);
            if (typeof member !== 'function') return member;
            return (...args: readonly unknown[]): unknown => {
              try {
                return Reflect.apply(member, target, args);
              } catch (error) {
                throw MongoError.is(error) ? new Error(error.message) : error;
              }
            };
          },
        });
      },
    };
    return expectNotice(codecSuite(raw), 'invalid BSON fails as protocol');
  });
});

describe('compressorSuite detects compressors that', () => {
  const snappy = createSnappy();
  const without = (changes: Partial<Compressor>): readonly ContractCase[] => compressorSuite({ ...snappy, ...changes });
  const flipped = (bytes: Uint8Array): Uint8Array => bytes.map(byte => byte ^ 0xff);
  const flipping: Compressor = { id: 100, name: 'flipping', compress: flipped, decompress: flipped };
  const refuse = (): never => {
    throw new MongoError('protocol', 'another size');
  };

  test('have the name of another', () => expectNotice(without({ id: 2 }), 'Compressor.id'));

  test('lose the last byte', () =>
    expectNotice(without({ compress: bytes => snappy.compress(bytes.subarray(0, -1)) }), 'returns the original bytes'));

  test('ignore the given size', () => expectNotice(compressorSuite(flipping), 'exactly the given size'));

  test('truncate content that is longer than the given size', () =>
    expectNotice(
      compressorSuite({
        ...flipping,
        decompress: (bytes, size) => (bytes.length < size ? refuse() : flipped(bytes.subarray(0, size))),
      }),
      'exactly the given size',
    ));

  test('ignore bytes after the end', () =>
    expectNotice(
      without({
        decompress: async (bytes, size) => {
          try {
            return await snappy.decompress(bytes, size);
          } catch {
            return snappy.decompress(bytes.subarray(0, -1), size);
          }
        },
      }),
      'followed by more',
    ));

  test('fail with errors of their own', () =>
    expectNotice(
      without({
        decompress: async (bytes, size) => {
          try {
            return await snappy.decompress(bytes, size);
          } catch (cause) {
            throw new Error('no', { cause });
          }
        },
      }),
      'truncated',
    ));

  test('return the memory of their input', () => {
    const kept = (bytes: Uint8Array): Uint8Array => bytes;
    const decompress: Compressor['decompress'] = (bytes, size) => (bytes.length === size ? bytes : refuse());
    return expectNotice(
      compressorSuite({ id: 100, name: 'kept', compress: kept, decompress }),
      'does not change its input and does not retain it',
    );
  });

  test('write all messages into the same memory', () => {
    const room = new Uint8Array(300_000);
    const compress = async (content: Uint8Array): Promise<Uint8Array> => {
      const bytes = await snappy.compress(content);
      room.set(bytes);
      return room.subarray(0, bytes.length);
    };
    return expectNotice(without({ compress }), 'do not share memory');
  });
});
