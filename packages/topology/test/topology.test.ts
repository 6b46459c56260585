import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  DriverEvent,
  Millis,
  Origin,
  Request,
  Selection,
  ServerDescription,
} from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createTopology, emptyTopology, unknownServer } from '../src/index.js';
import { summaryOf } from '../src/selection/server-summary.js';
import type { Topology, TopologyOptions } from '../src/index.js';
import {
  connectTo,
  failureOf,
  listen,
  operation,
  ping,
  poolsOf,
  primary,
  request,
  secondary,
  server,
  world,
} from './scripted.js';
import type { ScriptedPool, ScriptedServer } from './scripted.js';

const a = 'a:27017';
const b = 'b:27017';
const hosts = [a, b];

interface Scene {
  readonly clock: Clock;
  readonly servers: Record<Address, ScriptedServer>;
  readonly pools: Map<Address, ScriptedPool>;
  readonly emitted: DriverEvent[];
  open(options?: Partial<TopologyOptions>): Topology;
  sleep(duration: Millis): Promise<void>;
}

/** Runs in a world of its own. At the end, no timer and no connection may be left. */
const scene = (servers: Record<Address, ScriptedServer>, program: (scene: Scene) => Promise<void>) => async () => {
  const { runtime, run, leftovers } = world();
  const { clock, random } = runtime;
  const pools = poolsOf();
  const events = listen();
  await run(() =>
    program({
      clock,
      servers,
      pools: pools.byAddress,
      emitted: events.emitted,
      open: options =>
        createTopology(
          { clock, random, events, connect: connectTo(servers, clock), openPool: pools.open },
          { seeds: hosts, ...options },
        ),
      sleep: duration => clock.sleep(duration),
    }),
  );
  expect(leftovers()).toEqual([]);
  for (const { openConnections } of Object.values(servers)) expect(openConnections).toBe(0);
};

const set = (): Record<Address, ScriptedServer> => ({
  [a]: server(primary(hosts)),
  [b]: server(secondary(hosts, { primary: a })),
});

const preferring = (selection: Selection, more: Partial<Request<boolean>> = {}): Request<boolean> =>
  request(operation({ name: 'find', selection, read: reply => reply.ok }), more);

const at = (address: Address, phase: Origin['phase'] = 'command', generation = 0): { readonly origin: Origin } => ({
  origin: { phase, sent: true, address, generation },
});

const names = (emitted: readonly DriverEvent[]): readonly string[] =>
  emitted.map(event => ('address' in event ? `${event.name} ${event.address}` : event.name));

const types = (topology: Topology): Record<Address, string> =>
  Object.fromEntries([...topology.description.servers.values()].map(({ address, type }) => [address, type]));

