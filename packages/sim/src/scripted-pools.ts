/** Pools that keep what was done to them: what a topology needs of them, in the hands of a test. */
import type { Address, ConnectionPool, Lease, MongoError, OpenPool } from '@tessera/contracts';
import { MongoError as Failure } from '@tessera/contracts';

export interface ScriptedPool extends ConnectionPool {
  /** To be set by the test: what the latency-based choice looks at. */
  load: number;
  readonly state: 'paused' | 'ready' | 'closed';
  /** What it was cleared with, oldest first. */
  readonly clears: readonly Parameters<ConnectionPool['clear']>[0][];
  /** What its `interrupt` was called with, oldest first. */
  readonly interrupts: readonly MongoError[];
  /** As if a handshake had failed. */
  report(error: MongoError): void;
}

export interface PoolScript {
  readonly openPool: OpenPool;
  /** The latest pool of each address. */
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
