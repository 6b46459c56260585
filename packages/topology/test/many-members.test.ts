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
  return process.memoryUsage().heapUsed;
};

/**
 * Returns the bytes that one description holds after each of these numbers of checks: the median of several
 * measurements, because memory of earlier tests may be freed meanwhile. Collecting garbage takes long after many tests,
 * so the end of one measurement is the start of the next.
 */
const held = (numbers: readonly number[]): readonly number[] => {
  const copies = 10;
  const kept: TopologyDescription[] = [];
  numbers.forEach(describedAfter);
  let before = heap();
  const measured = Array.from({ length: 3 }, () =>
    numbers.map(checks => {
      for (let copy = 0; copy < copies; copy++) kept.push(describedAfter(checks));
      const start = before;
      before = heap();
      return (before - start) / copies;
    }),
  );
  expect(kept.map(({ type, servers }) => [type, servers.size])).toEqual(kept.map(() => ['ReplicaSetWithPrimary', 50]));
  return numbers.map((_, index) => measured.map(bytes => bytes[index]!).sort((a, b) => a - b)[1]!);
};

test(
  'the description of a set of 50 members takes well under 1 MB, after any number of checks',
  { timeout: 120_000 },
  () => {
    const [first, later] = held([1, 5]) as [number, number];
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThan(512 * 1024);
    // If replies of earlier checks were retained, this would be five times as much.
    expect(later).toBeLessThan(3 * first);
  },
);
