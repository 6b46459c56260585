import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { DriverEvent, EventName } from '@tessera/contracts';
import { createCluster } from '@tessera/cluster';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const poolEvents: readonly EventName[] = [
  ...(['connectionPoolCreated', 'connectionPoolReady', 'connectionPoolCleared', 'connectionPoolClosed'] as const),
  ...(['connectionCreated', 'connectionReady', 'connectionClosed'] as const),
  ...(['connectionCheckOutStarted', 'connectionCheckOutFailed'] as const),
  ...(['connectionCheckedOut', 'connectionCheckedIn'] as const),
];

/** Runs a test with a client of two mongos with fail points. Nothing may stay open afterwards. */
const withClient = async (
  uri: string,
  options: MongoClientOptions,
  respond: (client: MongoClient, events: readonly DriverEvent[]) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn }, { seed: 1 });
  await world.run(async () => {
    const addresses = ['db1:27017', 'db2:27017', 'shard1:27017'];
    const cluster = await createCluster(world.runtime, { topology: 'sharded', testCommands: true, addresses });
    const client = new MongoClient(uri, options, { runtime: world.runtime });
    const events: DriverEvent[] = [];
    const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => MongoClient;
    for (const name of poolEvents) listen(name, event => events.push(event));
    try {
      await respond(client, events);
    } finally {
      await client.close();
      await cluster.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
};

const options = { maxPoolSize: 7, minPoolSize: 1, maxIdleTimeMS: 9000, maxConnecting: 3, waitQueueTimeoutMS: 500 };

const created = (events: readonly DriverEvent[]): readonly unknown[] =>
  events.flatMap(event => (event.name === 'connectionPoolCreated' ? [[event.address, event.options]] : []));

describe('pool options and events', () => {
  test('Connection Monitoring and Pooling, prose tests 1, 2: options are set on the client, and apply to all its pools', () =>
    withClient('mongodb://db1,db2/?serverMonitoringMode=poll', options, async (client, events) => {
      await client.connect();
      expect(created(events)).toEqual([
        ['db1:27017', options],
        ['db2:27017', options],
      ]);
    }));

  test('Connection Monitoring and Pooling, prose test 3: all options can be set in the connection string', () => {
    const query = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    return withClient(`mongodb://db1/?${query.join('&')}`, {}, async (client, events) => {
      await client.connect();
      expect(created(events)).toEqual([['db1:27017', options]]);
    });
  });

  test('Connection Monitoring and Pooling, prose test 4: applications subscribe to events on the client, by name', () =>
    withClient('mongodb://db1', {}, async (client, events) => {
      await client.db().command({ ping: 1 });
      expect(events.map(({ name }) => name)).toEqual([
        ...['connectionPoolCreated', 'connectionPoolReady', 'connectionCheckOutStarted', 'connectionCreated'],
        ...['connectionReady', 'connectionCheckedOut', 'connectionCheckedIn'],
      ]);
    }));

  test('Connection Monitoring and Pooling, prose test 5: a checkout whose connection cannot be established fails with the reason connectionError', () =>
    withClient('mongodb://db1/?retryReads=false', { appName: 'unlucky' }, async (client, events) => {
      const stream = client.watch([], { maxAwaitTimeMS: 100 });
      await stream.tryNext();
      await client.db('admin').command({
        configureFailPoint: 'failCommand',
        mode: 'alwaysOn',
        data: { failCommands: ['isMaster', 'hello'], closeConnection: true, appName: 'unlucky' },
      });
      const before = events.length;
      // The change stream uses the only connection for 100 ms, so the ping needs another.
      const both = await Promise.allSettled([stream.tryNext(), client.db('admin').command({ ping: 1 })]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(events.slice(before)).toContainEqual(
        expect.objectContaining({ name: 'connectionCheckOutFailed', address: 'db1:27017', reason: 'connectionError' }),
      );
      await stream.close();
      await client
        .db('admin')
        .command({ configureFailPoint: 'failCommand', mode: 'off' })
        .catch(() => undefined);
    }));
});
