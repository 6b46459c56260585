import { MongoError } from '@tessera/contracts';
import type { ServerDescription, TopologyDescription } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { sameServer } from '../src/description/server-description.js';
import { derived, maxWireVersion, minWireVersion, sameTopology } from '../src/description/topology-description.js';
import { a, b, member, server, topology } from './described.js';

const id = (time: number): ObjectId => ObjectId.createFromTime(time);

const known: ServerDescription = member(a, 'RSPrimary', {
  error: new MongoError('network', 'reset'),
  minWireVersion: 1,
  passives: ['p:1'],
  arbiters: ['x:1'],
  tags: { dc: 'ny', rack: '1' },
  setVersion: 1,
  electionId: id(1),
  primary: a,
  logicalSessionTimeoutMinutes: 30,
  topologyVersion: { processId: id(1), counter: 1n },
});

describe('"Server Description Equality"', () => {
  test('descriptions with the same values are equal, in any order and with other objects', () => {
    expect(
      sameServer(known, {
        ...known,
        error: new MongoError('network', 'reset'),
        hosts: [b, a],
        tags: { rack: '1', dc: 'ny' },
        electionId: id(1),
        topologyVersion: { processId: id(1), counter: 1n },
      }),
    ).toBe(true);
  });

  test('round-trip times and times of checks do not matter', () => {
    const later = { roundTripTime: 9, minRoundTripTime: 9, lastUpdateTime: 9, lastWriteDate: 9 };
    expect(sameServer(known, { ...known, ...later })).toBe(true);
  });

  test.each<Partial<ServerDescription>>([
    { type: 'RSSecondary' },
    { error: undefined },
    { error: new MongoError('network', 'refused') },
    { error: new MongoError('timeout', 'reset') },
    { minWireVersion: 2 },
    { maxWireVersion: 26 },
    { me: b },
    { hosts: [a] },
    { hosts: [a, b, b] },
    { hosts: [a, 'c:1'] },
    { passives: [] },
    { arbiters: ['y:1'] },
    { tags: { dc: 'ny' } },
    { tags: { dc: 'ny', rack: '2' } },
    { tags: { dc: 'ny', row: '1' } },
    { tags: { dc: 'ny', rack: '1', row: '1' } },
    { setName: 'other' },
    { setVersion: 2 },
    { electionId: id(2) },
    { electionId: undefined },
    { primary: undefined },
    { logicalSessionTimeoutMinutes: 31 },
    { topologyVersion: undefined },
    { topologyVersion: { processId: id(1), counter: 2n } },
    { topologyVersion: { processId: id(2), counter: 1n } },
  ])('%o makes the descriptions unequal', changes => {
    expect([sameServer(known, { ...known, ...changes }), sameServer({ ...known, ...changes }, known)]).toEqual([
      false,
      false,
    ]);
  });

  test('fields that both descriptions lack are equal', () => {
    expect(sameServer(server(a, 'Standalone'), server(a, 'Standalone'))).toBe(true);
  });
});

describe('equality of topologies', () => {
  const set: TopologyDescription = topology('ReplicaSetWithPrimary', [known, member(b, 'RSSecondary')], {
    setName: 'rs',
    maxElectionId: id(1),
    maxSetVersion: 1,
    logicalSessionTimeoutMinutes: 30,
  });

  test('topologies with the same values are equal, in any order', () => {
    const servers = topology('Unknown', [member(b, 'RSSecondary'), { ...known }]).servers;
    expect(sameTopology(set, { ...set, servers, maxElectionId: id(1) })).toBe(true);
  });

  test.each<Partial<TopologyDescription>>([
    { type: 'ReplicaSetNoPrimary' },
    { setName: 'other' },
    { maxElectionId: id(2) },
    { maxElectionId: undefined },
    { maxSetVersion: 2 },
    { compatibilityError: 'too old' },
    { logicalSessionTimeoutMinutes: 10 },
    { servers: new Map() },
    { servers: topology('Unknown', [known]).servers },
    { servers: topology('Unknown', [known, member(b, 'RSArbiter')]).servers },
    { servers: topology('Unknown', [known, member('c:1', 'RSSecondary')]).servers },
    { servers: topology('Unknown', [known, member(b, 'RSSecondary'), member('c:1', 'RSSecondary')]).servers },
  ])('%o makes the topologies unequal', changes => {
    expect([sameTopology(set, { ...set, ...changes }), sameTopology({ ...set, ...changes }, set)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('fields derived from the servers', () => {
  const of = (...servers: readonly ServerDescription[]) => derived(topology('Unknown', servers).servers);

  test('"Checking wire protocol compatibility": the error names the first incompatible server and what to do', () => {
    const old = server(b, 'Mongos', { maxWireVersion: minWireVersion - 1 });
    const young = server(a, 'Mongos', { minWireVersion: maxWireVersion + 1, maxWireVersion: maxWireVersion + 2 });
    expect(of(server(a, 'Mongos'), old).compatibilityError).toBe(
      'Server at b:27017 reports wire version 7, but this version of Tessera requires at least 8 (MongoDB 4.2); upgrade the server.',
    );
    expect(of(young, old).compatibilityError).toBe(
      'Server at a:27017 requires wire version 30, but this version of Tessera only supports up to 29; upgrade the driver.',
    );
  });

  test('version ranges that only just overlap are compatible, and so is a server without a version', () => {
    const fitting = [
      server(a, 'Mongos', { minWireVersion: 0, maxWireVersion: minWireVersion }),
      server(b, 'Mongos', { minWireVersion: maxWireVersion, maxWireVersion: 99 }),
      server('c:1', 'Unknown', { maxWireVersion: 0 }),
      server('d:1', 'LoadBalancer', { maxWireVersion: 0 }),
    ];
    expect(of(...fitting).compatibilityError).toBe(undefined);
  });

  test('"Logical Session Timeout": the minimum of the data-bearing servers, or none if one of them has none', () => {
    const minutes = (address: string, logicalSessionTimeoutMinutes: number | undefined) =>
      member(address, 'RSSecondary', { logicalSessionTimeoutMinutes });
    const timeout = (...servers: readonly ServerDescription[]) => of(...servers).logicalSessionTimeoutMinutes;
    expect(timeout(minutes(a, 30), minutes(b, 20), minutes('c:1', 25))).toBe(20);
    expect(timeout(minutes(a, 20), minutes(b, undefined))).toBe(undefined);
    expect(timeout(minutes(a, undefined), minutes(b, 20))).toBe(undefined);
    expect(timeout(minutes(a, 20), member(b, 'RSArbiter', { logicalSessionTimeoutMinutes: 10 }))).toBe(20);
    expect(timeout(minutes(a, 20), server(b, 'Unknown'))).toBe(20);
    expect(timeout(server(b, 'Unknown'))).toBe(undefined);
  });
});
