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
  test('SDAM Logging and Monitoring, "Initial Topology Description": the topology is told first, then each seed', () => {
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

  test('"Initial TopologyType": what the options say decides', () => {
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

  test('Load Balancers, "Monitoring": the balancer is known at once, and its pool is ready before anyone hears of it', () => {
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

test('SDAM Logging and Monitoring, "Closing": each server, then the topology without servers, then the end', () => {
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

describe('a server answered hello', () => {
  const before = afterChecks(settingsOf());
  const checked = (one: ServerDescription, of = before, settings = settingsOf()) =>
    reduce(of, { type: 'checked', server: one }, settings);

  test('CMAP "Paused": the pool of a data-bearing server is ready before anyone hears of the server', () => {
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

  test('an arbiter, which bears no data, gets no ready pool in a set, but does where it was named directly', () => {
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

  test('a server that is removed by its own answer gets no ready pool', () => {
    const sharded = afterChecks(settingsOf({ seeds: [a, b] }), server(b, 'Mongos'));
    expect(effectsInShort(checked(server(a, 'Standalone'), sharded).effects)).toEqual([
      'serverDescriptionChanged',
      'closeServer a',
      'serverClosed',
      'topologyDescriptionChanged',
    ]);
  });

  test('"Updating the TopologyDescription": the answer of a server that was removed meanwhile changes nothing', () => {
    expect(checked(server(b, 'Mongos'))).toEqual({ description: before, effects: [] });
  });

  test('"topologyVersion Comparison": an answer that is older than what is known changes nothing, an equal one does', () => {
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

  test('the server is Unknown with the error, its pool is cleared, and it is asked again at once', () => {
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

  test('a timeout interrupts the connections in use', () => {
    const error = new MongoError('timeout', 'late');
    expect(failedWith(error).effects.slice(2)).toEqual([
      clearPool(error, true),
      { type: 'checkNow', address: a, rest: 'none' },
    ]);
  });

  test('a command error is not asked again at once', () => {
    const error = new MongoError('server', 'no');
    expect(failedWith(error).effects.slice(2)).toEqual([clearPool(error, false)]);
  });

  test('nor is a server that was Unknown', () => {
    const error = new MongoError('network', 'reset');
    const unknown = topology('Unknown', [unknownServer(a)]);
    expect(failedWith(error, unknown).effects.slice(2)).toEqual([clearPool(error, false)]);
  });

  test('the failure of a server that was removed meanwhile changes nothing', () => {
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

  test('a network error: Unknown with the error, then the pool cleared and the check given up', () => {
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

  test('the version of a state change is kept, so that an older answer is not believed', () => {
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
    ['that tells no address', broken(undefined), known, 3],
    ['that tells no origin', new MongoError('network', 'reset'), known, 3],
  ] as const)('an error %s changes nothing', (_, error, before, generation) => {
    expect(failed(error, before, generation)).toEqual({ description: before, effects: [] });
  });

  test('Load Balancers, "Error Handling": the balancer stays what it is, and one service is cleared', () => {
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

  test('who is not named any more is removed, who is new is added, and those that stay are left alone', () => {
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

  test('"srvMaxHosts": new hosts are taken in their order until there are enough', () => {
    expect([...rescanned([c, 'd:1', b], 2).description.servers.keys()]).toEqual([b, c]);
    expect([...rescanned([c, 'd:1', b], 0).description.servers.keys()]).toEqual([b, c, 'd:1']);
    expect([...rescanned([c, 'd:1', b], 1).description.servers.keys()]).toEqual([b]);
  });

  test('the same hosts change nothing that anyone hears of', () => {
    expect(rescanned([b, a])).toEqual({ description: mongoses, effects: [] });
  });

  test('no hosts leave the deployment as it is', () => {
    expect(rescanned([])).toEqual({ description: mongoses, effects: [] });
  });

  test('only a deployment that is sharded, or not known yet, is looked for again', () => {
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
