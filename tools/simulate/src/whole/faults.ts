import type { Server } from '@tessera/server';
import type { World } from '@tessera/sim';
import type { Record } from '../record.js';
import { createTroubles } from '../troubles.js';
import type { Operator } from './operator.js';
import type { WholeHappening, WholePlan } from './plan.js';

/** What the server and the way to it suffer from; each trouble ends by itself, while the others stay. */
export interface Faults {
  happen(happening: Exclude<WholeHappening, { what: 'call' | 'converse' | 'closeClient' }>): void;
  /** All end now. */
  heal(): Promise<void>;
}

const host = 'db1';

export const createFaults = (
  world: World,
  server: Server,
  operator: Operator,
  plan: WholePlan,
  record: Record,
): Faults => {
  const { network } = world;
  const { clock } = world.runtime;
  const { distance } = plan.server;
  let isGone = false;

  const distances = (by: number): void => {
    network.latency({ delay: distance + by, jitter: distance / 2 }, 'client', host);
  };

  const troubles = createTroubles(clock, () => {
    network.heal();
  });

  const restart = async (): Promise<void> => {
    if (!isGone) return;
    isGone = false;
    await server.restart();
  };

  const crash = (lasting: number): void => {
    if (isGone) return;
    isGone = true;
    record.add({ is: 'crashed' });
    server.crash();
    clock.startTimer(lasting, () => void restart());
  };

  distances(0);
  return {
    happen: happening => {
      switch (happening.what) {
        case 'fail':
          if (!isGone) operator.fail(happening);
          return;
        case 'crash':
          return crash(happening.lasting);
        case 'reset':
          network.reset(host);
          return;
        case 'partition':
          return troubles.begin(() => {
            network.partition('client', host);
          }, happening.lasting);
        case 'silence':
          return troubles.begin(() => {
            network.blackhole(host);
          }, happening.lasting);
        case 'refuse':
          return troubles.begin(() => {
            network.refuse(host);
          }, happening.lasting);
        case 'slow':
          return troubles.begin(
            () => {
              distances(happening.by);
            },
            happening.lasting,
            () => {
              distances(0);
            },
          );
        case 'mishaps':
          return troubles.begin(
            () => {
              network.mishaps({ reset: happening.reset, stall: happening.stall, stallFor: 300 });
            },
            happening.lasting,
            () => {
              network.mishaps({ reset: 0, stall: 0 });
            },
          );
      }
    },
    heal: async () => {
      troubles.end();
      network.mishaps({ reset: 0, stall: 0 });
      distances(0);
      await restart();
      await operator.calm();
    },
  };
};
