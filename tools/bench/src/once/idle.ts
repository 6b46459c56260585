/** A process that opens many connections and leaves them alone: what each takes. */
import type { Idle } from '../report.js';
import { nullUri, programs } from '../side.js';
import type { SideName } from '../side.js';
import { settledMemory } from './settled-memory.js';

const [side, port, count] = process.argv.slice(2) as [SideName, string, string];
const connections = Number(count);

const newClient = await programs[side].clients();

/** Opens a client with that many connections, and waits until all have said hello. */
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

// What is loaded and made once, and how far the engine lets its heap grow meanwhile, is no matter of the connections: as many are there before.
await open();
const before = await settledMemory();
await open();
const after = await settledMemory();
const took: Idle = {
  heapBytes: (after.heapUsed - before.heapUsed) / connections,
  residentBytes: (after.rss - before.rss) / connections,
};
// Connections go with the process.
// eslint-disable-next-line n/no-process-exit
process.send!(took, undefined, undefined, () => process.exit());
