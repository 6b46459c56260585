import { MongoError } from '@tessera/contracts';
import type { Address, Millis } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createTopology } from '../src/index.js';
import type { SeedList, Topology, TopologyOptions } from '../src/index.js';
import { createSrvPoller, rescanAfter } from '../src/monitoring/srv-poller.js';
import { connectTo, listen, poolsOf, server, streaming, world } from './scripted.js';

const host = 'localhost.test.build.10gen.cc';
const on = (...ports: readonly number[]): readonly Address[] => ports.map(port => `${host}:${port}`);

interface Scene {
  readonly topology: Topology;
  /** The result of the next lookups. An error makes them fail. */
  records: SeedList | MongoError;
  readonly asked: readonly Millis[];
  readonly opened: readonly Address[];
  sleep(duration: Millis): Promise<void>;
  known(): readonly Address[];
}

const scene =
  (
    program: (scene: Scene) => Promise<void>,
    options: Partial<TopologyOptions> = {},
    hello: object = { msg: 'isdbgrid' },
  ) =>
  async () => {
    const { runtime, run, leftovers } = world();
    const { clock, random } = runtime;
    await run(async () => {
      const servers = Object.fromEntries(
        on(27017, 27018, 27019, 27020).map(address => [address, server({ ...hello, ...streaming })]),
      );
      const events = listen();
      const asked: Millis[] = [];
      const topology = createTopology(
        {
          clock,
          random,
          events,
          connect: connectTo(servers, clock),
          openPool: poolsOf().open,
          lookUpSeeds: () => {
            asked.push(clock.now());
            const { records } = inner;
            return MongoError.is(records) ? Promise.reject(records) : Promise.resolve(records);
          },
        },
        { seeds: on(27017, 27018), ...options },
      );
      const inner: Scene = {
        topology,
        records: { hosts: on(27017, 27018), timeToLive: undefined },
        asked,
        get opened() {
          return events.emitted.flatMap(event => (event.name === 'serverOpening' ? [event.address] : []));
        },
        sleep: duration => clock.sleep(duration),
        known: () => [...topology.description.servers.keys()].sort(),
      };
      topology.open();
      await program(inner);
      await topology.close();
    });
    expect(leftovers()).toEqual([]);
  };

const found = (...ports: readonly number[]): SeedList => ({ hosts: on(...ports), timeToLive: undefined });

describe('the hosts of the SRV records', () => {
  const changes: readonly (readonly [title: string, after: readonly number[]])[] = [
    ['Polling SRV Records, prose test 1: a record is added', [27017, 27018, 27019]],
    ['Polling SRV Records, prose test 2: a record is removed', [27017]],
    ['Polling SRV Records, prose test 3: a record is replaced', [27017, 27019]],
    ['Polling SRV Records, prose test 4: both records are replaced by one', [27019]],
    ['Polling SRV Records, prose test 5: both records are replaced by two', [27019, 27020]],
  ];
  for (const [title, after] of changes)
    test(
      `${title}: servers that stay are unaffected`,
      scene(async inner => {
        inner.records = found(...after);
        await inner.sleep(61_000);
        expect(inner.known()).toEqual(on(...after));
        expect(inner.opened).toEqual(on(27017, 27018, ...after.filter(port => port > 27018)).toSorted());
        expect([...inner.topology.description.servers.values()].map(({ type }) => type)).toEqual(
          after.map(() => 'Mongos'),
        );
      }),
    );

  const failures: readonly (readonly [title: string, records: SeedList | MongoError])[] = [
    ['Polling SRV Records, prose test 6: the lookup takes too long', new MongoError('timeout', 'no answer')],
    ['Polling SRV Records, prose test 7: the lookup fails', new MongoError('network', 'ENOTFOUND')],
    ['Polling SRV Records, prose test 8: no records are left', found()],
  ];
  for (const [title, records] of failures)
    test(
      `${title}: nothing changes, and the next rescan comes after heartbeatFrequencyMS`,
      scene(async inner => {
        inner.records = records;
        await inner.sleep(75_000);
        expect(inner.known()).toEqual(on(27017, 27018));
        expect(inner.asked).toEqual([60_000, 70_000]);
        inner.records = found(27017, 27018, 27019);
        await inner.sleep(10_000);
        expect(inner.known()).toEqual(on(27017, 27018, 27019));
        expect(inner.asked).toEqual([60_000, 70_000, 80_000]);
      }),
    );

  test(
    'Polling SRV Records, prose test 9: load balanced clusters are not polled',
    scene(
      async inner => {
        inner.records = found(27017, 27018);
        await inner.sleep(130_000);
        expect([inner.known(), inner.asked]).toEqual([on(27017), []]);
      },
      { seeds: on(27017), loadBalanced: true },
    ),
  );

  test(
    'Polling SRV Records, prose test 10: srvMaxHosts: 0 uses all records',
    scene(
      async inner => {
        inner.records = found(27017, 27019, 27020);
        await inner.sleep(121_000);
        expect(inner.known()).toEqual(on(27017, 27019, 27020));
      },
      { srvMaxHosts: 0 },
    ),
  );

  test(
    'Polling SRV Records, prose test 11: srvMaxHosts not below the number of records uses all',
    scene(
      async inner => {
        inner.records = found(27019, 27020);
        await inner.sleep(61_000);
        expect(inner.known()).toEqual(on(27019, 27020));
      },
      { srvMaxHosts: 2 },
    ),
  );

  test(
    'Polling SRV Records, prose test 12: srvMaxHosts below the number of records selects random new hosts',
    scene(
      async inner => {
        inner.records = found(27017, 27019, 27020);
        await inner.sleep(61_000);
        expect(inner.known()).toHaveLength(2);
        expect(inner.known()[0]).toBe(on(27017)[0]);
        expect(on(27019, 27020)).toContain(inner.known()[1]);
      },
      { srvMaxHosts: 2 },
    ),
  );
});

