import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bson } from '@tessera/bson';
import type { Document, TopologyDescription } from '@tessera/contracts';
import { Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { reduce } from '../src/description/reduce.js';
import type { TopologySettings } from '../src/description/reduction.js';
import { serverFromHello } from '../src/description/server-description.js';
import { emptyTopology } from '../src/description/topology-description.js';

/** The maximum number of members of a replica set, with names as long as those of hosted sets. */
const members = Array.from({ length: 50 }, (_, index) => `shard-00-${index}.cluster0.ab1cd.mongodb.example.net:27017`);
const electionId = ObjectId.createFromTime(1);
const processId = new ObjectId();

const settings: TopologySettings = {
  topologyId: 1,
  seeds: members,
  replicaSet: 'rs',
  directConnection: false,
  loadBalanced: false,
  srvMaxHosts: 0,
};

/** Returns the hello reply of member `index` as bytes, so that every reply is decoded again. */
const helloOf = (index: number, check: number): Uint8Array => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields({
    ...(index === 0 ? { isWritablePrimary: true, electionId } : { isWritablePrimary: false, secondary: true }),
    ...{ helloOk: true, setName: 'rs', setVersion: 1, hosts: members, me: members[index], primary: members[0] },
    topologyVersion: { processId, counter: Long.fromNumber(check) },
    lastWrite: { lastWriteDate: new Date(check) },
    tags: { dc: 'ny', rack: String(index), provider: 'somebody', nodeType: 'ELECTABLE' },
    ...{ logicalSessionTimeoutMinutes: 30, minWireVersion: 0, maxWireVersion: 25, ok: 1 },
  });
  writer.endBody();
  return writer.take();
};

/** Returns the description after this many checks of every member. */
const describedAfter = (checks: number): TopologyDescription => {
  let { description } = reduce(emptyTopology, { type: 'open' }, settings);
  for (let check = 1; check <= checks; check++)
    for (const [index, address] of members.entries()) {
      const hello: Document = bson.read(helloOf(index, check)).document();
      const server = serverFromHello(address, hello, {
        ...{ lastUpdateTime: check, roundTripTime: check, minRoundTripTime: 1 },
      });
      ({ description } = reduce(description, { type: 'checked', server }, settings));
    }
  return description;
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = (): number => {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
};

/** Returns the bytes that one description holds, as the mean of several descriptions. */
const held = (checks: number): number => {
  const copies = 10;
  describedAfter(checks);
  const before = heap();
  const kept = Array.from({ length: copies }, () => describedAfter(checks));
  const bytes = (heap() - before) / copies;
  expect(kept.map(({ type, servers }) => [type, servers.size])).toEqual(kept.map(() => ['ReplicaSetWithPrimary', 50]));
  return bytes;
};

/** Returns the median of several measurements, because memory of earlier tests may be freed meanwhile. */
const typicallyHeld = (checks: number): number =>
  Array.from({ length: 5 }, () => held(checks)).sort((a, b) => a - b)[2]!;

test(
  'the description of a set of 50 members takes well under 1 MB, after any number of checks',
  { timeout: 30_000 },
  () => {
    const [first, later] = [typicallyHeld(1), typicallyHeld(5)];
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThan(512 * 1024);
    // If replies of earlier checks were retained, this would be five times as much.
    expect(later).toBeLessThan(3 * first);
  },
);
