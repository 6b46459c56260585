import type { Millis } from '@tessera/contracts';
import type { Cluster } from '@tessera/cluster';
import type { World } from '@tessera/sim';
import { createFaults, createTroubles, createWays, noMishaps } from '../kernel/faults.js';
import type { Faults } from '../kernel/faults.js';
import type { ClusterFault, ClusterPlan } from './plan.js';

export const hostAt = (member: number): string => `db${member + 1}`;

export const createClusterFaults = (world: World, cluster: Cluster, { server }: ClusterPlan): Faults => {
  const { clock } = world.runtime;
  const places = Array.from({ length: server.members }, (_, place) => place);
  const gone = new Set<number>();
  const attempts = new Set<Promise<void>>();
  const leaving = new Map<number, Promise<void>>();

  const ways = createWays(world, () => ways.mishaps(noMishaps));
  const members = createTroubles(clock, () => {
    cluster.heal();
    for (const place of places) cluster.lag(place, 0);
  });
  const distances = (): void => {
    for (const place of places) ways.distance(hostAt(place), server.distance, server.distance / 2);
  };

  /** Runs a change of the set. Ignores a failure, because the set cannot always do it. */
  const attempt = (change: Promise<void>): void => {
    const ended = change.catch(() => undefined).finally(() => attempts.delete(ended));
    attempts.add(ended);
  };

  const restart = async (member: number): Promise<void> => {
    // A member that is still shutting down is restarted after its shutdown.
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
  return createFaults<ClusterFault>(
    {
      stepDown: () => attempt(cluster.stepDown()),
      elect: ({ member }) => attempt(cluster.elect(member)),
      crash: ({ member = placeOfPrimary(), lasting }) => leave(member, lasting, () => cluster.crash(member)),
      shutDown: ({ member, quiesce, lasting }) =>
        leave(member, quiesce + lasting, () => leaving.set(member, cluster.shutDown(member, quiesce))),
      part: ({ others, lasting }) => {
        const first = placeOfPrimary();
        const all = places.map(place => (first + place) % server.members);
        members.begin(() => cluster.partition(all.slice(0, 1 + others), all.slice(1 + others)), lasting);
      },
      lag: ({ member, by, lasting }) => members.begin(() => cluster.lag(member, by), lasting),
      freeze: ({ member, lasting }) => members.begin(() => cluster.freeze(member), lasting),
      reset: ({ member }) => ways.reset(hostAt(member)),
      cutOff: fault => ways.partition(hostAt(fault.member), fault),
      mishaps: fault => ways.troubles.begin(() => ways.mishaps(fault), fault.lasting),
    },
    async () => {
      ways.troubles.end();
      members.end();
      distances();
      for (const member of [...gone]) await restart(member);
      await Promise.all(attempts);
    },
  );
};
