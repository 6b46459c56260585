import { createWorld, transportSuite } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

for (const readsAhead of [false, true]) {
  describe(`the simulated network fulfils the contract of Transport, readsAhead ${readsAhead}`, () => {
    for (const seed of [1, 2, 3]) {
      const world = createWorld({ turn }, { seed, readsAhead, latency: { delay: 1, jitter: 3 } });
      for (const { name, run } of transportSuite(world.runtime)) test(`seed ${seed}: ${name}`, () => world.run(run));
      test(`seed ${seed}: leaves nothing open`, async () => {
        await world.run(() => world.runtime.clock.sleep(1000));
        expect(world.leftovers()).toEqual([]);
      });
    }
  });
}
