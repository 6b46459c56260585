import type { Millis } from '@tessera/contracts';
import type { Cluster } from '@tessera/cluster';
import type { World } from '@tessera/sim';
import { createTroubles } from '../troubles.js';
import type { ClusterHappening, ClusterPlan } from './plan.js';

/** What the members and the ways between them suffer from. */
export interface ClusterFaults {
  happen(happening: Exclude<ClusterHappening, { what: 'call' | 'converse' }>): void;
  /** All end now. */
  heal(): Promise<void>;
}

export const hostAt = (member: number): string => `db${member + 1}`;

export const createClusterFaults = (world: World, cluster: Cluster, { server }: ClusterPlan): ClusterFaults => {
  const { network } = world;
  const { clock } = world.runtime;
  const gone = new Set<number>();
  const attempts = new Set<Promise<void>>();
  const leaving = new Map<number, Promise<void>>();

  const distances = (): void => {
    for (let member = 0; member < server.members; member += 1)
      network.latency({ delay: server.distance, jitter: server.distance / 2 }, 'client', hostAt(member));
  };
  const ways = createTroubles(clock, () => {
    network.heal();
    network.mishaps({ reset: 0, stall: 0 });
  });
  const members = createTroubles(clock, () => {
    cluster.heal();
    for (let member = 0; member < server.members; member += 1) cluster.lag(member, 0);
  });

  /** What is asked of a set cannot always be: then nothing happens. */
  const attempt = (asked: Promise<void>): void => {
    const ended = asked
      .catch(() => undefined)
      .finally(() => {
        attempts.delete(ended);
      });
    attempts.add(ended);
  };

  const restart = async (member: number): Promise<void> => {
    // Who is still on its way out is called back when it is gone.
    if (!gone.delete(member)) return;
    await leaving.get(member);
    await cluster.restart(member);
  };

  const leave = (member: number, lasting: Millis, go: () => void): void => {
    if (gone.has(member)) return;
    gone.add(member);
    go();
    clock.startTimer(lasting, () => void restart(member));
  };

  const placeOfPrimary = (): number =>
    Math.max(
      0,
      cluster.members.findIndex(member => member === cluster.primary),
    );

  distances();
  cluster.latency(server.latency);
  return {
    happen: happening => {
      switch (happening.what) {
        case 'stepDown':
          return attempt(cluster.stepDown());
        case 'elect':
          return attempt(cluster.elect(happening.member));
        case 'crash': {
          const member = happening.member ?? placeOfPrimary();
          return leave(member, happening.lasting, () => {
            cluster.crash(member);
          });
        }
        case 'shutDown': {
          const { member, quiesce, lasting } = happening;
          return leave(member, quiesce + lasting, () => {
            leaving.set(member, cluster.shutDown(member, quiesce));
          });
        }
        case 'part': {
          const first = placeOfPrimary();
          const all = Array.from({ length: server.members }, (_, index) => (first + index) % server.members);
          const few = all.slice(0, 1 + happening.others);
          return members.begin(() => {
            cluster.partition(few, all.slice(few.length));
          }, happening.lasting);
        }
        case 'lag':
          return members.begin(() => {
            cluster.lag(happening.member, happening.by);
          }, happening.lasting);
        case 'freeze':
          return members.begin(() => {
            cluster.freeze(happening.member);
          }, happening.lasting);
        case 'reset':
          network.reset(hostAt(happening.member));
          return;
        case 'cutOff':
          return ways.begin(() => {
            network.partition('client', hostAt(happening.member));
          }, happening.lasting);
        case 'mishaps':
          return ways.begin(() => {
            network.mishaps({ reset: happening.reset, stall: happening.stall, stallFor: 300 });
          }, happening.lasting);
      }
    },
    heal: async () => {
      ways.end();
      members.end();
      distances();
      for (const member of [...gone]) await restart(member);
      await Promise.all(attempts);
    },
  };
};
