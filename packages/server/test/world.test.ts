import { MongoClient } from '@tessera/client';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

// The same seed must give the same history in each run.
test('in a simulated world, a driver finds, reads and writes the server, and no timers or sockets remain', async () => {
  const histories: unknown[] = [];
  for (let i = 0; i < 2; i++) {
    const world = createWorld({ turn }, { seed: 7, latency: { delay: 20, jitter: 10 } });
    await world.run(async () => {
      const server = createServer(world.at('db1'));
      await server.listen('db1:27017');
      const client = new MongoClient('mongodb://db1:27017', {}, { runtime: world.runtime });
      const films = client.db('shop').collection('films');
      await films.insertMany(Array.from({ length: 300 }, (_, n) => ({ _id: n, n })) as never);
      const found = await films.find({ n: { $gte: 100 } }, { batchSize: 50 }).toArray();
      expect(found).toHaveLength(200);
      expect(await films.countDocuments({})).toBe(300);
      await client.close();
      await server.close();
      await world.runtime.clock.sleep(1000);
    });
    expect(world.leftovers()).toEqual([]);
    histories.push(world.history);
  }
  expect(histories[0]).toEqual(histories[1]);
});
