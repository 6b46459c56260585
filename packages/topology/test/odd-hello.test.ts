import type { Document } from '@tessera/contracts';
import { Binary, Decimal128, Long, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reduce } from '../src/reduce.js';
import type { TopologySettings } from '../src/reduce.js';
import { serverFromHello } from '../src/server-description.js';
import { nowhere } from '../src/topology-description.js';

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

/** What claims to be a server of a replica set may say anything in any field. */
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
};

test('whatever a server says of itself is taken in: it ends no process', () => {
  const measured = { lastUpdateTime: 0, roundTripTime: 1, minRoundTripTime: 1 };
  fc.assert(
    fc.property(fc.array(hello, { minLength: 2, maxLength: 4 }), told => {
      let { description } = reduce(nowhere, { type: 'open' }, settings);
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
