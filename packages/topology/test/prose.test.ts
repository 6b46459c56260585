/** The prose tests of Server Discovery and Monitoring and of Max Staleness that need a replica set. */
import { createAttempt } from '@tessera/attempt';
import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import type { Address, Clock, Document, Millis, ServerDescription } from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createWire } from '@tessera/wire';
import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import { createTopology, serverFromHello } from '../src/index.js';
import type { Topology, TopologyOptions } from '../src/index.js';
import { RoundTrips } from '../src/monitoring/round-trip.js';
import { openReplicaSet } from './replica-set.js';
import {
  connectTo,
  failureOf,
  listen,
  operation,
  poolsOf,
  primary,
  request,
  secondary,
  server,
  streaming,
  world,
} from './scripted.js';
import type { Answer, ScriptedServer } from './scripted.js';

const [a, b] = ['a:27017', 'b:27017'] as const;
const hosts = [a, b];

interface After {
  readonly type: string;
  readonly server: ServerDescription | undefined;
  /** The checks of the server since the operation, with their times. */
  readonly checks: readonly string[];
  readonly pool: readonly string[];
}

const insert = operation({ name: 'insert', kind: 'write', read: reply => reply.ok });
const read = operation({ read: reply => reply.ok });
const readSecondary = operation({ selection: { mode: 'secondary' }, read: reply => reply.ok });

/**
 * Runs one operation with this reply on a primary or a secondary. Returns the server's state at once, and its checks a
 * second later.
 */
const afterOne = async (at: Address, of: typeof insert, answer: Answer): Promise<After> => {
  const { runtime, run, leftovers } = world();
  const servers: Record<Address, ScriptedServer> = {
    [a]: server(primary(hosts)),
    [b]: server(secondary(hosts, { primary: a })),
  };
  const pools = poolsOf();
  const topology = createTopology(
    { ...runtime, events: listen(), connect: connectTo(servers, runtime.clock), openPool: pools.open },
    { seeds: hosts, replicaSet: 'rs' },
  );
  let after: After | undefined;
  await run(async () => {
    topology.open();
    await runtime.clock.sleep(1000);
    const pool = pools.byAddress.get(at);
    const before = servers[at]?.checks.length;
    pool?.connection.answers.push(answer);
    await createAttempt({ deployment: topology })(request(of)).catch(() => undefined);
    const { type, servers: known } = topology.description;
    await runtime.clock.sleep(1);
    after = {
      type,
      server: known.get(at),
      checks: servers[at]?.checks.slice(before) ?? [],
      pool: pool?.log.slice(1) ?? [],
    };
    await topology.close();
  });
  expect(leftovers()).toEqual([]);
  return after!;
};

/** Each transaction has a number of its own. */
let transactions = 0;
const write = operation({
  name: 'insert',
  kind: 'write',
  body: writer => {
    writer.value('insert', 'things');
    writer.value('document', 1);
    writer.value('lsid', { id: new Uint8Array(16) });
    writer.value('txnNumber', (transactions += 1));
  },
  read: reply => reply.int('n'),
});

const refused = (more: Document): Document => ({ ok: 0, errmsg: 'no', ...more });