describe('a deployment', () => {
  test(
    'opens no connection before it is opened, and none if it is closed first',
    scene(set(), async ({ open, emitted, servers, pools, sleep }) => {
      const topology = open();
      await sleep(1000);
      await topology.close();
      await sleep(60_000);
      expect(emitted).toEqual([]);
      expect(servers[a]?.checks).toEqual([]);
      expect(pools.size).toBe(0);
    }),
  );

  test(
    'SDAM Logging and Monitoring: emits events in order, from opening to closing',
    scene(
      { [a]: server(primary(hosts)), [b]: server(secondary(hosts, { primary: a })) },
      async ({ open, emitted, sleep }) => {
        const topology = open({ seeds: [a] });
        topology.open();
        await sleep(10);
        await topology.close();
        expect(names(emitted)).toEqual([
          'topologyOpening',
          'topologyDescriptionChanged',
          'serverOpening a:27017',
          'serverHeartbeatStarted a:27017',
          'serverHeartbeatSucceeded a:27017',
          'serverDescriptionChanged a:27017',
          'serverOpening b:27017',
          'serverHeartbeatStarted b:27017',
          'topologyDescriptionChanged',
          'serverHeartbeatSucceeded b:27017',
          'serverDescriptionChanged b:27017',
          'topologyDescriptionChanged',
          'serverClosed a:27017',
          'serverClosed b:27017',
          'topologyDescriptionChanged',
          'topologyClosed',
        ]);
        expect(new Set(emitted.flatMap(event => ('topologyId' in event ? [event.topologyId] : []))).size).toBe(1);
      },
    ),
  );

  test(
    'each check makes the pool ready before events are emitted; close closes the pools',
    scene(set(), async ({ open, pools, sleep }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      expect(pools.get(a)?.log).toEqual(['ready']);
      await topology.close();
      expect(pools.get(a)?.log).toEqual(['ready', 'close']);
      expect(topology.description.servers.size).toBe(0);
    }),
  );

  test(
    'closing the client ends operations in progress; removing their server does not',
    scene(set(), async ({ open, pools, servers, sleep }) => {
      const topology = open({ heartbeatFrequencyMS: 500 });
      topology.open();
      await sleep(10);
      const [stays, leaves] = [pools.get(a), pools.get(b)];
      servers[a]!.hello = server(primary([a])).hello;
      await sleep(1000);
      await topology.close();
      expect([leaves?.log, leaves?.closedFor]).toEqual([['ready', 'close'], undefined]);
      expect(stays?.closedFor).toMatchObject({ kind: 'closed', origin: undefined });
    }),
  );

  test(
    'a closed client rejects new and waiting operations',
    scene({}, async ({ open }) => {
      const topology = open();
      const waiting = failureOf(Promise.resolve(topology.select(request(ping))));
      await topology.close();
      const late = failureOf(Promise.resolve(topology.select(request(ping))));
      for (const error of [await waiting, await late]) {
        expect(error.kind).toBe('closed');
        expect(error.message).toContain('client is closed');
      }
      await topology.close();
    }),
  );

  test(
    'interrupt fails waiting operations, interrupts the pools and other waits, and later operations run',
    scene(set(), async ({ open, pools, sleep }) => {
      const topology = open();
      const waiting = failureOf(Promise.resolve(topology.select(request(ping))));
      topology.interrupt();
      expect(await waiting).toMatchObject({ kind: 'closed', message: expect.stringContaining('client is closed') });
      expect(topology.closing.aborted).toBe(true);
      await sleep(10);
      expect(pools.get(a)?.log).toEqual(['interrupt', 'ready']);
      expect(pools.get(a)?.closedFor).toMatchObject({ kind: 'closed', origin: undefined });
      expect((await topology.select(request(ping))).description.address).toBe(a);
      await topology.close();
    }),
  );

  test(
    'does not rescan a sharded cluster without SRV records',
    scene(Object.fromEntries(hosts.map(host => [host, server({ msg: 'isdbgrid' })])), async ({ open, sleep }) => {
      const topology = open();
      await topology.select(request(ping));
      await sleep(200_000);
      expect(topology.description.type).toBe('Sharded');
      expect([...topology.description.servers.keys()]).toEqual(hosts);
      await topology.close();
    }),
  );

  test('rejects options that contradict each other', () => {
    const { runtime } = world();
    const deps = { ...runtime, events: listen(), connect: connectTo({}, runtime.clock), openPool: poolsOf().open };
    const refusal = (options: TopologyOptions): string => {
      try {
        createTopology(deps, options);
      } catch (error) {
        expect(error).toMatchObject({ kind: 'usage' });
        return (error as MongoError).message;
      }
      return 'accepted';
    };
    expect(refusal({ seeds: [] })).toContain('no seeds');
    expect(refusal({ seeds: hosts, directConnection: true })).toContain('directConnection=true allows one seed');
    expect(refusal({ seeds: hosts, loadBalanced: true })).toContain('loadBalanced=true allows one seed');
    expect(refusal({ seeds: [a], loadBalanced: true, replicaSet: 'rs' })).toContain('exclude each other');
    expect(refusal({ seeds: [a], loadBalanced: true, directConnection: true })).toContain('exclude each other');
    expect(refusal({ seeds: [a], heartbeatFrequencyMS: 499 })).toContain('at least 500');
  });

  test(
    'describes a load balancer without monitoring it',
    scene({}, async ({ open, emitted, pools, sleep }) => {
      const topology = open({ seeds: [a], loadBalanced: true });
      const chosen = topology.select(preferring({ mode: 'secondary' }));
      expect(chosen).toMatchObject({ description: { address: a, type: 'LoadBalancer' } });
      const serviceId = { toHexString: () => '01' } as never;
      const { origin } = at(a);
      topology.report(new MongoError('network', 'reset', { origin }));
      topology.report(
        new MongoError('network', 'reset', { origin: { ...origin, phase: 'hello', serviceId: undefined } }),
      );
      expect(pools.get(a)?.log).toEqual(['ready']);
      topology.report(new MongoError('network', 'reset', { origin: { ...origin, serviceId } }));
      expect(pools.get(a)?.log).toEqual(['ready', 'clear']);
      expect(types(topology)).toEqual({ [a]: 'LoadBalancer' });
      await sleep(60_000);
      await topology.close();
      expect(names(emitted)).toEqual([
        'topologyOpening',
        'topologyDescriptionChanged',
        'serverOpening a:27017',
        'serverDescriptionChanged a:27017',
        'topologyDescriptionChanged',
        'serverSelectionStarted',
        'serverSelectionSucceeded a:27017',
        'serverClosed a:27017',
        'topologyDescriptionChanged',
        'topologyClosed',
      ]);
    }),
  );
});

