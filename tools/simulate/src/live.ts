import type { Clock } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import type { World, WorldOptions } from '@tessera/sim';
import type { Record } from './record.js';

const turn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve);
  });

export interface Life {
  readonly world: World;
  readonly record: Record;
  /** Never rejects: what stops the program, or is handled by nobody, is on the record. */
  readonly run: (program: () => Promise<void>) => Promise<void>;
}

/** A world for one history, and its record. */
export const liveThrough = (options: WorldOptions, makeRecord: (clock: Clock) => Record): Life => {
  const world = createWorld({ turn }, { steps: 400_000, horizon: 600_000, historyLimit: 100_000, ...options });
  const record = makeRecord(world.runtime.clock);
  const unhandled = (reason: unknown): void => {
    record.add({ is: 'unhandled', reason });
  };
  return {
    world,
    record,
    run: async program => {
      process.on('unhandledRejection', unhandled);
      try {
        await world.run(program);
        await turn();
      } catch (error) {
        record.add({ is: 'thrown', error });
      } finally {
        process.off('unhandledRejection', unhandled);
      }
    },
  };
};