describe('the reply to an operation', () => {
  test('Server Discovery and Monitoring, prose test 2: a network error of a write marks the primary Unknown, clears its pool, and requests no immediate check', async () => {
    const reset = new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } });
    expect(await afterOne(a, insert, reset)).toMatchObject({
      type: 'ReplicaSetNoPrimary',
      server: { type: 'Unknown', error: reset },
      checks: [],
      pool: ['check out', 'clear', 'release'],
    });
  });

  test('Server Discovery and Monitoring, prose test 3: NotWritablePrimary on a read marks the primary Unknown and keeps its pool', async () => {
    const error = refused({ errmsg: 'not writable primary', code: 13435 });
    expect(await afterOne(a, read, error)).toMatchObject({
      type: 'ReplicaSetNoPrimary',
      server: { type: 'Unknown', error: { message: 'not writable primary' } },
      pool: ['check out', 'release'],
    });
  });

  test('Server Discovery and Monitoring, prose test 4: a recovering secondary becomes Unknown, keeps the primary, and is checked at once', async () => {
    expect(await afterOne(b, readSecondary, refused({ errmsg: 'node is recovering', code: 13436 }))).toMatchObject({
      type: 'ReplicaSetWithPrimary',
      server: { type: 'Unknown' },
      checks: ['1000 admin.hello'],
      pool: ['check out', 'release'],
    });
  });

  test('Server Discovery and Monitoring, prose test 5: a write concern error of a recovering primary marks it Unknown and checks it at once; a shutdown also clears its pool', async () => {
    const writeConcernError = { code: 91, errmsg: 'Replication is being shut down' };
    expect(await afterOne(a, insert, { ok: 1, writeConcernError })).toMatchObject({
      type: 'ReplicaSetNoPrimary',
      server: {
        type: 'Unknown',
        error: { message: 'The write concern was not satisfied: Replication is being shut down' },
      },
      checks: ['1000 admin.hello'],
      pool: ['check out', 'clear', 'release'],
    });
  });

  const count = operation({ name: 'count', read: reply => reply.ok });
  const countOnSecondary = operation({ ...count, selection: { mode: 'secondary' } });
  test.each<readonly [title: string, at: Address, of: typeof insert, errmsg: string]>([
    ['Server Discovery and Monitoring, prose test 6.2: an insert', a, insert, 'not writable primary'],
    [
      'Server Discovery and Monitoring, prose test 6.5: a count that may run on a secondary',
      b,
      countOnSecondary,
      'node is recovering',
    ],
    [
      'Server Discovery and Monitoring, prose test 6.6: a count that must run on the primary',
      a,
      count,
      'not writable primary',
    ],
  ])('%s: an error message without a code marks the server Unknown and is kept', async (_, at, of, errmsg) => {
    for (const reply of [
      { ok: 0, errmsg },
      { errmsg, ok: 0 },
    ]) {
      const { server: known } = await afterOne(at, of, reply);
      expect([known?.type, known?.error?.message]).toEqual(['Unknown', errmsg]);
    }
  });

  for (const reply of [
    { errmsg: 'not writable primary', code: 10107 },
    { errmsg: 'replicatedToNum called but not master anymore' },
    { $err: 'not master and SecondaryOk=false', errmsg: undefined },
    { errmsg: 'operation was interrupted', code: 11602 },
    { errmsg: 'the server is in quiesce mode and will shut down', code: 91 },
  ])
    test(`marks the server Unknown for another form of the error: ${JSON.stringify(reply)}`, async () => {
      const { server: known } = await afterOne(a, insert, { ok: 0, ...reply });
      expect([known?.type, known?.error?.message]).toEqual(['Unknown', reply.errmsg ?? reply.$err]);
    });

  for (const reply of [{ errmsg: 'not master', code: 8 }, { errmsg: 'recovering' }, { errmsg: 'no', code: 11601 }])
    test(`keeps the server's state after another error: ${JSON.stringify(reply)}`, async () => {
      expect((await afterOne(a, insert, { ok: 0, ...reply })).server?.type).toBe('RSPrimary');
    });
});

describe('"Topology discovery and direct connection"', () => {
  const atSecondary = async (
    options: Partial<TopologyOptions>,
    program: (topology: Topology) => Promise<void>,
  ): Promise<void> => {
    const inner = world({ latency: { delay: 1 } });
    const { runtime } = inner;
    await inner.run(async () => {
      const set = await openReplicaSet(inner, ['a:27017', 'b:27017', 'c:27017']);
      const events = listen();
      const connect = createConnect({ ...runtime, bson, wire: createWire({ bson, compressors: [] }), events });
      const openPool = createPools({ ...runtime, events, connect });
      const topology = createTopology({ ...runtime, events, connect, openPool }, { seeds: ['b:27017'], ...options });
      await program(topology);
      await topology.close();
      await set.close();
      await runtime.clock.sleep(10);
    });
    expect(inner.leftovers()).toEqual([]);
  };

  test.each<readonly [title: string, options: Partial<TopologyOptions>]>([
    ['Server Discovery and Monitoring, prose test 7.1: directConnection=false', { directConnection: false }],
    ['Server Discovery and Monitoring, prose test 7.3: no directConnection', {}],
  ])('%s with a secondary as seed: the write finds the primary', (_, options) =>
    atSecondary(options, async topology => {
      expect(await createAttempt({ deployment: topology })(request(write))).toBe(1);
    }),
  );

  test('Server Discovery and Monitoring, prose test 7.2: directConnection=true with a secondary as seed: the write fails with NotWritablePrimary', () =>
    atSecondary({ directConnection: true }, async topology => {
      const error = await failureOf(createAttempt({ deployment: topology })(request(write)));
      expect([error.kind, error.codeName]).toEqual(['server', 'NotWritablePrimary']);
    }));
});

