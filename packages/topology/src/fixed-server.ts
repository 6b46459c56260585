import { Cancellation } from '@tessera/contracts';
import type {
  Address,
  ConnectionPool,
  Deployment,
  MongoError,
  Server,
  ServerDescription,
  ServerType,
  TopologyDescription,
} from '@tessera/contracts';
import { closedUnderWay } from './selection/selection-error.js';
import { unknownServer } from './description/server-description.js';
import { isShutdown } from './description/application-error.js';
import { emptyTopology } from './description/topology-description.js';

/**
 * Returns a deployment of one server that is not monitored. Every request uses the given pool. This function makes the pool ready,
 * so it can open connections at once. After a network error of a command, or an error that means that the server shuts down, the
 * deployment clears the pool, which stays ready. Closing the deployment closes the pool. `select` returns the server at once and ignores
 * the request and the address `at`. After `close` it still does so, and checkouts fail with kind `pool`.
 * @param address the server's address in errors and descriptions. Default: `fixed server`
 * @param type the type of the server. For a `Standalone`, the default, commands contain no `$readPreference` and
 * no `txnNumber`.
 */
export const fixedServer = (
  pool: ConnectionPool,
  address: Address = 'fixed server',
  type: ServerType = 'Standalone',
): Deployment => {
  const description: ServerDescription = { ...unknownServer(address), type };
  const topology: TopologyDescription = {
    ...emptyTopology,
    type: 'Single',
    servers: new Map([[address, description]]),
  };
  const server: Server = { description, pool };
  const closing = new Cancellation();
  let generation = 0;
  pool.ready();
  return {
    description: topology,
    select: () => server,
    report(error) {
      if (!isBroken(error) || (error.origin?.generation ?? generation) < generation) return;
      generation++;
      pool.clear({ cause: error });
      pool.ready();
    },
    close() {
      closing.abort(undefined);
      pool.close(closedUnderWay());
      return Promise.resolve();
    },
    interrupt() {
      closing.abort(undefined);
      pool.interrupt(closedUnderWay());
    },
    closing,
  };
};

const isBroken = (error: MongoError): boolean =>
  (error.kind === 'network' && error.origin?.phase === 'command') || isShutdown(error);
