import type { Parts } from '@tessera/client';
import { createPools } from '@tessera/pool';
import { createTopology } from '@tessera/topology';
import type { Reduce } from '@tessera/topology';
import type {
  Clock,
  ConnectionPool,
  Deployment,
  DriverEvent,
  EventName,
  EventSink,
  Lease,
  Soon,
} from '@tessera/contracts';
import { around } from '../around.js';
import type { Invariant } from '../invariants/invariant.js';
import type { Swaps } from '../swaps.js';

/** A part that is broken on purpose. It goes in through the doors that are there for everyone. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it. */
  readonly sentence: string;
  /** Which of the invariants must find it: another may be broken, too, but does not count. */
  readonly breaks: Invariant;
  /** New for each history: a broken part may remember. */
  readonly parts: () => Swaps;
}

type PoolOptions = Parameters<Parts['pools']>[1];

/** Pools of the driver's own make, with other options. */
export const poolsWith = (change: (options: NonNullable<PoolOptions>) => NonNullable<PoolOptions>): Partial<Parts> => ({
  pools: (deps, options) => createPools(deps, change(options ?? {})),
});

/** A pool around ours; what it does not name is ours. */
export const poolsAround = (
  change: (pool: ConnectionPool, clock: Clock) => Partial<ConnectionPool>,
): Partial<Parts> => ({
  pools: (deps, options) => {
    const open = createPools(deps, options);
    return (address, report) => {
      const pool = open(address, report);
      return around(pool, change(pool, deps.clock));
    };
  },
});

/** What is told in place of each event of one name; the others pass. */
type Tell = (event: DriverEvent) => readonly DriverEvent[];

const sinkTelling = (sink: EventSink, name: EventName, tell: Tell): EventSink => ({
  wants: wanted => sink.wants(wanted),
  emit: event => {
    for (const told of event.name === name ? tell(event) : [event]) sink.emit(told);
  },
});

export const poolsTelling = (name: EventName, tell: Tell): Partial<Parts> => ({
  pools: (deps, options) => createPools({ ...deps, events: sinkTelling(deps.events, name, tell) }, options),
});

export const topologyTelling = (name: EventName, tell: Tell): Partial<Parts> => ({
  topology: (deps, options) => createTopology({ ...deps, events: sinkTelling(deps.events, name, tell) }, options),
});

/** A reducer around ours. */
export const reducing = (reduce: Reduce): Partial<Parts> => ({
  topology: (deps, options) => createTopology({ ...deps, reduce }, options),
});

/** A deployment around ours; what it does not name is ours. */
export const deploymentAround = (change: (deployment: Deployment) => Partial<Deployment>): Partial<Parts> => ({
  topology: (deps, options) => {
    const deployment = createTopology(deps, options);
    return around(deployment, change(deployment));
  },
});

/** A lease that is given back in another way. */
export const leaseWith = (lease: Lease, release: () => void): Lease => around(lease, { release });

/** The lease at once if it is there, or when it comes. */
export const mapLease = (lease: Soon<Lease>, change: (lease: Lease) => Lease): Soon<Lease> =>
  lease instanceof Promise ? lease.then(change) : change(lease);
