import { expect, test } from 'vitest';
import { MongoClient } from '@tessera/client';
import type { Collection, OperationOptions } from '@tessera/client';
import type { Signal } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import type { Film } from './with-server.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** A caller's signal that counts its listeners. */
class Watched implements Signal {
  readonly listening = new Set<() => void>();
  aborted = false;
  reason: unknown;

  addEventListener(_: 'abort', listener: () => void): void {
    this.listening.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listening.delete(listener);
  }

  abort(): void {
    this.aborted = true;
    this.reason = 'enough';
    for (const listener of [...this.listening]) listener();
  }
}

type Work = (films: Collection<Film>, n: number, options: OperationOptions) => Promise<unknown>;

const works: readonly Work[] = [
  (films, n, options) => films.insertOne({ _id: n }, options),
  (films, n, options) => films.insertMany([{ _id: n }, { _id: n + 0.5 }], options),
  (films, n, options) => films.updateOne({ _id: n }, { $set: { year: n } }, options),
  (films, _, options) => films.findOne({}, options),
  (films, _, options) => films.find({}, { ...options, batchSize: 2 }).toArray(),
  (films, _, options) => films.find({}, { ...options, batchSize: 2, limit: 3 }).toArray(),
  async (films, n, options) => {
    for await (const { _id } of films.find({}, { ...options, batchSize: 1 })) if (_id >= n) break;
  },
  (films, _, options) => films.countDocuments({}, options),
  (films, n, options) => films.insertOne({ _id: n, loop: (BigInt(2) ** 70n) as never }, options),
  (films, n, options) =>
    films.bulkWrite([{ insertOne: { document: { _id: -n } } }, { deleteMany: { filter: { _id: n } } }], options),
];

/** Runs many concurrent operations on a network with many faults, then closes the client during them. */
const live = async (world: World): Promise<void> => {
  const { chance } = world;
  const { clock } = world.runtime;
  const server = createServer(world.at('db1'));
  const listening = await server.listen('db1:27017');
  const client = new MongoClient(
    'mongodb://db1/shop',
    { maxPoolSize: 3, connectTimeoutMS: 2_000, serverSelectionTimeoutMS: 3_000, heartbeatFrequencyMS: 1_000 },
    { runtime: world.runtime },
  );
  const films = client.db().collection<Film>('films');
  const signals: Watched[] = [];
  const running: Promise<unknown>[] = [];
  for (let n = 1; n <= 60; n++) {
    const signal = new Watched();
    signals.push(signal);
    const options: OperationOptions = {
      ...(chance.happens(0.5) ? { signal } : {}),
      ...(chance.happens(0.3) ? { timeoutMS: 1 + chance.below(200) } : {}),
    };
    running.push(works[chance.below(works.length)]!(films, n, options).catch(() => undefined));
    if (chance.happens(0.5)) void clock.sleep(chance.below(50)).then(() => signal.abort());
    if (chance.happens(0.3)) await clock.sleep(chance.below(30));
  }
  await clock.sleep(chance.below(500));
  await client.close();
  // Every operation must end: the world fails if nothing is left to happen.
  await Promise.all(running);
  expect(signals.filter(({ listening: left }) => left.size > 0)).toEqual([]);
  await listening.close();
  await server.close();
  await clock.sleep(2_000);
};

test('every operation ends despite network faults, and leaves nothing behind', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const mishaps = { reset: 0.02, silence: 0.01, refuse: 0.05, stall: 0.05, stallFor: 300 };
    const world = createWorld({ turn }, { seed, latency: { delay: 2, jitter: 3 }, mishaps });
    await world
      .run(() => live(world))
      .catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    expect(world.leftovers(), `seed ${seed}`).toEqual([]);
  }
}, 60_000);
