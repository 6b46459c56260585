/** The whole driver and the embedded server in one simulated world. */
import type { World, WorldOptions } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import { createServer } from '@tessera/server';
import { MongoClient } from '@tessera/client';
import type { Collection, MongoClientOptions } from '@tessera/client';
import type { Document, DriverEvent, EventName } from '@tessera/contracts';
import { expect } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export interface Setup {
  readonly world: World;
  readonly client: MongoClient;
  readonly films: Collection<Film>;
  readonly events: DriverEvent[];
  /** Returns the names of the recorded events, limited to the given names. */
  emitted(...names: readonly EventName[]): readonly EventName[];
}

export interface Film extends Document {
  _id: number;
  title?: string;
  year?: number;
}

const watched: readonly EventName[] = [
  'commandStarted',
  'commandSucceeded',
  'commandFailed',
  'connectionCreated',
  'connectionClosed',
  'connectionPoolCleared',
];

/** Runs a test in its own world. Nothing may stay open afterwards. */
export const withServer = async (
  test: (setup: Setup) => Promise<void>,
  options: MongoClientOptions = {},
  worldOptions: WorldOptions = {},
): Promise<World> => {
  const world = createWorld({ turn }, worldOptions);
  await world.run(async () => {
    const server = createServer(world.at('db1'));
    const listening = await server.listen('db1:27017');
    const client = new MongoClient('mongodb://db1/shop', options, { runtime: world.runtime });
    const events: DriverEvent[] = [];
    const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => MongoClient;
    for (const name of watched) listen(name, event => events.push(event));
    const emitted = (...names: readonly EventName[]): readonly EventName[] =>
      events.map(({ name }) => name).filter(name => names.includes(name));
    try {
      await test({ world, client, films: client.db().collection<Film>('films'), events, emitted });
    } finally {
      await client.close();
      await listening.close();
      await server.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
  return world;
};
