import { MongoError } from '@tessera/contracts';
import type { ServerDescription, TopologyDescription } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { reduce } from '../src/description/reduce.js';
import { loadBalancer, unknownServer } from '../src/description/server-description.js';
import { emptyTopology } from '../src/description/topology-description.js';
import { a, afterChecks, b, c, effectsInShort, member, server, settingsOf, topology } from './described.js';

const topologyId = 7;
const opening = (address: string) => [
  { type: 'event', event: { name: 'serverOpening', topologyId, address } },
  { type: 'openServer', address },
];
const topologyChanged = (previousDescription: TopologyDescription, newDescription: TopologyDescription) => ({
  type: 'event',
  event: { name: 'topologyDescriptionChanged', topologyId, previousDescription, newDescription },
});
const serverChanged = (previousDescription: ServerDescription, newDescription: ServerDescription) => ({
  type: 'event',
  event: {
    name: 'serverDescriptionChanged',
    topologyId,
    address: newDescription.address,
    previousDescription,
    newDescription,
  },
});

describe('opening', () => {
  test('SDAM Logging and Monitoring, "Initial Topology Description": emits the event of the topology first, then one for each seed', () => {
    const settings = settingsOf({ seeds: [a, b] });
    const description = topology('Unknown', [unknownServer(a), unknownServer(b)]);
    expect(reduce(emptyTopology, { type: 'open' }, settings)).toEqual({
      description,
      effects: [
        { type: 'event', event: { name: 'topologyOpening', topologyId } },
        topologyChanged(emptyTopology, description),
        ...opening(a),
        ...opening(b),
      ],
    });
  });

  test('"Initial TopologyType": follows from the options', () => {
    const typeWith = (more: Parameters<typeof settingsOf>[0]) => {
      const { type, setName } = reduce(emptyTopology, { type: 'open' }, settingsOf(more)).description;
      return [type, setName];
    };
    expect(typeWith({})).toEqual(['Unknown', undefined]);
    expect(typeWith({ replicaSet: 'rs' })).toEqual(['ReplicaSetNoPrimary', 'rs']);
    expect(typeWith({ directConnection: true })).toEqual(['Single', undefined]);
    expect(typeWith({ directConnection: true, replicaSet: 'rs' })).toEqual(['Single', 'rs']);
    expect(typeWith({ loadBalanced: true })).toEqual(['LoadBalanced', undefined]);
  });

  test('Load Balancers, "Monitoring": describes the load balancer at once, and makes its pool ready before any event', () => {
    const unknown = topology('LoadBalanced', [unknownServer(a)]);
    const balanced = topology('LoadBalanced', [loadBalancer(a)]);
    expect(reduce(emptyTopology, { type: 'open' }, settingsOf({ loadBalanced: true }))).toEqual({
      description: balanced,
      effects: [
        { type: 'event', event: { name: 'topologyOpening', topologyId } },
        topologyChanged(emptyTopology, unknown),
        ...opening(a),
        { type: 'readyPool', address: a },
        serverChanged(unknownServer(a), loadBalancer(a)),
        topologyChanged(unknown, balanced),
      ],
    });
  });
});

test('SDAM Logging and Monitoring, "Closing": emits events for each server, then for the empty topology, then for the end', () => {
  const before = afterChecks(settingsOf({ seeds: [a, b] }), server(a, 'Mongos'));
  expect(reduce(before, { type: 'close' }, settingsOf())).toEqual({
    description: emptyTopology,
    effects: [
      { type: 'closeServer', address: a },
      { type: 'event', event: { name: 'serverClosed', topologyId, address: a } },
      { type: 'closeServer', address: b },
      { type: 'event', event: { name: 'serverClosed', topologyId, address: b } },
      topologyChanged(before, emptyTopology),
      { type: 'event', event: { name: 'topologyClosed', topologyId } },
    ],
  });
});