describe('Server Selection, "Calculation of Average Round Trip Times"', () => {
  test('Server Selection, prose test 2.1: the first round-trip time is the average; each later one has a weight of one fifth', () => {
    const roundTrips = new RoundTrips();
    const averages = [10, 20, 12, 0].map(measured => {
      roundTrips.add(measured);
      return Number(roundTrips.average()?.toFixed(9));
    });
    expect(averages).toEqual([10, 12, 12, 9.6]);
  });

  test.each([
    ['poll', {}, 0],
    ['stream', streaming, 40],
  ] as const)(
    'Server Selection, prose test 2.2: ignores a round trip during which the clock is set back: mode %s',
    async (serverMonitoringMode, topologyVersion, least) => {
      const { runtime, run, leftovers } = world();
      let behind: Millis = 0;
      const clock: Clock = { ...runtime.clock, now: () => runtime.clock.now() - behind };
      await run(async () => {
        const met = { ...server({ ...primary([a]), ...topologyVersion }), delay: 40 };
        const deps = { ...runtime, clock, events: listen(), connect: connectTo({ [a]: met }, clock) };
        const options = { seeds: [a], replicaSet: 'rs', serverMonitoringMode };
        const topology = createTopology({ ...deps, openPool: poolsOf().open }, options);
        topology.open();
        // The handshakes take 40 ms. During every later round trip the clock is set back.
        for (let n = 0; n < 3500; n++) {
          await runtime.clock.sleep(10);
          behind += 20;
        }
        const { type, roundTripTime, minRoundTripTime } = topology.description.servers.get(a)!;
        expect([type, roundTripTime, minRoundTripTime]).toEqual(['RSPrimary', 40, least]);
        await topology.close();
      });
      expect(leftovers()).toEqual([]);
    },
  );

  test('Server Selection, prose test 2.3: a lost server has no average, and its next round-trip time is the first', async () => {
    const { runtime, run, leftovers } = world();
    await run(async () => {
      const met = server(primary([a]));
      const deps = { ...runtime, events: listen(), connect: connectTo({ [a]: met }, runtime.clock) };
      const topology = createTopology({ ...deps, openPool: poolsOf().open }, { seeds: [a], replicaSet: 'rs' });
      const after = async (delay: Millis, failure: MongoError | undefined): Promise<unknown> => {
        Object.assign(met, { delay, failure });
        await runtime.clock.sleep(11_000);
        const { type, roundTripTime } = topology.description.servers.get(a)!;
        return [type, roundTripTime];
      };
      topology.open();
      expect(await after(40, undefined)).toEqual(['RSPrimary', 40]);
      expect(await after(40, new MongoError('network', 'reset'))).toEqual(['Unknown', undefined]);
      expect(await after(10, undefined)).toEqual(['RSPrimary', 10]);
      await topology.close();
    });
    expect(leftovers()).toEqual([]);
  });
});

describe('Max Staleness', () => {
  const measured = { lastUpdateTime: 0, roundTripTime: 1, minRoundTripTime: 1 };
  const hello = { ok: 1, isWritablePrimary: true, setName: 'rs', hosts, maxWireVersion: 25 };

  test('Max Staleness, prose test 3.1: lastWriteDate is known, and a write advances it by less than ten seconds', async () => {
    const inner = world({ latency: { delay: 1 } });
    const { clock } = inner.runtime;
    await inner.run(async () => {
      const set = await openReplicaSet(inner, [a]);
      const events = listen();
      const connect = createConnect({ ...inner.runtime, bson, wire: createWire({ bson, compressors: [] }), events });
      const openPool = createPools({ ...inner.runtime, events, connect });
      const deps = { ...inner.runtime, events, connect, openPool };
      const topology = createTopology(deps, { seeds: [a], replicaSet: 'rs', heartbeatFrequencyMS: 500 });
      const lastWrite = async (): Promise<number> => {
        await createAttempt({ deployment: topology })(request(write));
        await clock.sleep(1000);
        return topology.description.servers.get(a)?.lastWriteDate ?? 0;
      };
      const first = await lastWrite();
      await clock.sleep(1000);
      const second = await lastWrite();
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(first);
      expect(second).toBeLessThan(first + 10_000);
      await topology.close();
      await set.close();
      await clock.sleep(10);
    });
    expect(inner.leftovers()).toEqual([]);
  });

  test('"Parse lastWriteDate": set for servers that send it, and unset for others', () => {
    const of = (lastWrite: unknown) => serverFromHello(a, { ...hello, lastWrite }, measured).lastWriteDate;
    expect([of({ lastWriteDate: new Date(1234) }), of(undefined), of({})]).toEqual([1234, undefined, undefined]);
  });

  test('rejects heartbeatFrequencyMS below 500', () => {
    const { runtime } = world();
    const deps = { ...runtime, events: listen(), connect: connectTo({}, runtime.clock), openPool: poolsOf().open };
    expect(() => createTopology(deps, { seeds: [a], heartbeatFrequencyMS: 499 })).toThrow(
      'heartbeatFrequencyMS is 499, but must be at least 500.',
    );
  });

  test('"Smallest allowed value": 90 seconds, or heartbeatFrequencyMS plus ten seconds', async () => {
    const { runtime, run } = world();
    await run(async () => {
      const servers = { [a]: server(primary([a])) };
      const deps = { ...runtime, events: listen(), openPool: poolsOf().open };
      const topology = createTopology(
        { ...deps, connect: connectTo(servers, runtime.clock) },
        { seeds: [a], replicaSet: 'rs', heartbeatFrequencyMS: 120_000 },
      );
      topology.open();
      await runtime.clock.sleep(10);
      const wanting = (maxStalenessSeconds: number) =>
        request(operation({ selection: { mode: 'nearest', maxStalenessSeconds }, read: reply => reply.ok }));
      const error = await failureOf(Promise.resolve(topology.select(wanting(129))));
      expect([error.kind, error.message]).toEqual([
        'usage',
        expect.stringContaining('"maxStalenessSeconds" is 129, but must be at least 130'),
      ]);
      expect((await topology.select(wanting(130))).description.address).toBe(a);
      await topology.close();
    });
  });
});
