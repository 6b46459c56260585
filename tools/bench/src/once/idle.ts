/** A process that opens many connections and measures the memory of each idle connection. */
import type { Idle } from '../report.js';
import { nullUri, programs } from '../side.js';
import type { SideName } from '../side.js';
import { settledMemory } from './settled-memory.js';

const [side, port, count] = process.argv.slice(2) as [SideName, string, string];
const connections = Number(count);

const newClient = await programs[side].clients();

/** Opens a client and waits until all its connections are ready. */
const open = async (): Promise<void> => {
  const client = newClient(nullUri(Number(port)), { minPoolSize: connections, maxPoolSize: connections });
  let ready = 0;
  const allReady = new Promise<void>(resolve => {
    client.on('connectionReady', () => {
      ready += 1;
      if (ready === connections) resolve();
    });
  });
  await client.connect();
  await allReady;
};

// The first client excludes one-time costs: loaded modules and the growth of the heap.
await open();
const before = await settledMemory();
await open();
const after = await settledMemory();
const took: Idle = {
  heapBytes: (after.heapUsed - before.heapUsed) / connections,
  residentBytes: (after.rss - before.rss) / connections,
};
// Exiting closes the connections.
// oxlint-disable-next-line nodejs/no-process-exit
process.send!(took, undefined, undefined, () => process.exit());
