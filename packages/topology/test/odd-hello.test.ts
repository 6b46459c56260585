import type { Document, ServerDescription } from '@tessera/contracts';
import { Binary, Decimal128, Long, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reduce } from '../src/description/reduce.js';
import type { TopologySettings } from '../src/description/reduction.js';
import { serverFromHello, unknownServer } from '../src/description/server-description.js';
import { emptyTopology } from '../src/description/topology-description.js';

const address = 'a:27017';

const value = fc.constantFrom<unknown>(
  ...[
    null,
    undefined,
    true,
    false,
    0,
    1,
    -1.5,
    NaN,
    7n,
    '',
    'rs',
    address,
    'B:1',
    [],
    [null],
    [address, 5],
    {},
    { a: 1 },
  ],
  ...[new Date(5), new ObjectId(), Long.MAX_VALUE, Decimal128.fromString('1.5'), new Binary(), new MinKey()],
  ...[new Timestamp({ t: 1, i: 1 }), { toString: 1, valueOf: 1 }, { _bsontype: 'ObjectId' }, { toHexString: 1 }],
);
const orNested = (...names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(value, fc.record(Object.fromEntries(names.map(name => [name, value])), { requiredKeys: [] }));

/** A hello of a replica set member with arbitrary values in any field. */
const hello: fc.Arbitrary<Document> = fc.record(
  {
    ok: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(1, true) }, value),
    setName: fc.constantFrom<unknown>('rs', 'rs', null, 5),
    isWritablePrimary: fc.constantFrom<unknown>(true, false, null),
    secondary: value,
    msg: value,
    hosts: value,
    passives: value,
    arbiters: value,
    me: value,
    tags: value,
    primary: value,
    setVersion: value,
    electionId: value,
    maxWireVersion: value,
    minWireVersion: value,
    logicalSessionTimeoutMinutes: value,
    lastWrite: orNested('lastWriteDate'),
    topologyVersion: orNested('processId', 'counter'),
  },
  { requiredKeys: ['ok'] },
);

const settings: TopologySettings = {
  topologyId: 1,
  seeds: [address],
  replicaSet: undefined,
  directConnection: false,
  loadBalanced: false,
  srvMaxHosts: 0,
};

test('accepts any hello without an exception', () => {
  const measured = { lastUpdateTime: 0, roundTripTime: 1, minRoundTripTime: 1 };
  fc.assert(
    fc.property(fc.array(hello, { minLength: 2, maxLength: 4 }), told => {
      let { description } = reduce(emptyTopology, { type: 'open' }, settings);
      for (const one of told) {
        const server = serverFromHello(address, one, measured);
        ({ description } = reduce(description, { type: 'checked', server }, settings));
        for (const { topologyVersion } of description.servers.values())
          expect(typeof (topologyVersion?.counter ?? 0n)).toBe('bigint');
      }
    }),
    { numRuns: 500 },
  );
});

describe('hello replies with inconsistent fields', () => {
  const known = (told: Document) =>
    serverFromHello(
      address,
      { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 25, ...told },
      measured,
    );
  const measured = { lastUpdateTime: 0, roundTripTime: 1, minRoundTripTime: 1 };
  const after = (servers: readonly ServerDescription[], seeds: readonly string[] = [address]) => {
    let { description } = reduce(emptyTopology, { type: 'open' }, { ...settings, seeds });
    for (const server of servers) ({ description } = reduce(description, { type: 'checked', server }, settings));
    return description;
  };

  test('ignores fields of wrong types', () => {
    const odd = known({
      ...{ setName: 5, hosts: 'a:1', passives: { 0: 'b:1' }, arbiters: [1, 'C:1', null], me: 7, tags: 'x' },
      ...{ setVersion: 'one', electionId: 'two', primary: [], logicalSessionTimeoutMinutes: '30', topologyVersion: 3 },
      ...{ lastWrite: 'now' },
    });
    expect(odd).toEqual({
      ...unknownServer(address, { lastUpdateTime: 0 }),
      type: 'Standalone',
      arbiters: ['c:1'],
      maxWireVersion: 25,
      roundTripTime: 1,
      minRoundTripTime: 1,
    });
  });

  test('negative wire versions mean that the server is too old', () => {
    expect(after([known({ minWireVersion: -3, maxWireVersion: -1 })]).compatibilityError).toContain(
      'a:27017 reports wire version -1, but this version of Tessera requires at least 8',
    );
    expect(after([known({ minWireVersion: 1_000, maxWireVersion: 2_000 })]).compatibilityError).toContain(
      'a:27017 requires wire version 1000',
    );
  });

  test('Server Discovery and Monitoring, "updateRSWithoutPrimary": a member with another name for itself is replaced by that name', () => {
    const member = { isWritablePrimary: false, secondary: true, setName: 'rs' };
    const { servers, type } = after([known({ ...member, hosts: ['b:27017'], me: 'b:27017' })]);
    expect([type, [...servers.keys()]]).toEqual(['ReplicaSetNoPrimary', ['b:27017']]);
  });

  test('removes a primary that does not list itself, and keeps the known members', () => {
    const primary = { setName: 'rs', hosts: ['x:1', 'y:1', 'X:1'], setVersion: 1 };
    const { servers, type } = after([known(primary)]);
    expect([type, [...servers.keys()]]).toEqual(['ReplicaSetNoPrimary', ['x:1', 'y:1']]);
  });

  test('removes one of several seeds that is not a member of the set', () => {
    const other = { ...known({ setName: 'rs', hosts: ['b:27017'], setVersion: 1 }), address: 'b:27017' };
    expect([...after([other, known({})], [address, 'b:27017']).servers.keys()]).toEqual(['b:27017']);
  });
});
