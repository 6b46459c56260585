/** The prose tests of discovery, monitoring and selection, with the whole driver and the embedded server. */
import { MongoClient, ReadPreference } from '@tessera/client';
import type { Deployment, Millis } from '@tessera/contracts';
import { createTopology } from '@tessera/topology';
import { describe, expect, test } from 'vitest';
import type { Layout } from './with-servers.js';
import { names, withServers } from './with-servers.js';

describe('discovery and monitoring', () => {
  test('Server Discovery and Monitoring, prose test 1: a client of unreachable servers can be created, and its operations fail', () =>
    withServers([], async ({ open, now }) => {
      const client = open('mongodb://db8,db9/?serverSelectionTimeoutMS=1000');
      await expect(client.db().command({ ping: 1 })).rejects.toThrow('No server for ping (primary) within 1000 ms.');
      expect(now()).toBe(1000);
    }));

  test('Server Discovery and Monitoring, prose test 8: monitors wait at least minHeartbeatFrequencyMS between checks', () =>
    withServers([{}], async ({ open, failPoint, now }) => {
      const appName = 'SDAMMinHeartbeatFrequencyTest';
      await failPoint('db1', { times: 5 }, { failCommands: ['hello', 'isMaster'], errorCode: 1234, appName });
      const client = open(`mongodb://db1/?directConnection=true&appName=${appName}&serverSelectionTimeoutMS=5000`);
      const began = now();
      await client.db().command({ ping: 1 });
      expect(now() - began).toBeGreaterThanOrEqual(2000);
      expect(now() - began).toBeLessThanOrEqual(3500);
    }));

  test('Server Discovery and Monitoring, prose test 9: a pool is ready after a heartbeat, cleared by a failed one, and ready again', () =>
    withServers([{}], async ({ open, failPoint, events, sleep }) => {
      const appName = 'SDAMPoolManagementTest';
      // The client polls, because the second connection of a streaming monitor would consume one of the two failures.
      const client = open(
        `mongodb://db1/?directConnection=true&appName=${appName}&heartbeatFrequencyMS=500&serverMonitoringMode=poll`,
      );
      const emitted = () =>
        names(
          events,
          ...(['serverHeartbeatSucceeded', 'serverHeartbeatFailed'] as const),
          ...(['connectionPoolReady', 'connectionPoolCleared'] as const),
        );
      await client.db().command({ ping: 1 });
      expect(emitted().slice(0, 2)).toEqual(['serverHeartbeatSucceeded', 'connectionPoolReady']);
      await failPoint('db1', { times: 2 }, { failCommands: ['hello', 'isMaster'], errorCode: 1234, appName });
      await sleep(4000);
      const failed = emitted().indexOf('serverHeartbeatFailed');
      expect(emitted().slice(failed, failed + 5)).toEqual([
        'serverHeartbeatFailed',
        'connectionPoolCleared',
        'serverHeartbeatFailed',
        'serverHeartbeatSucceeded',
        'connectionPoolReady',
      ]);
    }));

  test.each<readonly [title: string, layout: Layout, query: string]>([
    ['a standalone', [{}], ''],
    ['a replica set', { topology: 'replicaset', setName: 'rs', members: 3 }, '&replicaSet=rs'],
    ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, ''],
  ])(
    'Server Discovery and Monitoring, prose test 10: with heartbeatFrequencyMS=500 each server of %s replies about every 500 ms',
    (_, layout, query) =>
      withServers(layout, async ({ open, events, sleep }) => {
        const client = open(`mongodb://db1/?heartbeatFrequencyMS=500${query}`);
        await client.db().command({ ping: 1 });
        await sleep(1000);
        events.length = 0;
        await sleep(5000);
        const succeeded = events.filter(event => event.name === 'serverHeartbeatSucceeded');
        const count = new Map<string, number>();
        for (const { address } of succeeded) count.set(address, (count.get(address) ?? 0) + 1);
        expect([...count.keys()].sort()).toEqual(
          query === '' ? ['db1:27017'] : ['db1:27017', 'db2:27017', 'db3:27017'],
        );
        for (const replies of count.values()) {
          expect(replies).toBeGreaterThanOrEqual(9);
          expect(replies).toBeLessThanOrEqual(11);
        }
        expect(succeeded.map(({ awaited }) => awaited)).toEqual(succeeded.map(() => true));
      }),
  );

  test('Server Discovery and Monitoring, prose test 11: the round-trip time is continuously updated', () =>
    withServers([{}], async ({ open, failPoint, events, sleep }) => {
      const appName = 'streamingRttTest';
      let deployment: Deployment | undefined;
      const topology = (...given: Parameters<typeof createTopology>) => (deployment = createTopology(...given));
      const client = open(`mongodb://db1/?heartbeatFrequencyMS=500&appName=${appName}`, { parts: { topology } });
      const roundTrip = (): Millis => deployment?.description.servers.get('db1:27017')?.roundTripTime ?? 0;
      await client.db().collection('films').findOne();
      await sleep(2000);
      const changes = events.filter(event => event.name === 'serverDescriptionChanged');
      expect(changes.map(({ newDescription }) => (newDescription.roundTripTime ?? 0) > 0)).toEqual([true]);
      const data = { failCommands: ['hello', 'isMaster'], blockConnection: true, blockTimeMS: 500, appName };
      await failPoint('db1', { times: 1000 }, data);
      expect(roundTrip()).toBeLessThan(50);
      await sleep(10_000);
      expect(roundTrip()).toBeGreaterThan(250);
      await failPoint('db1', 'off');
    }));

  test('Server Discovery and Monitoring, prose test 12: serverHeartbeatStarted is emitted before the socket is opened', () =>
    withServers([], async ({ world, open }) => {
      const order: string[] = [];
      const listening = await world.at('db1').listener.listen('db1:9999', socket => {
        order.push('client connected');
        const room = new Uint8Array(65_536);
        socket.listen({
          room: () => room,
          filled: () => {
            order.push('client hello received');
            socket.destroy();
          },
          drained: () => undefined,
          closed: () => undefined,
        });
      });
      const client = open('mongodb://db1:9999/?serverSelectionTimeoutMS=500');
      for (const name of ['serverHeartbeatStarted', 'serverHeartbeatFailed'] as const)
        client.on(name, () => order.push(name));
      await expect(client.db().command({ ping: 1 })).rejects.toThrow();
      expect(order.slice(0, 4)).toEqual([
        'serverHeartbeatStarted',
        'client connected',
        'client hello received',
        'serverHeartbeatFailed',
      ]);
      await client.close();
      await listening.close();
    }));

  test('Server Discovery and Monitoring, prose test 13: connections that an overloaded server rejects do not clear the pool', () =>
    withServers([{}], async ({ open, failPoint, events, sleep }) => {
      const client = open('mongodb://db1/?maxConnecting=100');
      const admin = client.db('admin');
      const limiter = 'ingressConnectionEstablishment';
      await admin.command({ setParameter: 1, [`${limiter}RateLimiterEnabled`]: true });
      await admin.command({ setParameter: 1, [`${limiter}RatePerSec`]: 20 });
      await admin.command({ setParameter: 1, [`${limiter}BurstCapacitySecs`]: 1 });
      await admin.command({ setParameter: 1, [`${limiter}MaxQueueDepth`]: 1 });
      const films = client.db('test').collection('films');
      await films.insertOne({});
      await failPoint('db1', 'alwaysOn', { failCommands: ['find'], blockConnection: true, blockTimeMS: 2000 });
      events.length = 0;
      const found = await Promise.allSettled(Array.from({ length: 100 }, () => films.findOne()));
      expect(names(events, 'connectionCheckOutFailed').length).toBeGreaterThanOrEqual(10);
      expect(names(events, 'connectionPoolCleared')).toEqual([]);
      expect(found.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(20);
      await sleep(1000);
      await admin.command({ setParameter: 1, [`${limiter}RateLimiterEnabled`]: false });
      await failPoint('db1', 'off');
    }));

  test('Server Monitoring "Streaming disabled": polling uses one connection and streaming two, and auto polls in a function service', async () => {
    const connections = async (mode: string, environment: Readonly<Record<string, string>> = {}): Promise<number> => {
      let open = 0;
      await withServers([{}], async setup => {
        const { world } = setup;
        const host = { ...world.runtime.host, environment: (name: string) => environment[name] };
        const client = new MongoClient(
          `mongodb://db1/?serverMonitoringMode=${mode}`,
          {},
          { runtime: { ...world.runtime, host } },
        );
        await client.connect();
        await setup.sleep(1000);
        open = world.network.connections;
        await client.close();
      });
      return open;
    };
    const lambda = { AWS_LAMBDA_RUNTIME_API: 'somewhere' };
    expect([await connections('poll'), await connections('stream')]).toEqual([2, 3]);
    expect([await connections('auto'), await connections('auto', lambda), await connections('stream', lambda)]).toEqual(
      [3, 2, 3],
    );
  });
});