describe('Server Monitoring, "Network or command error during server check"', () => {
  test(
    'a network error of a known server marks it Unknown, clears its pool and checks again at once, then pauses',
    scene({ [a]: server({}) }, async ({ open, servers, pools, sleep }) => {
      const topology = open({ seeds: [a] });
      topology.open();
      await sleep(10);
      servers[a]!.failure = new MongoError('network', 'reset');
      await sleep(19_000);
      await topology.close();
      expect(servers[a]?.checks).toEqual(['0 connect monitor 1', '10002 admin.hello', '10004 connect monitor 2']);
      expect(pools.get(a)?.log).toEqual(['ready', 'clear', 'clear', 'close']);
    }),
  );

  test(
    'a timeout interrupts connections in use; a command error causes no immediate check',
    scene({ [a]: server({}) }, async ({ open, servers, pools, sleep }) => {
      const topology = open({ seeds: [a], connectTimeoutMS: 100 });
      topology.open();
      await sleep(10);
      servers[a]!.isSilent = true;
      await sleep(10_095);
      expect(pools.get(a)?.log).toEqual(['ready', 'clear, interrupt']);
      expect(servers[a]?.checks.at(-1)).toBe('10102 connect monitor 2');
      servers[a]!.isSilent = false;
      await sleep(10_200);
      servers[a]!.failure = new MongoError('server', 'not now', { code: 1 });
      const before = servers[a]!.checks.length;
      await sleep(10_000);
      expect(servers[a]!.checks.length - before).toBe(1);
      expect(types(topology)).toEqual({ [a]: 'Unknown' });
      await topology.close();
    }),
  );
});