describe('a hello reply', () => {
  const before = afterChecks(settingsOf());
  const checked = (one: ServerDescription, of = before, settings = settingsOf()) =>
    reduce(of, { type: 'checked', server: one }, settings);

  test('CMAP "Paused": makes the pool of a data-bearing server ready before any event of the server', () => {
    const standalone = server(a, 'Standalone', { logicalSessionTimeoutMinutes: 30 });
    const description = topology('Single', [standalone], { logicalSessionTimeoutMinutes: 30 });
    expect(checked(standalone)).toEqual({
      description,
      effects: [
        { type: 'readyPool', address: a },
        serverChanged(unknownServer(a), standalone),
        topologyChanged(before, description),
      ],
    });
  });

  test('keeps the pool of an arbiter paused in a set, but makes it ready if the arbiter is the only, directly connected server', () => {
    const arbiter = member(a, 'RSArbiter');
    const seeds = settingsOf({ seeds: [a, b] });
    expect(effectsInShort(checked(arbiter, afterChecks(seeds), seeds).effects)).toEqual([
      'serverDescriptionChanged',
      'topologyDescriptionChanged',
    ]);
    const directly = settingsOf({ directConnection: true });
    expect(effectsInShort(checked(arbiter, afterChecks(directly), directly).effects)).toEqual([
      'readyPool a',
      'serverDescriptionChanged',
      'topologyDescriptionChanged',
    ]);
    expect(effectsInShort(checked(unknownServer(a), afterChecks(directly), directly).effects)).toEqual([]);
  });

  test('keeps the pool of a server paused if its own reply removes it', () => {
    const sharded = afterChecks(settingsOf({ seeds: [a, b] }), server(b, 'Mongos'));
    expect(effectsInShort(checked(server(a, 'Standalone'), sharded).effects)).toEqual([
      'serverDescriptionChanged',
      'closeServer a',
      'serverClosed',
      'topologyDescriptionChanged',
    ]);
  });

  test('"Updating the TopologyDescription": ignores a reply of a server that was removed meanwhile', () => {
    expect(checked(server(b, 'Mongos'))).toEqual({ description: before, effects: [] });
  });

  test('"topologyVersion Comparison": ignores a reply that is older than the known version, and takes an equal one', () => {
    const processId = ObjectId.createFromTime(1);
    const at = (counter: bigint, more: Partial<ServerDescription> = {}) =>
      server(a, 'Standalone', { topologyVersion: { processId, counter }, ...more });
    const known = checked(at(5n)).description;
    expect(checked(at(4n), known)).toEqual({ description: known, effects: [] });
    const again = at(5n, { lastUpdateTime: 9 });
    expect(checked(again, known)).toEqual({
      description: topology('Single', [again]),
      effects: [{ type: 'readyPool', address: a }],
    });
  });
});

describe('Server Monitoring, "Network or command error during server check"', () => {
  const known = afterChecks(settingsOf(), server(a, 'Mongos'));
  const failedWith = (error: MongoError, before = known) =>
    reduce(before, { type: 'checkFailed', address: a, error, at: 5 }, settingsOf());
  const clearPool = (cause: MongoError, interruptInUse: boolean) => ({
    type: 'clearPool',
    address: a,
    cause,
    serviceId: undefined,
    interruptInUse,
  });

  test('marks the server Unknown with the error, clears its pool, and checks it again at once', () => {
    const error = new MongoError('network', 'reset');
    const unknown = unknownServer(a, { error, lastUpdateTime: 5 });
    const description = topology('Sharded', [unknown]);
    expect(failedWith(error)).toEqual({
      description,
      effects: [
        serverChanged(server(a, 'Mongos'), unknown),
        topologyChanged(known, description),
        clearPool(error, false),
        { type: 'checkNow', address: a, rest: 'none' },
      ],
    });
  });

  test('interrupts connections in use after a timeout', () => {
    const error = new MongoError('timeout', 'late');
    expect(failedWith(error).effects.slice(2)).toEqual([
      clearPool(error, true),
      { type: 'checkNow', address: a, rest: 'none' },
    ]);
  });

  test('does not check again at once after a command error', () => {
    const error = new MongoError('server', 'no');
    expect(failedWith(error).effects.slice(2)).toEqual([clearPool(error, false)]);
  });

  test('does not check a server again at once that was Unknown before', () => {
    const error = new MongoError('network', 'reset');
    const unknown = topology('Unknown', [unknownServer(a)]);
    expect(failedWith(error, unknown).effects.slice(2)).toEqual([clearPool(error, false)]);
  });

  test('ignores the failed check of a server that was removed meanwhile', () => {
    const others = topology('Sharded', [server(b, 'Mongos')]);
    expect(failedWith(new MongoError('network', 'reset'), others)).toEqual({ description: others, effects: [] });
  });
});

