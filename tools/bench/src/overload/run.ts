import { MongoClient } from '@tessera/client';
import type { Collection } from '@tessera/client';
import type { Clock } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { Chance } from '@tessera/sim';
import type { Parameters } from './parameters.js';
import type { Policy } from './policies.js';

/** The counts of one second of the run. */
export interface Second {
  /** Operations that users started. */
  began: number;
  /** The latencies of successful operations in milliseconds. */
  readonly latencies: number[];
  /** Operations that failed. */
  failed: number;
  /** Commands sent, including the first of each operation. */
  commands: number;
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const rateAt = (second: number, { normalRate, overloadRate, overloadFrom, overloadTo }: Parameters): number =>
  second >= overloadFrom && second < overloadTo ? overloadRate : normalRate;

/** Returns the milliseconds until the next operation. Operations arrive at random with the given rate per second. */
const untilNext = (rate: number, chance: Chance): number => (-Math.log(1 - chance.unit()) / rate) * 1000;

const tryOften = async (collection: Collection, id: number, tries: number): Promise<void> => {
  for (let left = tries - 1; ; left -= 1) {
    try {
      await collection.findOne({ _id: id as never });
      return;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
};

const documents = 100;

/** Runs the simulation with a policy. Users start operations independently of earlier ones. */
export const runPolicy = (policy: Policy, parameters: Parameters): Promise<readonly Second[]> => {
  const { seed, clients, seconds, serviceTime, refusalTime, queue, latency } = parameters;
  const world = createWorld(
    { turn },
    { seed, latency: { delay: latency }, splitWrites: false, historyLimit: 1000, steps: 1_000_000_000 },
  );
  const all: Second[] = Array.from({ length: seconds + 1 }, () => ({
    began: 0,
    latencies: [],
    failed: 0,
    commands: 0,
  }));
  return world.run(async () => {
    const server = createServer(world.at('db'), { replicaSet: 'rs', capacity: { serviceTime, refusalTime, queue } });
    const listening = await server.listen('db:27017');
    const { clock } = world.runtime;
    let start = Infinity;
    const now = (clock: Clock): Second =>
      all[Math.min(seconds, Math.max(0, Math.floor((clock.now() - start) / 1000)))]!;
    const opened = await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = new MongoClient(
          'mongodb://db:27017/?replicaSet=rs',
          { monitorCommands: true },
          { runtime: world.runtime, parts: { retryPolicy: policy.make } },
        );
        client.on('commandStarted', () => {
          now(clock).commands += 1;
        });
        return client.connect();
      }),
    );
    const things = opened.map(client => client.db('shop').collection('things'));
    await things[0]!.insertMany(Array.from({ length: documents }, (_, index) => ({ _id: index as never })));
    start = clock.now();
    all.forEach(second => (second.commands = 0));
    const tries = policy.tries(parameters);
    const underWay = new Set<Promise<void>>();
    const begin = (): void => {
      const began = clock.now();
      const { chance } = world;
      now(clock).began += 1;
      const collection = things[Math.floor(chance.unit() * clients)]!;
      const operation = tryOften(collection, Math.floor(chance.unit() * documents), tries).then(
        () => void now(clock).latencies.push(clock.now() - began),
        () => void (now(clock).failed += 1),
      );
      underWay.add(operation);
      void operation.finally(() => underWay.delete(operation));
    };
    for (let second = 0; second < seconds; second = (clock.now() - start) / 1000) {
      await clock.sleep(untilNext(rateAt(second, parameters), world.chance));
      if (clock.now() - start < seconds * 1000) begin();
    }
    const measured = all.slice(0, seconds).map(second => ({ ...second, latencies: [...second.latencies] }));
    await Promise.all(underWay);
    await Promise.all(opened.map(client => client.close()));
    await listening.close();
    await server.close();
    return measured;
  });
};