describe('Server Discovery and Monitoring, "Application errors"', () => {
  const known = (program: (scene: Scene & { readonly topology: Topology; readonly log: string[] }) => Promise<void>) =>
    scene(set(), async inner => {
      const topology = inner.open();
      topology.open();
      await inner.sleep(1000);
      const log = inner.pools.get(a)!.log;
      log.length = 0;
      await program({ ...inner, topology, log });
      await topology.close();
    });

  test(
    'a network error marks the server Unknown, clears its pool, cancels the check and requests none',
    known(async ({ topology, log, servers, sleep }) => {
      topology.report(new MongoError('network', 'reset', at(a)));
      expect(types(topology)).toEqual({ [a]: 'Unknown', [b]: 'RSSecondary' });
      expect(topology.description.type).toBe('ReplicaSetNoPrimary');
      expect(log).toEqual(['clear']);
      expect(servers[a]?.openConnections).toBe(0);
      await sleep(5000);
      expect(servers[a]?.checks).toHaveLength(1);
    }),
  );

  test(
    'ignores an error of an older generation',
    known(async ({ topology, log, sleep }) => {
      topology.report(new MongoError('network', 'reset', at(a)));
      await sleep(20_000);
      expect(types(topology)[a]).toBe('RSPrimary');
      topology.report(new MongoError('network', 'reset', at(a)));
      expect(types(topology)[a]).toBe('RSPrimary');
      topology.report(new MongoError('network', 'reset', at(a, 'command', 1)));
      expect(types(topology)[a]).toBe('Unknown');
      expect(log.filter(line => line === 'clear')).toHaveLength(2);
    }),
  );

  test(
    'ignores a timeout, a labelled handshake error, and an error of a command that was not sent',
    known(async ({ topology, log }) => {
      topology.report(new MongoError('timeout', 'slow', at(a)));
      topology.report(new MongoError('network', 'busy', { ...at(a, 'hello'), labels: ['SystemOverloadedError'] }));
      topology.report(new MongoError('pool', 'cleared', at(a, 'checkOut')));
      topology.report(new MongoError('usage', 'wrong', at(a)));
      topology.report(new MongoError('aborted', 'enough', at(a)));
      topology.report(new MongoError('network', 'elsewhere', at('z:27017')));
      topology.report(new MongoError('network', 'nowhere'));
      topology.report(new MongoError('server', 'duplicate key', { code: 11000, ...at(a) }));
      expect(types(topology)).toEqual({ [a]: 'RSPrimary', [b]: 'RSSecondary' });
      expect(log).toEqual([]);
    }),
  );

  test(
    'a failed authentication marks the server Unknown and clears its pool',
    known(async ({ topology, log }) => {
      topology.report(new MongoError('auth', 'wrong password', at(a, 'auth')));
      expect(types(topology)[a]).toBe('Unknown');
      expect(log).toEqual(['clear']);
    }),
  );

  test(
    'not writable primary marks the server Unknown, keeps the pool and checks at once',
    known(async ({ topology, log, servers, sleep }) => {
      topology.report(new MongoError('server', 'not primary', { code: 10107, ...at(a) }));
      expect(types(topology)[a]).toBe('Unknown');
      expect(servers[a]?.checks.at(-1)).toBe('1000 admin.hello');
      await sleep(100);
      expect(types(topology)[a]).toBe('RSPrimary');
      expect(log).toEqual(['ready']);
    }),
  );

  test(
    'a server that becomes Unknown loses its round-trip times',
    known(async ({ topology, servers, sleep }) => {
      servers[a]!.delay = 22;
      topology.report(new MongoError('server', 'not primary', { code: 10107, ...at(a) }));
      await sleep(100);
      expect(topology.description.servers.get(a)).toMatchObject({ roundTripTime: 22, minRoundTripTime: 0 });
    }),
  );

  test(
    'a shutdown also clears the pool',
    known(async ({ topology, log }) => {
      topology.report(new MongoError('server', 'bye', { code: 91, ...at(a) }));
      expect(types(topology)[a]).toBe('Unknown');
      expect(log).toEqual(['clear']);
    }),
  );

  test(
    'handles inputs that the effects of one error cause after that error, in the same tick',
    known(async ({ topology, pools, log }) => {
      // Interrupted operations report their errors while the pool is being cleared.
      pools.get(a)!.onClear = () => topology.report(new MongoError('network', 'interrupted', at(a)));
      topology.report(new MongoError('network', 'reset', at(a)));
      expect(log).toEqual(['clear']);
    }),
  );
});

