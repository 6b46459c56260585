import { assemble, defaultParts } from '@tessera/client';
import type { Driver, InnerParts } from '@tessera/client';
import { bson } from '@tessera/bson';
import type { Runtime } from '@tessera/contracts';
import { resolveSettings } from '@tessera/uri';
import { createWire } from '@tessera/wire';
import { probe } from '../kernel/probe.js';
import type { Lived, Record } from '../kernel/record.js';
import { liveThrough } from '../kernel/run.js';
import { createOperations } from './callers.js';
import { createMemberFaults } from './faults.js';
import { Deployment } from './model/deployment.js';
import type { MembersPlan, PlannedOperation } from './plan.js';

const uriOf = ({ deployment, seeds, namesSet, direct }: MembersPlan): string => {
  const options = [
    deployment === 'loadBalanced' ? ['loadBalanced=true'] : [],
    deployment === 'replicaSet' && namesSet ? ['replicaSet=rs'] : [],
    direct ? ['directConnection=true'] : [],
  ].flat();
  return `mongodb://${seeds.join(',')}/?${options.join('&')}`;
};

/** Assembles the driver as the client does, with probes between its parts. */
const openDriver = (runtime: Runtime, plan: MembersPlan, parts: Partial<InnerParts>, record: Record): Driver => {
  const settings = resolveSettings(uriOf(plan), { ...plan.settings });
  return assemble(runtime, record, settings, { ...parts, ...probe({ ...defaultParts, ...parts }, record) });
};

/** Runs one plan, with these parts in place of the driver's own. */
export const runMembers = (plan: MembersPlan, parts: Partial<InnerParts> = {}): Promise<Lived> => {
  const hosts = plan.members.map(({ address }) => address);
  return liveThrough(plan, { hosts, commands: false, patience: 60_000 }, (world, record) => {
    const deployment = new Deployment(plan, {
      runtime: world.at('members'),
      wire: createWire({ bson, compressors: [] }),
      bson,
      applied: (address, key) => record.add({ is: 'applied', address, key }),
      note: (address, did) => record.add({ is: 'member', address, did }),
    });
    const faults = createMemberFaults(world, deployment, plan);
    const driver = openDriver(world.runtime, plan, parts, record);
    return {
      callers: createOperations(driver, record),
      faults,
      /**
       * Returns a find if the connection is direct, because it may lead to a secondary. The deadline replaces
       * waitQueueTimeoutMS.
       */
      last: (number, timeoutMS): PlannedOperation => ({
        ...{ number, kind: plan.direct ? 'find' : 'insert', mode: 'primary', timeoutMS },
      }),
      close: () => {
        driver.sessions.close();
        return driver.deployment.close();
      },
      end: () => deployment.stop(),
    };
  });
};
