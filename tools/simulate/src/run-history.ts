import type { Runtime } from '@tessera/contracts';
import { assemble, defaultParts } from '@tessera/client';
import type { Driver, Parts } from '@tessera/client';
import { bson } from '@tessera/bson';
import { resolveSettings } from '@tessera/uri';
import { createWire } from '@tessera/wire';
import { createCallers } from './caller.js';
import { createFaults } from './faults.js';
import { Cluster } from './model/cluster.js';
import { liveThrough } from './live.js';
import type { Plan } from './plan.js';
import { probe } from './probe.js';
import { createRecord } from './record.js';
import type { Lived, Record } from './record.js';

/** After the faults have ended, so long until every operation of before must have ended too. */
const patience = 60_000;
/** After the client was closed: so long may the last late reply be drained, and packets be on their way. */
const aftermath = 3000;

const uriOf = ({ kind, seeds, namesSet, direct }: Plan): string => {
  const options = [
    kind === 'loadBalanced' ? ['loadBalanced=true'] : [],
    kind === 'replicaSet' && namesSet ? ['replicaSet=rs'] : [],
    direct ? ['directConnection=true'] : [],
  ].flat();
  return `mongodb://${seeds.join(',')}/?${options.join('&')}`;
};

/** The driver, put together as the client does it, of these parts, with probes between them. */
const openDriver = (runtime: Runtime, plan: Plan, parts: Partial<Parts>, record: Record): Driver => {
  const settings = resolveSettings(uriOf(plan), { ...plan.settings });
  const pools = parts.pools ?? defaultParts.pools;
  const topology = parts.topology ?? defaultParts.topology;
  return assemble(runtime, record, settings, { ...parts, ...probe({ pools, topology }, record) });
};

/** Lives through one plan, with these parts in place of the driver's own. The same plan gives the same history. */
export const runHistory = async (plan: Plan, parts: Partial<Parts> = {}): Promise<Lived<Plan>> => {
  const { seed, splitsWrites: splitWrites, members } = plan;
  const hosts = members.map(({ address }) => address);
  const { run, world, record } = liveThrough({ seed, splitWrites, hosts }, createRecord);
  const { runtime } = world;
  const { clock } = runtime;

  const live = async (): Promise<void> => {
    const cluster = new Cluster(plan, {
      runtime: world.at('members'),
      wire: createWire({ bson, compressors: [] }),
      bson,
      applied: (address, key) => {
        record.add({ is: 'applied', address, key });
      },
      note: (address, did) => {
        record.add({ is: 'member', address, did });
      },
    });
    const faults = createFaults(world, cluster, plan);
    const driver = openDriver(runtime, plan, parts, record);
    const callers = createCallers(driver, record);
    let closing: Promise<void> | undefined;
    /**
     * With a deadline, which takes the place of waitQueueTimeoutMS. Without retryWrites a caller has to repeat for itself: the
     * first attempt may meet the primary of before.
     */
    const succeedAtLast = async (): Promise<void> => {
      // Who insists on one member may only read there.
      const kind = plan.direct ? 'find' : 'insert';
      const planned = { kind, mode: 'primary', timeoutMS: plan.settings.serverSelectionTimeoutMS } as const;
      for (let tries = plan.settings.retryWrites ? 1 : 3; tries > 0; tries -= 1)
        if (await callers.call(planned)) return;
    };
    const close = (): Promise<void> => {
      record.add({ is: 'closing' });
      driver.sessions.close();
      return driver.deployment.close().then(() => {
        record.add({ is: 'closed' });
      });
    };

    for (const event of plan.events) {
      await clock.sleep(event.at - clock.now());
      if (event.what !== 'operate') record.add({ is: 'happening', happening: event });
      if (event.what === 'operate') void callers.call(event);
      else if (event.what === 'closeClient') closing ??= close();
      else faults.happen(event);
    }
    await clock.sleep(plan.healAt - clock.now());
    faults.heal();
    record.add({ is: 'healed' });
    const limit = clock.now() + patience;
    while (callers.busy > 0 && clock.now() < limit) await clock.sleep(100);
    await clock.sleep(1000);
    if (closing === undefined) {
      await succeedAtLast();
      closing = close();
    }
    await closing;
    await clock.sleep(aftermath);
    for (const what of world.leftovers()) if (what.includes('end of client')) record.add({ is: 'leftover', what });
    cluster.stop();
    await clock.sleep(1000);
    for (const what of world.leftovers()) record.add({ is: 'leftover', what });
  };

  await run(live);
  return { plan, entries: record.entries, packets: world.history };
};
