import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Millis, Resolver, SrvRecord } from '@tessera/contracts';
import { createCluster } from '@tessera/cluster';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const host = 'localhost.test.build.10gen.cc';
const records = (...ports: readonly number[]): SrvRecord[] => ports.map(port => ({ host, port }));

interface Scenario {
  readonly client: MongoClient;
  /** Replaces the DNS records. */
  change(records: readonly SrvRecord[]): void;
  sleep(duration: Millis): Promise<void>;
  known(): readonly string[];
}

/** Runs a test with four mongos on one host, or a load balancer. The DNS records name some of them at first. */
const onRecords = async (
  uri: string,
  service: string,
  first: readonly SrvRecord[],
  options: MongoClientOptions,
  program: (scenario: Scenario) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn });
  await world.run(async () => {
    const [shard, four] = ['shard1:27017', [27017, 27018, 27019, 27020].map(port => `${host}:${port}`)];
    const cluster = await createCluster(
      world.runtime,
      uri.includes('loadBalanced=true')
        ? { topology: 'load-balanced', mongoses: 1, addresses: ['mongos1:27017', `${host}:27017`, shard] }
        : { topology: 'sharded', mongoses: 4, addresses: [...four, shard] },
    );
    let current = first;
    const resolver: Resolver = {
      srv: name => (name === service ? Promise.resolve(current) : Promise.reject(new Error(`unknown name ${name}`))),
      txt: () => Promise.resolve([]),
    };
    const client = new MongoClient(uri, options, { runtime: { ...world.runtime, resolver } });
    await client.db().command({ ping: 1 });
    await program({
      client,
      change: records => {
        current = records;
      },
      sleep: duration => world.runtime.clock.sleep(duration),
      known: () => [...client.driver.deployment.description.servers.keys()].sort(),
    });
    await client.db().command({ ping: 1 });
    await client.close();
    await cluster.close();
    await world.runtime.clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

/** Replaces the first records with `changed`, and returns the known hosts after the next poll. */
const afterRescan = async (
  uri: string,
  service: string,
  changed: readonly SrvRecord[],
  first: readonly SrvRecord[] = records(27017, 27018),
): Promise<readonly string[]> => {
  let known: readonly string[] = [];
  await onRecords(uri, service, first, {}, async scenario => {
    scenario.change(changed);
    await scenario.sleep(121_000);
    known = scenario.known();
  });
  return known;
};

const test1 = 'mongodb+srv://test1.test.build.10gen.cc/?tls=false';
const service1 = '_mongodb._tcp.test1.test.build.10gen.cc';
const on = (...ports: readonly number[]): readonly string[] => ports.map(port => `${host}:${port}`);

describe('SRV polling with the whole driver', () => {
  test('Polling SRV Records, prose test 5: both records are replaced by two others', async () => {
    expect(await afterRescan(test1, service1, records(27019, 27020))).toEqual(on(27019, 27020));
  });

  test('Polling SRV Records, prose test 9: a load-balanced cluster is not polled', async () => {
    const uri = 'mongodb+srv://test3.test.build.10gen.cc/?tls=false&loadBalanced=true';
    const service = '_mongodb._tcp.test3.test.build.10gen.cc';
    expect(await afterRescan(uri, service, records(27017, 27018), records(27017))).toEqual(on(27017));
  });

  test('Polling SRV Records, prose test 10: srvMaxHosts=0 uses all records', async () => {
    const known = await afterRescan(`${test1}&srvMaxHosts=0`, service1, records(27017, 27019, 27020));
    expect(known).toEqual(on(27017, 27019, 27020));
  });

  test('Polling SRV Records, prose test 11: srvMaxHosts of at least the number of records uses all records', async () => {
    const known = await afterRescan(`${test1}&srvMaxHosts=2`, service1, records(27019, 27020));
    expect(known).toEqual(on(27019, 27020));
  });

  test('Polling SRV Records, prose test 12: a lower srvMaxHosts selects new hosts at random', async () => {
    const known = await afterRescan(`${test1}&srvMaxHosts=2`, service1, records(27017, 27019, 27020));
    expect(known).toHaveLength(2);
    expect(known[0]).toBe(on(27017)[0]);
    expect(on(27019, 27020)).toContain(known[1]);
  });

  test('Polling SRV Records, prose test 13: a custom service name is polled', async () => {
    const uri = 'mongodb+srv://test22.test.build.10gen.cc/?tls=false&srvServiceName=customname';
    const service = '_customname._tcp.test22.test.build.10gen.cc';
    expect(await afterRescan(uri, service, records(27019, 27020))).toEqual(on(27019, 27020));
  });

  test('Polling SRV Records, prose test 14: the host validator is called for every host again', async () => {
    const received: string[] = [];
    const srvHostValidator = (name: string): boolean => received.push(name) > 0;
    await onRecords(test1, service1, records(27017, 27018), { srvHostValidator }, async ({ change, sleep, known }) => {
      expect(received).toEqual([host, host]);
      received.length = 0;
      change(records(27017, 27018, 27019));
      await sleep(61_000);
      expect(received).toEqual([host, host, host]);
      expect(known()).toEqual(on(27017, 27018, 27019));
    });
  });

  test.each<readonly [title: string, refuse: () => boolean]>([
    ['Polling SRV Records, prose test 15: a validator that rejects', () => false],
    [
      'Polling SRV Records, prose test 15: a validator that throws',
      () => {
        throw new Error('mine');
      },
    ],
  ])('%s adds no host, removes none, and is called again after heartbeatFrequencyMS', async (_, refuse) => {
    let judge = (): boolean => true;
    const srvHostValidator = (): boolean => judge();
    await onRecords(test1, service1, records(27017, 27018), { srvHostValidator }, async scenario => {
      judge = refuse;
      scenario.change(records(27017, 27018, 27019));
      await scenario.sleep(121_000);
      expect(scenario.known()).toEqual(on(27017, 27018));
      await scenario.client.db().command({ ping: 1 });
      judge = () => true;
      await scenario.sleep(20_000);
      expect(scenario.known()).toEqual(on(27017, 27018, 27019));
    });
  });

  test('"Implementation": a host of another domain is not added, and the others are', async () => {
    const foreign = { host: 'evil.example.com', port: 27017 };
    expect(await afterRescan(test1, service1, [...records(27019), foreign])).toEqual(on(27019));
  });
});
