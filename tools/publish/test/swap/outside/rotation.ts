/** A deployment of equal doors to one database, as proxies are: each request takes the next; nothing is watched. */
import type { Address, Deployment, OpenPool, Server, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { Cancellation, MongoError } from '@tessera/contracts';
import { emptyTopology, unknownServer } from '@tessera/topology';

interface Door {
  readonly server: Server;
  /** How often its pool was cleared. */
  generation: number;
}

export const createRotation = (openPool: OpenPool, addresses: readonly Address[]): Deployment => {
  const descriptions = addresses.map((address): ServerDescription => ({
    ...unknownServer(address),
    type: 'Standalone',
  }));
  const servers = new Map(descriptions.map(each => [each.address, each]));
  const description: TopologyDescription = { ...emptyTopology, type: 'Single', servers };
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
    new MongoError('selection', `No server was chosen: ${why}`, { origin: { phase: 'select', sent: false } });

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
      if (isClosed) return Promise.reject(refusal('the client is closed'));
      if (at !== undefined && !servers.has(at))
        return Promise.reject(refusal(`${at} is not one of ${addresses.join()}`));
      if (at !== undefined) return doorAt(at).server;
      const wanted = addresses.filter(address => !request.avoid.includes(address));
      const choice = wanted.length > 0 ? wanted : addresses;
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
