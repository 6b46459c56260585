import type { World } from '@tessera/sim';
import type { Cluster } from './model/cluster.js';
import type { Happening, Plan } from './plan.js';
import { hostOf } from './sockets.js';
import { createTroubles } from './troubles.js';

/** What the network suffers from; each trouble ends by itself, while the others stay. */
export interface Faults {
  happen(happening: Exclude<Happening, { what: 'operate' | 'closeClient' }>): void;
  /** All end now. */
  heal(): void;
}

export const createFaults = (world: World, cluster: Cluster, plan: Plan): Faults => {
  const { network } = world;
  const { clock } = world.runtime;

  const distances = (): void => {
    for (const { address, distance } of plan.members)
      network.latency({ delay: distance, jitter: distance / 2 }, 'client', hostOf(address));
  };

  const troubles = createTroubles(clock, () => {
    network.heal();
  });

  distances();
  return {
    happen: happening => {
      switch (happening.what) {
        case 'elect':
          return cluster.elect(happening.member, happening.unnoticedFor);
        case 'stepDown':
          return cluster.stepDown();
        case 'restart':
          return cluster.restart(happening.member, happening.notice, happening.lasting);
        case 'recover':
          return cluster.recover(happening.member, happening.lasting);
        case 'remove':
          return cluster.remove(happening.member);
        case 'add':
          return cluster.add(happening.member);
        case 'lag':
          return cluster.lag(happening.member, happening.by);
        case 'hangUp':
          cluster.members.get(happening.member)!.hangUpNext = true;
          return;
        case 'slow': {
          const member = cluster.members.get(happening.member)!;
          member.slow = happening.by;
          clock.startTimer(happening.lasting, () => {
            member.slow = 0;
          });
          return;
        }
        case 'reset':
          network.reset(hostOf(happening.member));
          return;
        case 'partition': {
          const host = hostOf(happening.member);
          return troubles.begin(() => {
            network.partition('client', host);
          }, happening.lasting);
        }
        case 'refuse': {
          const host = hostOf(happening.member);
          return troubles.begin(() => {
            network.refuse(host);
          }, happening.lasting);
        }
        case 'silence': {
          const host = hostOf(happening.member);
          const begin = (): void => {
            network.blackhole(host);
          };
          // What fell silent stays so; hosts notice it by keepalive in the end.
          return troubles.begin(begin, happening.lasting, () => network.reset(host));
        }
        case 'mishaps':
          network.mishaps({ reset: happening.reset, stall: happening.stall, stallFor: 300 });
          clock.startTimer(happening.lasting, () => {
            network.mishaps({ reset: 0, stall: 0 });
          });
          return;
        case 'wallClock':
          world.shiftWallTime(happening.by);
          return;
      }
    },
    heal: () => {
      troubles.end();
      network.mishaps({ reset: 0, stall: 0 });
      for (const event of plan.events) if (event.what === 'silence') network.reset(hostOf(event.member));
      cluster.heal();
    },
  };
};
