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

/** As many members as a replica set may have, with names as long as those of hosted ones. */
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

/** What member `index` says, as bytes: every reply is decoded anew. */
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

/** What a client knows after so many checks of every member. */
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

/** Bytes that one description holds, as the mean of several. */
const held = (checks: number): number => {
  const copies = 10;
  describedAfter(checks);
  const before = heap();
  const kept = Array.from({ length: copies }, () => describedAfter(checks));
  const bytes = (heap() - before) / copies;
  expect(kept.map(({ type, servers }) => [type, servers.size])).toEqual(kept.map(() => ['ReplicaSetWithPrimary', 50]));
  return bytes;
};

/** The median of several: memory of tests that ran before may be given back meanwhile. */
const typicallyHeld = (checks: number): number =>
  Array.from({ length: 5 }, () => held(checks)).sort((a, b) => a - b)[2]!;

test(
  'a client of a set of 50 members holds its description in well under 1 MB, however often it is told',
  { timeout: 30_000 },
  () => {
    const [first, later] = [typicallyHeld(1), typicallyHeld(5)];
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThan(512 * 1024);
    // Were anything kept of earlier checks, it would be five times as much.
    expect(later).toBeLessThan(3 * first);
  },
);
