import type { CreatePools } from '@tessera/contracts';
import { poolSuite } from '@tessera/sim';
import { prove, turn, withClient, work } from './prove.js';
import { createSmallPools } from './small-pool.js';

await prove('poolSuite', poolSuite({ createPools: createSmallPools, turn }));
const opened: string[] = [];
const pools: CreatePools = (deps, options) => {
  const openPool = createSmallPools(deps, options);
  return (at, report) => {
    opened.push(at);
    return openPool(at, report);
  };
};
await withClient({ parts: { pools }, maxPoolSize: 3 }, async client => {
  const connections = new Set<number>();
  client.on('connectionReady', ({ connectionId }) => connections.add(connectionId));
  await work(client);
  const collection = client.db('shop').collection<{ _id: number }>('crowd');
  const crowd = Array.from({ length: 40 }, (_, _id) => collection.insertOne({ _id }));
  console.log(
    `concurrent inserts: ${(await Promise.all(crowd)).length}, over ${connections.size} connections of ${opened.length} pool`,
  );
});
