/**
 * A deployment of equivalent servers, such as proxies of one database. Requests use them in turn; there is no
 * monitoring.
 */
import type { Address, CreateTopology, Server, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { Cancellation, MongoError } from '@tessera/contracts';

interface Door {
  readonly server: Server;
  /** The number of times that its pool was cleared. */
  generation: number;
}

/** Describes a server that is not monitored: only its address and type are known. */
const describe = (address: Address): ServerDescription => ({
  address,
  type: 'Standalone',
  error: undefined,
  roundTripTime: undefined,
  minRoundTripTime: 0,
  lastUpdateTime: -Infinity,
  lastWriteDate: undefined,
  minWireVersion: 0,
  maxWireVersion: 0,
  me: undefined,
  hosts: [],
  passives: [],
  arbiters: [],
  tags: {},
  setName: undefined,
  setVersion: undefined,
  electionId: undefined,
  primary: undefined,
  logicalSessionTimeoutMinutes: undefined,
  topologyVersion: undefined,
});

export const createRotation: CreateTopology = ({ openPool }, { seeds }) => {
  const servers = new Map(seeds.map(address => [address, describe(address)]));
  const description: TopologyDescription = {
    type: 'Single',
    setName: undefined,
    maxElectionId: undefined,
    maxSetVersion: undefined,
    servers,
    compatibilityError: undefined,
    logicalSessionTimeoutMinutes: undefined,
  };
  const doors = new Map<Address, Door>();
  const closing = new Cancellation();
  let next = 0;
  let isClosed = false;

  const doorAt = (address: Address): Door => {
    const known = doors.get(address);
    if (known !== undefined) return known;
    const pool = openPool(address, report);
    pool.ready();
    const door: Door = { server: { description: servers.get(address)!, pool }, generation: 0 };
    doors.set(address, door);
    return door;
  };

  const refusal = (why: string): MongoError =>
    new MongoError('selection', `Server selection failed: ${why}`, { origin: { phase: 'select', sent: false } });

  const report = (error: MongoError): void => {
    const { phase, address = '', generation } = error.origin ?? {};
    const door = doors.get(address);
    if (door === undefined || error.kind !== 'network' || phase !== 'command') return;
    if ((generation ?? door.generation) < door.generation) return;
    door.generation += 1;
    door.server.pool.clear({ cause: error });
    door.server.pool.ready();
  };

  return {
    description,
    select(request, at) {
      if (isClosed) return Promise.reject(refusal('The client is closed.'));
      if (at !== undefined && !servers.has(at)) return Promise.reject(refusal(`${at} is not one of ${seeds.join()}.`));
      if (at !== undefined) return doorAt(at).server;
      const wanted = seeds.filter(address => !request.avoid.includes(address));
      const choice = wanted.length > 0 ? wanted : seeds;
      next += 1;
      return doorAt(choice[next % choice.length]!).server;
    },
    report,
    async close() {
      isClosed = true;
      closing.abort(undefined);
      for (const { server } of doors.values()) server.pool.close();
    },
    interrupt() {
      closing.abort(undefined);
      const cause = new MongoError('closed', 'The client was closed.');
      for (const { server } of doors.values()) server.pool.interrupt(cause);
    },
    closing,
  };
};
