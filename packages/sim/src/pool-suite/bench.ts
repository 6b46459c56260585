import type {
  CheckOutOptions,
  Clock,
  Connect,
  ConnectionPool,
  DriverEvent,
  EventSink,
  Lease,
  Millis,
  ObjectId,
  OpenPool,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { expectEqual } from '../case.js';
import type { ContractCase } from '../case.js';
import { createRecorder } from '../recorder.js';
import type { Recorder } from '../recorder.js';
import { scriptConnect } from '../scripted-connect.js';
import type { ConnectScript } from '../scripted-connect.js';
import { createWorld } from '../world.js';
import type { World } from '../world.js';

/** The options that the specification defines. Rule: CMAP, "Connection Pool Options". */
export interface PoolSuiteOptions {
  readonly maxPoolSize?: number;
  readonly minPoolSize?: number;
  readonly maxIdleTimeMS?: Millis;
  readonly maxConnecting?: number;
  readonly waitQueueTimeoutMS?: Millis;
}

export interface PoolSuiteDeps {
  /** The `CreatePools` under test. */
  readonly createPools: (
    deps: { readonly clock: Clock; readonly events: EventSink; readonly connect: Connect },
    options: PoolSuiteOptions,
  ) => OpenPool;
  /** As for {@link createWorld}: each case runs in a world of its own. */
  readonly turn: () => Promise<void>;
}

/** The environment of a case: a paused pool of `address` with scripted connections. */
export interface PoolBench {
  readonly world: World;
  readonly clock: Clock;
  readonly pool: ConnectionPool;
  readonly script: ConnectScript;
  readonly recorder: Recorder;
  readonly reported: readonly MongoError[];
  readonly createPools: PoolSuiteDeps['createPools'];
  /** Checks out a connection, without a deadline by default. */
  readonly checkOut: (options?: Partial<CheckOutOptions>) => Promise<Lease>;
}

/** Makes a case of its title, the options of its pool, and a program. */
export type PoolCase = (
  name: string,
  options: PoolSuiteOptions,
  run: (bench: PoolBench) => Promise<void>,
) => ContractCase;

export const address = 'db1:27017';

export const failed = (): MongoError => new MongoError('network', 'The server is gone.');

/** Returns a scripted step that fails in this phase. */
export const failIn =
  (phase: 'resolve' | 'connect' | 'hello' | 'auth', kind: 'network' | 'timeout' | 'server'): (() => MongoError) =>
  () =>
    new MongoError(kind, `failed in ${phase}`, { origin: { phase, sent: false } });

/** The part of an ObjectId that a pool may use. */
export const serviceIdOf = (last: number): ObjectId => {
  const hex = last.toString(16).padStart(24, '0');
  const id = { toHexString: () => hex, toString: () => hex, equals: (other: unknown) => String(other) === hex };
  return id as unknown as ObjectId;
};

const describeEvent = (event: DriverEvent): string => {
  const name = event.name.replace('connection', '');
  const id = 'connectionId' in event ? ` ${event.connectionId}` : '';
  const reason = 'reason' in event ? ` ${event.reason}` : '';
  return `${name}${id}${reason}`;
};

/** Summarizes every event: `Created 1`, `Closed 1 stale`. */
export const story = ({ recorder }: { readonly recorder: Recorder }): readonly string[] =>
  recorder.events.map(describeEvent);

/** Creates a world and a pool for each case, and checks that nothing is left once the pool is closed. */
export const poolCases =
  ({ createPools, turn }: PoolSuiteDeps): PoolCase =>
  (name, options, run) => ({
    name,
    run: async () => {
      const world = createWorld({ turn }, { seed: 1 });
      const { clock } = world.runtime;
      const script = scriptConnect({ clock });
      const recorder = createRecorder();
      const reported: MongoError[] = [];
      const openPool = createPools({ clock, events: recorder, connect: script.connect }, options);
      const pool = openPool(address, error => reported.push(error));
      const checkOut = async (given: Partial<CheckOutOptions> = {}): Promise<Lease> =>
        pool.checkOut({ deadline: given.deadline ?? Infinity, signal: given.signal });
      await world.run(() => run({ world, clock, pool, script, recorder, reported, createPools, checkOut }));
      pool.close();
      expectEqual(world.leftovers(), [], 'what is left of the pool when it is closed');
    },
  });
