import { createAttempt } from '@tessera/attempt';
import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import { MongoError, stack } from '@tessera/contracts';
import type { Connect, Dispatch, DriverEvent } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRetry, createRetryPolicy } from '@tessera/retry';
import { createSessions } from '@tessera/session';
import type { World } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { describe, expect, test } from 'vitest';
import { createTopology } from '../src/index.js';
import type { Topology } from '../src/index.js';
import { openReplicaSet } from './replica-set.js';
import type { ReplicaSet } from './replica-set.js';
import { listen, operation, request, world } from './scripted.js';

const members = ['a:27017', 'b:27017', 'c:27017'];

interface Client {
  readonly dispatch: Dispatch;
  readonly topology: Topology;
  readonly emitted: readonly DriverEvent[];
}

/** Opens a client of the real connections, pool, codec and layers. Only the network is simulated. */
const openClient = (inner: World): Client => {
  const { runtime } = inner;
  const events = listen();
  const wire = createWire({ bson, compressors: [] });
  const unlimited = createConnect({ ...runtime, bson, wire, events });
  const connectTimeoutMS = 2000;
  const connect: Connect = (to, options) =>
    unlimited(to, { ...options, deadline: Math.min(options.deadline, runtime.clock.now() + connectTimeoutMS) });
  const openPool = createPools({ ...runtime, events, connect }, { maxPoolSize: 5 });
  const topology = createTopology(
    { ...runtime, events, connect, openPool },
    { seeds: ['b:27017'], replicaSet: 'rs', connectTimeoutMS, serverSelectionTimeoutMS: 20_000 },
  );
  const layers = [
    createSessions({ bson, ...runtime }).layer,
    createRetry({ ...runtime, deployment: topology, policy: createRetryPolicy() }),
  ];
  return { topology, emitted: events.emitted, dispatch: stack(layers, createAttempt({ deployment: topology })) };
};

const insert = (id: number) =>
  operation({
    name: 'insert',
    kind: 'write',
    body: writer => {
      writer.value('insert', 'things');
      writer.value('document', id);
    },
    read: reply => reply.int('n'),
  });

const find = operation({
  name: 'find',
  selection: { mode: 'nearest' },
  body: writer => {
    writer.value('find', 'things');
  },
  read: reply => reply.int('n'),
});

/** Causes random faults of all kinds, one every few hundred milliseconds. */
const trouble = async ({ network, chance, runtime }: World, set: ReplicaSet, rounds: number): Promise<void> => {
  const someone = (): string => set.members[chance.below(set.members.length)] ?? '';
  for (let round = 0; round < rounds; round++) {
    await runtime.clock.sleep(100 + chance.below(900));
    network.heal();
    switch (chance.below(5)) {
      case 0:
        set.stepDown(someone(), chance.below(1500));
        break;
      case 1:
        network.reset(someone());
        break;
      case 2:
        network.refuse(someone());
        break;
      case 3:
        network.partition('client', someone());
        break;
      default:
        network.reset('*');
    }
  }
  network.heal();
};

const run = async (seed: number, program: (inner: World, set: ReplicaSet, client: Client) => Promise<void>) => {
  const inner = world({ seed, latency: { delay: 1, jitter: 3 } });
  await inner.run(async () => {
    const set = await openReplicaSet(inner, members);
    const client = openClient(inner);
    await program(inner, set, client);
    await client.topology.close();
    await set.close();
    await inner.runtime.clock.sleep(10);
  });
  expect(inner.leftovers(), `seed ${seed}`).toEqual([]);
};

describe("the driver's parts in a simulated network", () => {
  test('one seed leads to the whole set; writes reach the primary, reads any member', () =>
    run(1, async (_, set, { dispatch, topology }) => {
      expect(await dispatch(request(insert(1)))).toBe(1);
      expect(await dispatch(request(find))).toBe(1);
      expect(set.inserted).toEqual([1]);
      expect([...topology.description.servers.keys()].sort()).toEqual(members);
      expect(topology.description.type).toBe('ReplicaSetWithPrimary');
    }));

  test('no write is lost when the primary steps down during writes', () =>
    run(2, async ({ runtime: { clock } }, set, { dispatch }) => {
      for (let id = 0; id < 20; id++) {
        if (id === 10) set.stepDown('c:27017', 300);
        expect(await dispatch(request(insert(id)))).toBe(1);
      }
      expect(set.inserted).toEqual([...Array(20).keys()]);
      expect(clock.now()).toBeLessThan(5000);
    }));

  for (let seed = 1; seed <= 8; seed++)
    test(`under random faults, executes an acknowledged write once and a failed write at most once, and leaves nothing open (seed ${seed})`, () =>
      run(seed, async (inner, set, { dispatch, emitted }) => {
        const acknowledged = new Set<number>();
        const failed = new Set<number>();
        const work = async (worker: number): Promise<void> => {
          for (let n = 0; n < 15; n++) {
            const id = worker * 1000 + n;
            await dispatch(request(insert(id))).then(() => acknowledged.add(id), fails(failed, id));
            await dispatch(request(find)).catch(fails(new Set(), id));
            await inner.runtime.clock.sleep(inner.chance.below(300));
          }
        };
        await Promise.all([trouble(inner, set, 8), ...[1, 2, 3, 4, 5].map(work)]);

        const times = new Map<number, number>();
        for (const id of set.inserted) times.set(id, (times.get(id) ?? 0) + 1);
        expect([...acknowledged].filter(id => times.get(id) !== 1)).toEqual([]);
        expect([...failed].filter(id => (times.get(id) ?? 0) > 1)).toEqual([]);
        expect(acknowledged.size + failed.size).toBe(75);
        // Retries hid some of the faults from the callers.
        const felt = emitted.filter(({ name }) => name === 'commandFailed' || name === 'connectionCheckOutFailed');
        expect(felt.length).toBeGreaterThanOrEqual(failed.size);
        expect(acknowledged.size).toBeGreaterThan(30);
      }));
});

/** Accepts only a MongoError. */
const fails =
  (failed: Set<number>, id: number) =>
  (error: unknown): void => {
    if (!MongoError.is(error)) throw error;
    failed.add(id);
  };
