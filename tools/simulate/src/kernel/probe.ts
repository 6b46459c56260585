/** Between the parts: writes down what one asks of another and what it gets. It changes nothing. */
import type {
  Address,
  ConnectionPool,
  Deployment,
  Lease,
  MongoError,
  Request,
  Server,
  TopologyDescription,
} from '@tessera/contracts';
import type { Parts } from '@tessera/client';
import { around } from './around.js';
import type { Record } from './record.js';

export type ProbedParts = Pick<Parts, 'pools' | 'topology'>;

export const probe = (parts: ProbedParts, record: Record): ProbedParts => {
  const clears = new Map<Address, number>();
  let asker = 0;
  let pools = 0;

  const probePool = (address: Address, number: number, pool: ConnectionPool): ConnectionPool =>
    around(pool, {
      checkOut: options => {
        asker += 1;
        const me = asker;
        record.add({ is: 'asked', asker: me, pool: number });
        const given = (lease: Lease): void => {
          record.add({ is: 'given', asker: me, pool: number, connectionId: lease.connection.id });
        };
        const lease = pool.checkOut(options);
        if (!(lease instanceof Promise)) {
          given(lease);
          return lease;
        }
        lease.then(given, (error: unknown) => {
          record.add({ is: 'denied', asker: me, pool: number, error });
        });
        return lease;
      },
      clear: options => {
        record.add({ is: 'cleared', pool: number, address, cause: options.cause, serviceId: options.serviceId });
        clears.set(address, (clears.get(address) ?? 0) + 1);
        pool.clear(options);
      },
    });

  const clearsOf = (error: MongoError): number => clears.get(error.origin?.address ?? '') ?? 0;

  const probeDeployment = (deployment: Deployment, described: Described): Deployment => {
    const selected = (
      { operation, id, avoid }: Request<unknown>,
      at: Address | undefined,
      server: Server,
      description: TopologyDescription,
    ): void => {
      record.add({
        is: 'selected',
        selection: operation.selection,
        at,
        avoid,
        address: server.description.address,
        description: described.get(id) ?? description,
      });
    };
    return around(deployment, {
      select: (request, at) => {
        const server = deployment.select(request, at);
        const { description } = deployment;
        if (!(server instanceof Promise)) selected(request, at, server, description);
        else
          server.then(
            chosen => {
              selected(request, at, chosen, deployment.description);
            },
            () => undefined,
          );
        return server;
      },
      report: error => {
        const before = clearsOf(error);
        deployment.report(error);
        record.add({ is: 'reported', error, before, after: clearsOf(error) });
      },
    });
  };

  return {
    // Each pool gets a sink of its own, so that its events can be told from those of another at the same address.
    pools: (deps, options) => (address, report) => {
      pools += 1;
      const number = pools;
      const events: typeof deps.events = {
        wants: name => deps.events.wants(name),
        emit: event => {
          record.add({ is: 'event', event, pool: number });
        },
      };
      clears.set(address, 0);
      return probePool(address, number, parts.pools({ ...deps, events }, options)(address, report));
    },
    topology: (deps, options) => {
      const described: Described = new Map();
      // By the time that whoever waits goes on, the description may be another than that in which the server was chosen.
      const events: typeof deps.events = {
        wants: name => deps.events.wants(name),
        emit: event => {
          if (event.name === 'serverSelectionSucceeded') described.set(event.operationId, event.topologyDescription);
          deps.events.emit(event);
        },
      };
      return probeDeployment(parts.topology({ ...deps, events }, options), described);
    },
  };
};

/** By operation, the description in which its last server was chosen. */
type Described = Map<number, TopologyDescription>;
