/** Pools that record the calls that they receive, for tests of topologies. */
import type { Address, ConnectionPool, Lease, MongoError, OpenPool } from '@tessera/contracts';
import { MongoError as Failure } from '@tessera/contracts';

export interface ScriptedPool extends ConnectionPool {
  /** The load that the choice between two servers compares. Set by the test. */
  load: number;
  readonly state: 'paused' | 'ready' | 'closed';
  /** The causes with which the pool was cleared, oldest first. */
  readonly clears: readonly Parameters<ConnectionPool['clear']>[0][];
  /** The errors with which `interrupt` was called, oldest first. */
  readonly interrupts: readonly MongoError[];
  /** Simulates a failed handshake. */
  report(error: MongoError): void;
}

export interface PoolScript {
  readonly openPool: OpenPool;
  /** Returns the latest pool of the address. */
  readonly pools: ReadonlyMap<Address, ScriptedPool>;
}

export const scriptPools = (): PoolScript => {
  const pools = new Map<Address, ScriptedPool>();
  const openPool: OpenPool = (address, report) => {
    const clears: Parameters<ConnectionPool['clear']>[0][] = [];
    const interrupts: MongoError[] = [];
    let state: ScriptedPool['state'] = 'paused';
    const pool: ScriptedPool = {
      load: 0,
      get state() {
        return state;
      },
      clears,
      report,
      checkOut: (): Promise<Lease> =>
        Promise.reject(
          new Failure('pool', `The pool of ${address} is ${state}; a scripted one has no connections.`, {
            origin: { phase: 'checkOut', sent: false, address, generation: clears.length },
          }),
        ),
      ready: () => {
        if (state !== 'closed') state = 'ready';
      },
      clear: options => {
        clears.push(options);
        if (state !== 'closed' && options.serviceId === undefined) state = 'paused';
      },
      close: () => {
        state = 'closed';
      },
      interrupts,
      interrupt: cause => {
        interrupts.push(cause);
      },
    };
    pools.set(address, pool);
    return pool;
  };
  return { openPool, pools };
};
