/** Records the calls of pools and of the deployment, with their results. Changes nothing. */
import type {
  Address,
  ConnectionPool,
  Deployment,
  Lease,
  MongoError,
  Server,
  TopologyDescription,
} from '@tessera/contracts';
import type { InnerParts } from '@tessera/client';
import { around } from './around.js';
import type { Record } from './record.js';

export type ProbedParts = Pick<InnerParts, 'pools' | 'topology'>;

export const probe = (parts: ProbedParts, record: Record): ProbedParts => {
  const clears = new Map<Address, number>();
  let checkOut = 0;
  let pools = 0;

  const probePool = (address: Address, number: number, pool: ConnectionPool): ConnectionPool =>
    around(pool, {
      checkOut: options => {
        checkOut += 1;
        const me = { checkOut, pool: number };
        record.add({ is: 'asked', ...me });
        const given = ({ connection }: Lease): void => record.add({ is: 'given', ...me, connectionId: connection.id });
        const lease = pool.checkOut(options);
        if (lease instanceof Promise) lease.then(given, (error: unknown) => record.add({ is: 'denied', ...me, error }));
        else given(lease);
        return lease;
      },
      clear: options => {
        record.add({ is: 'cleared', pool: number, address, cause: options.cause, serviceId: options.serviceId });
        clears.set(address, (clears.get(address) ?? 0) + 1);
        pool.clear(options);
      },
    });

  const clearsOf = (error: MongoError): number => clears.get(error.origin?.address ?? '') ?? 0;

  const probeDeployment = (deployment: Deployment, described: Described): Deployment =>
    around(deployment, {
      select: (request, at) => {
        const { operation, id, avoid } = request;
        const selected = ({ description: { address } }: Server): void => {
          const description = described.get(id) ?? deployment.description;
          record.add({ is: 'selected', selection: operation.selection, at, avoid, address, description });
        };
        const server = deployment.select(request, at);
        if (server instanceof Promise) server.then(selected, () => undefined);
        else selected(server);
        return server;
      },
      report: error => {
        const before = clearsOf(error);
        deployment.report(error);
        record.add({ is: 'reported', error, before, after: clearsOf(error) });
      },
    });

  return {
    // Each pool gets its own sink, so that its events differ from those of another pool at the same address.
    pools: (deps, options) => (address, report) => {
      pools += 1;
      const number = pools;
      const events = around(deps.events, { emit: event => record.add({ is: 'event', event, pool: number }) });
      clears.set(address, 0);
      return probePool(address, number, parts.pools({ ...deps, events }, options)(address, report));
    },
    topology: (deps, options) => {
      const described: Described = new Map();
      // The description may change before the waiting operation continues, so the description of the choice is kept.
      const events = around(deps.events, {
        emit: event => {
          if (event.name === 'serverSelectionSucceeded') described.set(event.operationId, event.topologyDescription);
          deps.events.emit(event);
        },
      });
      return probeDeployment(parts.topology({ ...deps, events }, options), described);
    },
  };
};

/** For each operation, the description in which its last server was selected. */
type Described = Map<number, TopologyDescription>;
