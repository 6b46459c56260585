import type { Server } from '@tessera/server';
import type { World } from '@tessera/sim';
import type { Record } from '../record.js';
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
  const troubles = new Set<() => void>();
  let isHealed = false;
  let isGone = false;

  const distances = (by: number): void => {
    network.latency({ delay: distance + by, jitter: distance / 2 }, 'client', host);
  };

  const trouble = (begin: () => void, lasting: number, ended: () => void = () => undefined): void => {
    begin();
    troubles.add(begin);
    clock.startTimer(lasting, () => {
      if (isHealed || !troubles.delete(begin)) return;
      network.heal();
      ended();
      for (const again of troubles) again();
    });
  };

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
          return trouble(() => {
            network.partition('client', host);
          }, happening.lasting);
        case 'silence':
          return trouble(() => {
            network.blackhole(host);
          }, happening.lasting);
        case 'refuse':
          return trouble(() => {
            network.refuse(host);
          }, happening.lasting);
        case 'slow':
          return trouble(
            () => {
              distances(happening.by);
            },
            happening.lasting,
            () => {
              distances(0);
            },
          );
        case 'mishaps':
          return trouble(
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
      isHealed = true;
      troubles.clear();
      network.heal();
      network.mishaps({ reset: 0, stall: 0 });
      distances(0);
      await restart();
      await operator.calm();
    },
  };
};
