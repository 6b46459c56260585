import type { World } from '@tessera/sim';
import { createFaults, createWays, noMishaps } from '../kernel/faults.js';
import type { Faults } from '../kernel/faults.js';
import { hostOf } from '../kernel/frames.js';
import type { Deployment } from './model/deployment.js';
import type { MemberFault, MembersPlan } from './plan.js';

export const createMemberFaults = (world: World, deployment: Deployment, plan: MembersPlan): Faults => {
  const { clock } = world.runtime;
  const ways = createWays(world);
  const later = (lasting: number, run: () => void): void => void clock.startTimer(lasting, run);

  for (const { address, distance } of plan.members) ways.distance(hostOf(address), distance, distance / 2);
  return createFaults<MemberFault>(
    {
      elect: ({ member, unnoticedFor }) => deployment.elect(member, unnoticedFor),
      stepDown: () => deployment.stepDown(),
      restart: ({ member, notice, lasting }) => deployment.restart(member, notice, lasting),
      recover: ({ member, lasting }) => deployment.recover(member, lasting),
      remove: ({ member }) => deployment.remove(member),
      add: ({ member }) => deployment.add(member),
      lag: ({ member, by }) => void (deployment.at(member).belief.lag = by),
      hangUp: ({ member }) => void (deployment.at(member).hangUpNext = true),
      slow: ({ member, by, lasting }) => {
        deployment.at(member).slow = by;
        later(lasting, () => (deployment.at(member).slow = 0));
      },
      reset: ({ member }) => ways.reset(hostOf(member)),
      partition: fault => ways.partition(hostOf(fault.member), fault),
      refuse: fault => ways.refuse(hostOf(fault.member), fault),
      // Silent connections stay silent until a reset, as keepalive would reset them at last.
      silence: fault => ways.silence(hostOf(fault.member), fault, () => ways.reset(hostOf(fault.member))),
      mishaps: fault => {
        ways.mishaps(fault);
        later(fault.lasting, () => ways.mishaps(noMishaps));
      },
      wallClock: ({ by }) => world.shiftWallTime(by),
    },
    () => {
      ways.troubles.end();
      ways.mishaps(noMishaps);
      for (const event of plan.events) if (event.what === 'silence') ways.reset(hostOf(event.member));
      deployment.heal();
    },
  );
};