describe('selection', () => {
  const mongoses = (count: number) => ({ topology: 'sharded', mongoses: count }) satisfies Layout;

  test('Server Selection, prose test 6: a slow mongos gets fewer operations, and equally fast ones the same number', () =>
    withServers(mongoses(2), async ({ open, failPoint, events, sleep }) => {
      const appName = 'loadBalancingTest';
      const data = { failCommands: ['find'], blockConnection: true, blockTimeMS: 500, appName };
      await failPoint('db1', { times: 10_000 }, data);
      const client = open(`mongodb://db1,db2/?appName=${appName}&localThresholdMS=30000&maxPoolSize=10&minPoolSize=10`);
      const films = client.db().collection('films');
      await films.findOne();
      await sleep(1000);
      const share = async (workers: number, each: number): Promise<number> => {
        events.length = 0;
        const work = async (): Promise<void> => {
          for (let n = 0; n < each; n++) await films.findOne({});
        };
        await Promise.all(Array.from({ length: workers }, work));
        const sent = events.filter(event => event.name === 'commandStarted');
        expect(sent).toHaveLength(workers * each);
        return sent.filter(({ address }) => address === 'db1:27017').length / sent.length;
      };
      expect(await share(10, 10)).toBeLessThan(0.25);
      await failPoint('db1', 'off');
      const even = await share(10, 100);
      expect(even).toBeGreaterThan(0.4);
      expect(even).toBeLessThan(0.6);
    }));

  test('Server Selection, prose test 7: all operations use the only suitable server', () =>
    withServers(mongoses(2), async ({ world, sleep }) => {
      const client = new MongoClient(
        'mongodb://db1,db2',
        { serverSelector: servers => [...servers].sort((a, b) => (a.address < b.address ? 1 : -1)).slice(0, 1) },
        { runtime: world.runtime },
      );
      const used = new Set<string>();
      client.on('commandStarted', ({ address }) => used.add(address));
      await client.connect();
      await sleep(100);
      used.clear();
      for (let n = 0; n < 10; n++) await client.db().collection('films').findOne();
      expect([...used]).toEqual(['db2:27017']);
      await client.close();
    }));

  test('Server Selection, prose test 1: mode primary with tags is rejected in every option', () =>
    withServers(mongoses(1), async ({ open }) => {
      expect(() => open('mongodb://db1/?readPreference=primary&readPreferenceTags=dc:ny')).toThrow(/primary accepts/);
      expect(() => open('mongodb://db1/?readPreferenceTags=dc:ny')).toThrow(/primary accepts/);
      expect(() => open('mongodb://db1', { options: { readPreferenceTags: [{ dc: 'ny' }] } })).toThrow(
        /primary accepts/,
      );
      expect(() => new ReadPreference('primary', [{ dc: 'ny' }])).toThrow(/primary/i);
    }));

  test.each<readonly [title: string, query: string, emitted: unknown]>([
    ['Server Selection, prose test 4.1: primary', 'readPreference=primary', undefined],
    [
      'Server Selection, prose test 4.2: primaryPreferred',
      'readPreference=primaryPreferred',
      { mode: 'primaryPreferred' },
    ],
    ['Server Selection, prose test 4.3: secondary', 'readPreference=secondary', { mode: 'secondary' }],
    [
      'Server Selection, prose test 4.4: secondaryPreferred',
      'readPreference=secondaryPreferred',
      { mode: 'secondaryPreferred' },
    ],
    [
      'Server Selection, prose test 4.4: secondaryPreferred with tags',
      'readPreference=secondaryPreferred&readPreferenceTags=dc:ny',
      { mode: 'secondaryPreferred', tags: [{ dc: 'ny' }] },
    ],
    ['Server Selection, prose test 4.5: nearest', 'readPreference=nearest', { mode: 'nearest' }],
  ])('%s, as sent to a mongos', (_, query, emitted) =>
    withServers({ ...mongoses(1), members: 3 }, async ({ open, events }) => {
      await open(`mongodb://db1/?${query}`).db().collection('films').findOne();
      const commands = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(commands.map(command => command['$readPreference'] as unknown)).toEqual([emitted]);
    }),
  );
});