describe('Server Selection', () => {
  test(
    'a known deployment returns a server synchronously, and the same object until the deployment changes',
    scene(set(), async ({ open, sleep }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      const wanted = request(ping);
      const first = topology.select(wanted);
      expect(first).toMatchObject({ description: { address: a, type: 'RSPrimary' } });
      expect(topology.select(wanted)).toBe(first);
      topology.report(new MongoError('network', 'reset', at(b)));
      expect(topology.select(wanted)).not.toBe(first);
      await topology.close();
    }),
  );

  test(
    'an operation proceeds as soon as one server is suitable, even if others are not checked yet',
    scene(set(), async ({ open, servers, clock }) => {
      servers[b]!.delay = 5000;
      const topology = open();
      const { description } = await topology.select(request(ping));
      expect([description.address, clock.now()]).toEqual([a, 2]);
      await topology.close();
    }),
  );

  test(
    'fails all waiting operations at once for an error in the options, such as a missing certificate file',
    scene(set(), async ({ open, servers, clock }) => {
      for (const one of [a, b]) servers[one]!.failure = new MongoError('usage', 'no such file');
      const topology = open();
      const failures = await Promise.all([1, 2].map(() => failureOf(Promise.resolve(topology.select(request(ping))))));
      expect(failures.map(({ kind, message }) => [kind, message])).toEqual(Array(2).fill(['usage', 'no such file']));
      expect(failures[0]).not.toBe(failures[1]);
      expect(clock.now()).toBeLessThan(100);
      for (const one of [a, b]) servers[one]!.failure = undefined;
      expect((await topology.select(request(ping))).description.address).toBe(a);
      await topology.close();
    }),
  );

  test(
    'checks all servers every minHeartbeatFrequencyMS while an operation waits',
    scene(set(), async ({ open, servers, sleep, clock }) => {
      servers[a]!.hello = { ...servers[a]!.hello, ...secondary(hosts) };
      const topology = open();
      const chosen = Promise.resolve(topology.select(request(ping)));
      await sleep(1600);
      servers[a]!.hello = { ...servers[a]!.hello, ...primary(hosts) };
      expect((await chosen).description.address).toBe(a);
      expect(clock.now()).toBe(2010);
      expect(servers[a]?.checks).toEqual(servers[b]?.checks);
      expect(servers[a]?.checks).toEqual([
        '0 connect monitor 1',
        '502 admin.hello',
        '1004 admin.hello',
        '1506 admin.hello',
        '2008 admin.hello',
      ]);
      await topology.close();
    }),
  );

  test(
    "a selection that times out reports the operation, each server's state, the time waited and what to do",
    scene({ [b]: server(secondary(hosts)) }, async ({ open, clock }) => {
      const topology = open({ serverSelectionTimeoutMS: 3000 });
      const error = await failureOf(Promise.resolve(topology.select(preferring({ mode: 'primary' }))));
      expect(clock.now()).toBe(3000);
      expect(error.kind).toBe('selection');
      expect(error.origin).toMatchObject({ phase: 'select', sent: false });
      expect(error.message).toBe(
        'No server for find (primary) within 3000 ms. The deployment is ReplicaSetNoPrimary of rs: ' +
          'a:27017 is Unknown (checked 494 ms ago: a:27017 does not exist); ' +
          'b:27017 is RSSecondary, not the primary (checked 488 ms ago). ' +
          'Wait for an election (serverSelectionTimeoutMS sets the limit), or read with secondaryPreferred.',
      );
      expect(error.cause).toMatchObject({ message: 'a:27017 does not exist' });
      await topology.close();
    }),
  );

  test('explains for each server why it does not match: staleness, tags or type', () => {
    const now = 20_000;
    const of = (address: Address, more: Partial<ServerDescription>): ServerDescription => ({
      ...unknownServer(address, { lastUpdateTime: now - 1500 }),
      ...more,
    });
    const servers = [
      of('p:1', { type: 'RSPrimary', lastWriteDate: 500_000 }),
      of('old:1', { type: 'RSSecondary', lastWriteDate: 300_000 }),
      of('far:1', { type: 'RSSecondary', lastWriteDate: 499_000, tags: { dc: 'la' } }),
      of('arbiter:1', { type: 'RSArbiter' }),
      of('recovering:1', { type: 'RSOther' }),
      unknownServer('new:1'),
    ];
    const topology = { ...emptyTopology, servers: new Map(servers.map(one => [one.address, one])) };
    const wanted = { mode: 'secondary', tags: [{ dc: 'ny' }], maxStalenessSeconds: 120 } as const;
    expect(servers.map(one => summaryOf(one, topology, wanted, { now, heartbeatFrequencyMS: 10_000 }))).toEqual([
      'p:1 is RSPrimary, not a secondary (checked 1.5 s ago)',
      'old:1 is RSSecondary, about 210.0 s behind (checked 1.5 s ago)',
      'far:1 is RSSecondary with the tags {dc: la} (checked 1.5 s ago)',
      'arbiter:1 is RSArbiter, which holds no data (checked 1.5 s ago)',
      'recovering:1 is RSOther, which serves no operations (checked 1.5 s ago)',
      'new:1 is Unknown (it has not answered yet)',
    ]);
  });

  test(
    '"Logging": emits the start of a selection, once that it waits, and its end',
    scene(set(), async ({ open, emitted, sleep }) => {
      const topology = open({ serverSelectionTimeoutMS: 3000 });
      await topology.select(request(ping));
      await failureOf(Promise.resolve(topology.select(preferring({ mode: 'secondary', tags: [{ no: 'where' }] }))));
      await sleep(1);
      const logged = emitted.flatMap(event => {
        switch (event.name) {
          case 'serverSelectionStarted':
            return [[event.name, event.operation, event.operationId, event.selector.mode]];
          case 'waitingForSuitableServer':
            return [[event.name, event.operation, event.remainingTimeMS]];
          case 'serverSelectionSucceeded':
            return [[event.name, event.operation, event.address]];
          case 'serverSelectionFailed':
            return [[event.name, event.operation, event.failure.message.slice(0, 21)]];
          default:
            return [];
        }
      });
      expect(logged).toEqual([
        ['serverSelectionStarted', 'ping', 7, 'primary'],
        ['waitingForSuitableServer', 'ping', 3000],
        ['serverSelectionSucceeded', 'ping', a],
        ['serverSelectionStarted', 'find', 7, 'secondary'],
        ['waitingForSuitableServer', 'find', 3000],
        ['serverSelectionFailed', 'find', 'No server for find (s'],
      ]);
      await topology.close();
    }),
  );

  test(
    '"Application-Provided Server Selector": receives the suitable servers for each operation, before the latency window',
    scene(set(), async ({ open, servers, sleep }) => {
      servers[b]!.delay = 100;
      const asked: (readonly Address[])[] = [];
      const topology = open({
        serverSelector: found => {
          asked.push(found.map(({ address }) => address));
          return found.filter(({ address }) => address === b);
        },
      });
      topology.open();
      await sleep(500);
      const nearest = preferring({ mode: 'nearest' });
      expect((await topology.select(nearest)).description.address).toBe(b);
      await topology.select(nearest);
      expect(asked).toEqual([
        [a, b],
        [a, b],
      ]);
      await topology.close();
    }),
  );

  test(
    "waits until the earlier of the request's deadline and serverSelectionTimeoutMS; 0 leaves only the deadline",
    scene({}, async ({ open, clock }) => {
      const topology = open({ serverSelectionTimeoutMS: 0 });
      const wanted = preferring(
        { mode: 'secondary', tags: [{ dc: 'ny', rack: '1' }, {}], maxStalenessSeconds: 120 },
        { deadline: 1234 },
      );
      const error = await failureOf(Promise.resolve(topology.select(wanted)));
      expect(clock.now()).toBe(1234);
      expect(error.message).toContain(
        'find (secondary, tags {dc: ny, rack: 1} or {}, at most 120 s stale) within 1234 ms',
      );
      expect(error.message).toContain('Check that the servers run');
      await topology.close();
    }),
  );

  test(
    'aborting the signal ends the wait at once, and an aborted signal prevents it',
    scene({}, async ({ open, sleep, clock }) => {
      const topology = open();
      const signal = new Cancellation();
      const waiting = failureOf(Promise.resolve(topology.select(request(ping, { signal }))));
      await sleep(50);
      signal.abort('enough');
      for (const error of [await waiting, await failureOf(Promise.resolve(topology.select(request(ping, { signal }))))])
        expect([error.kind, error.cause, error.origin?.sent]).toEqual(['aborted', 'enough', false]);
      expect(clock.now()).toBe(50);
      await topology.close();
    }),
  );

  test(
    'a server with an incompatible version makes every operation fail',
    scene({ [a]: server({ maxWireVersion: 7 }) }, async ({ open }) => {
      const topology = open({ seeds: [a] });
      const error = await failureOf(Promise.resolve(topology.select(request(ping))));
      expect(error.message).toContain('reports wire version 7, but this version of Tessera requires at least 8');
      await topology.close();
    }),
  );

  test(
    'rejects an invalid read preference at once',
    scene(set(), async ({ open, sleep }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      const refusal = async (selection: Selection): Promise<string> => {
        const error = await failureOf(Promise.resolve(topology.select(preferring(selection))));
        expect(error.kind).toBe('usage');
        return error.message;
      };
      expect(await refusal({ mode: 'nearest', maxStalenessSeconds: 89 })).toContain('must be at least 90');
      expect(await refusal({ mode: 'primary', maxStalenessSeconds: 120 })).toContain(
        'does not allow "maxStalenessSeconds"',
      );
      expect(await refusal({ mode: 'primary', tags: [{ dc: 'ny' }] })).toContain('does not allow tags');
      await topology.close();
    }),
  );

  test(
    'selects a server to avoid only if no other server is suitable',
    scene(set(), async ({ open, sleep }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      const chosen = (mode: Selection['mode'], avoid: readonly Address[]) =>
        topology.select(preferring({ mode }, { avoid }));
      expect(chosen('secondaryPreferred', [b])).toMatchObject({ description: { address: a } });
      expect(chosen('primaryPreferred', [a])).toMatchObject({ description: { address: b } });
      expect(chosen('primary', [a])).toMatchObject({ description: { address: a } });
      await topology.close();
    }),
  );

  test(
    'selects the less busy of two servers in the latency window',
    scene(set(), async ({ open, sleep, pools }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      const selection: Selection = { mode: 'nearest' };
      for (const [busy, other] of [
        [a, b],
        [b, a],
      ] as const) {
        pools.get(busy)!.load = 3;
        pools.get(other)!.load = 2;
        for (let round = 0; round < 20; round++)
          expect(topology.select(preferring(selection))).toMatchObject({ description: { address: other } });
      }
      await topology.close();
    }),
  );

  test(
    'with an address, selects that server once it is known, and fails at once if it left',
    scene(set(), async ({ open, servers, sleep, clock }) => {
      const topology = open();
      topology.open();
      await sleep(10);
      expect(topology.select(request(ping), b)).toMatchObject({ description: { address: b } });
      topology.report(new MongoError('server', 'not primary', { code: 10107, ...at(b) }));
      const again = topology.select(request(ping), b);
      expect(again).toBeInstanceOf(Promise);
      expect((await again).description.type).toBe('RSSecondary');

      topology.report(new MongoError('network', 'reset', at(b)));
      servers[b]!.failure = new MongoError('network', 'refused');
      const lost = failureOf(Promise.resolve(topology.select(request(ping), b)));
      servers[a]!.hello = { ...servers[a]!.hello, ...primary([a], { setVersion: 2 }) };
      const began = clock.now();
      const error = await lost;
      expect(error.kind).toBe('selection');
      expect(error.message).toContain('b:27017, where ping has to run');
      expect(clock.now() - began).toBeLessThan(1100);
      expect((await failureOf(Promise.resolve(topology.select(request(ping), b)))).message).toContain('no longer part');
      await topology.close();
    }),
  );
});