describe('Server Discovery and Monitoring, "Application errors"', () => {
  const known = afterChecks(settingsOf(), server(a, 'Mongos'));
  const broken = (address: string | undefined) =>
    new MongoError('network', 'reset', { origin: { phase: 'command', sent: true, address, generation: 3 } });
  const failed = (error: MongoError, before = known, generation = 3) =>
    reduce(before, { type: 'failed', error, generation, at: 5 }, settingsOf());

  test('a network error: marks the server Unknown with the error, then clears the pool and cancels the check', () => {
    const error = broken(a);
    const unknown = unknownServer(a, { error, lastUpdateTime: 5 });
    const description = topology('Sharded', [unknown]);
    expect(failed(error)).toEqual({
      description,
      effects: [
        serverChanged(server(a, 'Mongos'), unknown),
        topologyChanged(known, description),
        { type: 'clearPool', address: a, cause: error, serviceId: undefined, interruptInUse: false },
        { type: 'cancelCheck', address: a },
      ],
    });
  });

  test('keeps the topologyVersion of a state change error, so that an older hello reply is ignored', () => {
    const processId = ObjectId.createFromTime(1);
    const error = new MongoError('server', 'not primary', {
      code: 10107,
      reply: { topologyVersion: { processId, counter: 8n } },
      origin: { phase: 'command', sent: true, address: a, generation: 3 },
    });
    expect(failed(error).description).toEqual(
      topology('Sharded', [
        unknownServer(a, { error, lastUpdateTime: 5, topologyVersion: { processId, counter: 8n } }),
      ]),
    );
  });

  test.each([
    ['of an older generation', broken(a), known, 4],
    ['of a server that is not part of the deployment', broken(b), known, 3],
    ['without an address', broken(undefined), known, 3],
    ['without an origin', new MongoError('network', 'reset'), known, 3],
  ] as const)('an error %s changes nothing', (_, error, before, generation) => {
    expect(failed(error, before, generation)).toEqual({ description: before, effects: [] });
  });

  test('Load Balancers, "Error Handling": keeps the load balancer\'s description and clears one service', () => {
    const balanced = afterChecks(settingsOf({ loadBalanced: true }));
    const serviceId = ObjectId.createFromTime(2);
    const error = new MongoError('network', 'reset', {
      origin: { phase: 'command', sent: true, address: a, generation: 3, serviceId },
    });
    expect(failed(error, balanced)).toEqual({
      description: balanced,
      effects: [{ type: 'clearPool', address: a, cause: error, serviceId, interruptInUse: false }],
    });
  });
});

describe('Polling SRV Records for mongos Discovery, "Implementation"', () => {
  const mongoses = afterChecks(settingsOf({ seeds: [a, b] }), server(a, 'Mongos'), server(b, 'Mongos'));
  const rescanned = (hosts: readonly string[], srvMaxHosts = 0, before = mongoses) =>
    reduce(before, { type: 'rescanned', hosts }, settingsOf({ srvMaxHosts }));

  test('removes hosts that are no longer listed, adds new ones, and keeps the others unchanged', () => {
    const description = topology('Sharded', [server(b, 'Mongos'), unknownServer(c)]);
    expect(rescanned([b, c])).toEqual({
      description,
      effects: [
        { type: 'closeServer', address: a },
        { type: 'event', event: { name: 'serverClosed', topologyId, address: a } },
        ...opening(c),
        topologyChanged(mongoses, description),
      ],
    });
  });

  test('"srvMaxHosts": adds new hosts in their order up to the limit', () => {
    expect([...rescanned([c, 'd:1', b], 2).description.servers.keys()]).toEqual([b, c]);
    expect([...rescanned([c, 'd:1', b], 0).description.servers.keys()]).toEqual([b, c, 'd:1']);
    expect([...rescanned([c, 'd:1', b], 1).description.servers.keys()]).toEqual([b]);
  });

  test('emits no event if the hosts are the same', () => {
    expect(rescanned([b, a])).toEqual({ description: mongoses, effects: [] });
  });

  test('keeps the deployment if the lookup returns no hosts', () => {
    expect(rescanned([])).toEqual({ description: mongoses, effects: [] });
  });

  test('polls only for a topology that is Sharded or Unknown', () => {
    const unknown = afterChecks(settingsOf());
    expect([...rescanned([c], 0, unknown).description.servers.keys()]).toEqual([c]);
    for (const before of [
      afterChecks(settingsOf({ seeds: [a, b] }), member(a, 'RSPrimary')),
      afterChecks(settingsOf({ replicaSet: 'rs' })),
      afterChecks(settingsOf(), server(a, 'Standalone')),
      afterChecks(settingsOf({ loadBalanced: true })),
    ])
      expect(rescanned([c], 0, before)).toEqual({ description: before, effects: [] });
  });
});
