import type { Server } from '@tessera/server';
import type { World } from '@tessera/sim';
import { createFaults, createWays, noMishaps } from '../kernel/faults.js';
import type { Faults } from '../kernel/faults.js';
import type { Record } from '../kernel/record.js';
import type { Operator } from './operator.js';
import type { ClientFault, ClientPlan } from './plan.js';

const host = 'db1';

export const createClientFaults = (
  world: World,
  server: Server,
  operator: Operator,
  { server: { distance } }: ClientPlan,
  record: Record,
): Faults => {
  const ways = createWays(world);
  const { troubles } = ways;
  let isGone = false;
  const slow = (by: number): void => ways.distance(host, distance + by, distance / 2);

  const restart = async (): Promise<void> => {
    if (!isGone) return;
    isGone = false;
    await server.restart();
  };

  slow(0);
  return createFaults<ClientFault>(
    {
      fail: ({ times, data }) => {
        if (!isGone) operator.fail(times, data);
      },
      crash: ({ lasting }) => {
        if (isGone) return;
        isGone = true;
        record.add({ is: 'crashed' });
        server.crash();
        world.runtime.clock.startTimer(lasting, () => void restart());
      },
      reset: () => ways.reset(host),
      partition: fault => ways.partition(host, fault),
      silence: fault => ways.silence(host, fault),
      refuse: fault => ways.refuse(host, fault),
      slow: ({ by, lasting }) =>
        troubles.begin(
          () => slow(by),
          lasting,
          () => slow(0),
        ),
      mishaps: fault =>
        troubles.begin(
          () => ways.mishaps(fault),
          fault.lasting,
          () => ways.mishaps(noMishaps),
        ),
    },
    async () => {
      troubles.end();
      ways.mishaps(noMishaps);
      slow(0);
      await restart();
      await operator.calm();
    },
  );
};
