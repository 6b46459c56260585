/** The whole driver and embedded servers with fail points, in one simulated world. */
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions, Parts } from '@tessera/client';
import type { Document, DriverEvent, EventName, Millis, Runtime, Socket } from '@tessera/contracts';
import { createCluster } from '@tessera/cluster';
import { createServer } from '@tessera/server';
import type { ClusterOptions } from '@tessera/cluster';
import type { ServerOptions } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { expect } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** The settings of one client. */
export interface Given {
  readonly options?: MongoClientOptions;
  readonly runtime?: Runtime;
  readonly parts?: Partial<Parts>;
}

export interface Setup {
  readonly world: World;
  readonly events: DriverEvent[];
  open(uri: string, given?: Given): MongoClient;
  /** Sets a fail point on the host, with a separate client. */
  failPoint(host: string, mode: unknown, data?: Document): Promise<void>;
  now(): Millis;
  sleep(duration: Millis): Promise<void>;
}

const recorded: readonly EventName[] = [
  ...(['serverHeartbeatStarted', 'serverHeartbeatSucceeded', 'serverHeartbeatFailed'] as const),
  ...(['serverDescriptionChanged', 'connectionPoolReady', 'connectionPoolCleared', 'commandStarted'] as const),
  ...(['commandSucceeded', 'commandFailed', 'connectionCreated', 'connectionClosed'] as const),
  ...(['connectionCheckedOut', 'connectionCheckOutFailed'] as const),
];

/**
 * Separate servers, the members of one replica set, or the mongos of one cluster, at db1, db2 … Several mongos behind a
 * load balancer, which is at db1.
 */
export type Layout = readonly ServerOptions[] | Members | Mongoses;

interface Members {
  readonly topology: 'replicaset';
  readonly members: number;
  readonly setName: string;
}

interface Mongoses extends Pick<ClusterOptions, 'members'> {
  readonly topology: 'sharded' | 'load-balanced';
  readonly mongoses: number;
}

interface Closing {
  close(): Promise<void>;
}

const isServers = (layout: Layout): layout is readonly ServerOptions[] => Array.isArray(layout);

const hosts = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i + 1}:27017`);

const addressesOf = (layout: Members | Mongoses): readonly string[] => {
  switch (layout.topology) {
    case 'replicaset':
      return hosts(layout.members, 'db');
    case 'sharded':
      return [...hosts(layout.mongoses, 'db'), ...hosts(3, 'shard')];
    case 'load-balanced':
      return [...hosts(layout.mongoses, 'mongos'), 'db1:27017', ...hosts(3, 'shard')];
  }
};

/** Starts the servers. `around` may wrap the runtime of each. */
const openServers = async (
  layout: Layout,
  world: World,
  around: (runtime: Runtime) => Runtime,
): Promise<readonly Closing[]> => {
  if (!isServers(layout)) {
    const options: ClusterOptions = { testCommands: true, ...layout, addresses: addressesOf(layout) };
    return [await createCluster(around(world.at('db1')), options)];
  }
  const opened: Closing[] = [];
  for (const [index, options] of layout.entries()) {
    const host = `db${index + 1}`;
    const server = createServer(around(world.at(host)), { testCommands: true, ...options });
    opened.push(server);
    await server.listen(`${host}:27017`);
  }
  return opened;
};

/** Runs a test with servers at db1, db2 … Nothing may stay open afterwards. */
export const withServers = async (
  layout: Layout,
  program: (setup: Setup) => Promise<void>,
  around: (runtime: Runtime) => Runtime = runtime => runtime,
): Promise<void> => {
  const world = createWorld({ turn }, { seed: 1 });
  const { clock } = world.runtime;
  await world.run(async () => {
    const opened = await openServers(layout, world, around);
    const events: DriverEvent[] = [];
    const clients: MongoClient[] = [];
    const open: Setup['open'] = (uri, { options = {}, runtime = world.runtime, parts = {} } = {}) => {
      const client = new MongoClient(uri, options, { runtime, parts });
      const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => MongoClient;
      for (const name of recorded) listen(name, event => events.push(event));
      clients.push(client);
      return client;
    };
    const failPoint: Setup['failPoint'] = async (host, mode, data) => {
      const admin = new MongoClient(`mongodb://${host}/?directConnection=true`, {}, { runtime: world.runtime });
      await admin.db('admin').command({ configureFailPoint: 'failCommand', mode, data });
      await admin.close();
    };
    try {
      await program({
        world,
        events,
        open,
        failPoint,
        now: () => clock.now(),
        sleep: duration => clock.sleep(duration),
      });
    } finally {
      for (const client of clients) await client.close();
      for (const server of opened) await server.close();
    }
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

export const names = (events: readonly DriverEvent[], ...wanted: readonly EventName[]): readonly EventName[] =>
  events.map(({ name }) => name).filter(name => wanted.includes(name));

/** Returns the socket with another write method. */
export const writing = (socket: Socket, write: Socket['write']): Socket => ({
  readsAhead: socket.readsAhead,
  listen: sink => {
    socket.listen(sink);
  },
  write,
  end: () => {
    socket.end();
  },
  destroy: () => {
    socket.destroy();
  },
});
