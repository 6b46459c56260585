import type { Document, ServerDescription } from '@tessera/contracts';
import { Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import {
  compareTopologyVersions,
  dateOf,
  isAvailable,
  isDataBearing,
  loadBalancer,
  serverFromHello,
  tagsOf,
  topologyVersionOf,
  unknownServer,
} from '../src/description/server-description.js';
import { a } from './described.js';

const measured = { lastUpdateTime: 5, roundTripTime: 2, minRoundTripTime: 1 };
const typeOf = (hello: Document): string => serverFromHello(a, hello, measured).type;

describe('"Parsing a hello or legacy hello response"', () => {
  test.each<[ServerDescription['type'], Document]>([
    ['Unknown', {}],
    ['Unknown', { ok: 0, msg: 'isdbgrid' }],
    ['Unknown', { ok: false, msg: 'isdbgrid' }],
    ['Standalone', { ok: 1 }],
    ['Standalone', { ok: true }],
    ['Standalone', { ok: Long.ONE, isWritablePrimary: true, secondary: true, msg: 'hello' }],
    ['Mongos', { ok: 1, msg: 'isdbgrid', setName: 'rs', isreplicaset: true }],
    ['RSGhost', { ok: 1, isreplicaset: true, setName: 'rs', secondary: true }],
    ['Standalone', { ok: 1, isreplicaset: false }],
    ['RSOther', { ok: 1, setName: 'rs', hidden: true, isWritablePrimary: true, secondary: true }],
    ['RSPrimary', { ok: 1, setName: 'rs', isWritablePrimary: true, hidden: false }],
    ['RSPrimary', { ok: 1, setName: 'rs', ismaster: true, secondary: true }],
    ['RSSecondary', { ok: 1, setName: 'rs', isWritablePrimary: false, ismaster: true, secondary: true }],
    ['RSSecondary', { ok: 1, setName: 'rs', secondary: true, arbiterOnly: true }],
    ['RSArbiter', { ok: 1, setName: 'rs', secondary: false, arbiterOnly: true }],
    ['RSOther', { ok: 1, setName: 'rs', secondary: false, arbiterOnly: false }],
    ['RSOther', { ok: 1, setName: 'rs' }],
  ])('%s: %o', (type, hello) => {
    expect(typeOf(hello)).toBe(type);
  });

  test('ignores the path of a Unix socket in place of a host', () => {
    const hosts = ['a:1', '/tmp/MongoDB-27017.SOCK', 'b.sock:2'];
    const {
      hosts: taken,
      passives,
      arbiters,
      me,
      primary,
    } = serverFromHello(
      a,
      { ok: 1, setName: 'rs', hosts, passives: hosts, arbiters: hosts, me: hosts[1], primary: hosts[1] },
      measured,
    );
    const names = ['a:1', 'b.sock:2'];
    expect([taken, passives, arbiters, me, primary]).toEqual([names, names, names, undefined, undefined]);
  });

  test('takes only the first 500 names of an overlong list', () => {
    const hosts = Array.from({ length: 600 }, (_, index) => `h${String(index)}:1`);
    const {
      hosts: taken,
      passives,
      arbiters,
    } = serverFromHello(a, { ok: 1, setName: 'rs', hosts, passives: hosts, arbiters: hosts }, measured);
    const first = hosts.slice(0, 500);
    expect([taken, passives, arbiters]).toEqual([first, first, first]);
  });

  test('copies every field in the form of the description, with names in lower case', () => {
    const [electionId, processId] = [ObjectId.createFromTime(1), ObjectId.createFromTime(2)];
    const hello = {
      ok: 1,
      isWritablePrimary: true,
      lastWrite: { lastWriteDate: new Date(9) },
      minWireVersion: 8,
      maxWireVersion: Long.fromNumber(25),
      me: 'A:27017',
      hosts: ['A:27017', 'B:1'],
      passives: ['C:1'],
      arbiters: ['D:1'],
      tags: { dc: 'ny' },
      setName: 'rs',
      setVersion: 3,
      electionId,
      primary: 'A:27017',
      logicalSessionTimeoutMinutes: 30,
      topologyVersion: { processId, counter: Long.fromNumber(6) },
    };
    expect(serverFromHello(a, hello, measured)).toEqual({
      address: a,
      type: 'RSPrimary',
      error: undefined,
      ...measured,
      lastWriteDate: 9,
      minWireVersion: 8,
      maxWireVersion: 25,
      me: 'a:27017',
      hosts: ['a:27017', 'b:1'],
      passives: ['c:1'],
      arbiters: ['d:1'],
      tags: { dc: 'ny' },
      setName: 'rs',
      setVersion: 3,
      electionId,
      primary: 'a:27017',
      logicalSessionTimeoutMinutes: 30,
      topologyVersion: { processId, counter: 6n },
    });
  });

  test('missing fields are empty, and missing wire versions are 0', () => {
    expect(serverFromHello(a, { ok: 1 }, measured)).toEqual({ ...unknownServer(a), type: 'Standalone', ...measured });
  });

  test('takes only the time from a reply that is not ok', () => {
    const hello = { ok: 0, setName: 'rs', maxWireVersion: 25, hosts: ['b:1'] };
    expect(serverFromHello(a, hello, measured)).toEqual(unknownServer(a, { lastUpdateTime: 5 }));
  });
});

test('"ServerDescription": the default is an Unknown server without fields that was never checked', () => {
  expect(unknownServer(a)).toEqual({
    address: a,
    type: 'Unknown',
    error: undefined,
    roundTripTime: undefined,
    minRoundTripTime: 0,
    lastUpdateTime: -Infinity,
    lastWriteDate: undefined,
    minWireVersion: 0,
    maxWireVersion: 0,
    me: undefined,
    hosts: [],
    passives: [],
    arbiters: [],
    tags: {},
    setName: undefined,
    setVersion: undefined,
    electionId: undefined,
    primary: undefined,
    logicalSessionTimeoutMinutes: undefined,
    topologyVersion: undefined,
  });
});

test('classifies each type as in "Data-Bearing Server Type" and Server Selection, "Available"', () => {
  const of = (type: ServerDescription['type']) => ({ ...unknownServer(a), type });
  const types = ['Standalone', 'Mongos', 'RSPrimary', 'RSSecondary', 'LoadBalancer'] as const;
  const others = ['RSArbiter', 'RSOther', 'RSGhost', 'PossiblePrimary', 'Unknown'] as const;
  expect(types.map(type => [isDataBearing(of(type)), isAvailable(of(type))])).toEqual(types.map(() => [true, true]));
  expect(others.map(type => [isDataBearing(of(type)), isAvailable(of(type))])).toEqual([
    ...[0, 1, 2].map(() => [false, true]),
    ...[3, 4].map(() => [false, false]),
  ]);
  expect(loadBalancer(a)).toEqual(of('LoadBalancer'));
});

test('accepts tags only as a document, and reads a date within a document as milliseconds', () => {
  expect([tagsOf({ dc: 'ny' }), tagsOf(null), tagsOf('x'), tagsOf(undefined)]).toEqual([{ dc: 'ny' }, {}, {}, {}]);
  expect(dateOf({ at: new Date(5) }, 'at')).toBe(5);
  expect([dateOf({ at: 5 }, 'at'), dateOf({}, 'at'), dateOf(null, 'at'), dateOf(undefined, 'at')]).toEqual(
    [1, 2, 3, 4].map(() => undefined),
  );
});

describe('"topologyVersion Comparison"', () => {
  const [one, other] = [ObjectId.createFromTime(1), ObjectId.createFromTime(2)];
  const version = (processId: ObjectId, counter: bigint) => ({ processId, counter });

  test('compares the counters if the process ids are equal', () => {
    expect(compareTopologyVersions(version(one, 1n), version(one, 2n))).toBe(-1);
    expect(compareTopologyVersions(version(one, 2n), version(new ObjectId(one.toHexString()), 2n))).toBe(0);
    expect(compareTopologyVersions(version(one, 3n), version(one, 2n))).toBe(1);
  });

  test('compares counters as numbers: 9 is older than 10', () => {
    expect(compareTopologyVersions(version(one, 9n), version(one, 10n))).toBe(-1);
    expect(compareTopologyVersions(version(one, 10n), version(one, 9n))).toBe(1);
  });

  test('the known version is older if the process ids differ or one version is missing', () => {
    expect(compareTopologyVersions(version(one, 3n), version(other, 2n))).toBe(-1);
    expect(compareTopologyVersions(version(one, 3n), undefined)).toBe(-1);
    expect(compareTopologyVersions(undefined, version(one, 3n))).toBe(-1);
    expect(compareTopologyVersions(undefined, undefined)).toBe(-1);
  });

  test('exists only if both process id and counter are present', () => {
    const told = (topologyVersion: unknown) => topologyVersionOf({ topologyVersion });
    expect(told({ processId: one, counter: Long.fromNumber(4) })).toEqual(version(one, 4n));
    expect(told({ processId: one, counter: 4 })).toEqual(version(one, 4n));
    expect([{ processId: one }, { counter: 4 }, null, undefined, 5].map(told)).toEqual(
      [1, 2, 3, 4, 5].map(() => undefined),
    );
    expect(topologyVersionOf(undefined)).toBe(undefined);
  });
});