describe('Polling SRV Records', () => {
  test('"rescanSRVIntervalMS": the minimum TTL, but at least 60 seconds; heartbeatFrequencyMS after a failure', () => {
    const after = (timeToLive: number | undefined) => rescanAfter({ hosts: on(1), timeToLive }, 10_000);
    expect([after(undefined), after(5000), after(86_400_000), rescanAfter(undefined, 10_000)]).toEqual([
      60_000, 60_000, 86_400_000, 10_000,
    ]);
  });

  test(
    'starts the first rescan when the records of the seeds expire',
    scene(
      async inner => {
        inner.records = { hosts: on(27017), timeToLive: 90_000 };
        await inner.sleep(300_000);
        expect(inner.asked).toEqual([120_000, 210_000]);
      },
      { seedsTimeToLive: 120_000 },
    ),
  );

  test(
    'does not rescan for a replica set',
    scene(
      async inner => {
        inner.records = found(27019);
        await inner.sleep(200_000);
        expect([inner.topology.description.type, inner.asked]).toEqual(['ReplicaSetWithPrimary', []]);
      },
      {},
      { isWritablePrimary: true, setName: 'rs', hosts: on(27017, 27018), setVersion: 1 },
    ),
  );

  test('ignores the result of a lookup that ends after the poller was stopped, and starts no other', async () => {
    const { runtime, run, leftovers } = world();
    const { clock, random } = runtime;
    let lookUps = 0;
    const taken: (readonly Address[])[] = [];
    await run(async () => {
      const poller = createSrvPoller(
        {
          clock,
          random,
          lookUpSeeds: async () => {
            lookUps++;
            await clock.sleep(5_000);
            return found(27017);
          },
          topologyType: () => 'Sharded',
          found: hosts => taken.push(hosts),
        },
        { heartbeatFrequencyMS: 10_000, seedsTimeToLive: undefined },
      );
      poller.start();
      await clock.sleep(62_000);
      poller.stop();
      await clock.sleep(300_000);
    });
    expect({ lookUps, taken, leftovers: leftovers() }).toEqual({ lookUps: 1, taken: [], leftovers: [] });
  });

  test(
    'ignores the result of a rescan that ends after the topology is closed',
    scene(async inner => {
      await inner.sleep(59_999);
      await inner.topology.close();
      await inner.sleep(100_000);
      expect([inner.known(), inner.asked]).toEqual([[], []]);
    }),
  );
});
