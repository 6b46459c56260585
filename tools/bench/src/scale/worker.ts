/** Measures one series with one driver, and sends the cost of each size to the parent process. */
import type { NullPlaces } from '../places.js';
import { programs } from '../side.js';
import type { SideName } from '../side.js';
import { collect } from '../soak/memory.js';
import type { Cost } from './cost.js';
import { allSeries, openClient } from './series.js';
import { bytesOf, leastOf } from './rounds.js';

const [side, name, placesText, rounds, least, most] = process.argv.slice(2) as [SideName, ...string[]];
const series = allSeries.find(one => one.name === name)!;
const places = JSON.parse(placesText!) as NullPlaces;
const newClient = await programs[side].clients();

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Live bytes, including those of buffers. */
const liveBytes = (): number => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const measure = async (size: number): Promise<Cost> => {
  const client = await openClient(newClient, series, size, places);
  try {
    const { units, work, hold } = series.job(client, size, Number(least));
    await work();
    const round = async (): Promise<number> => {
      collect();
      const before = cpuMicros();
      await work();
      return cpuMicros() - before;
    };
    const micros = (await leastOf(Number(rounds), round)) / units;
    if (hold === undefined) return { size, micros, bytes: undefined };
    const before = liveBytes();
    const release = await hold();
    const held = liveBytes() - before;
    await release();
    return { size, micros, bytes: bytesOf(held, size) };
  } finally {
    await client.close();
  }
};

// The least size warms up the code.
const sizes = series.sizes.filter(size => size <= Number(most));
await measure(sizes[0]!);
const costs: Cost[] = [];
for (const size of sizes) costs.push(await measure(size));
process.send!(costs);
// Exiting closes the connections.
// oxlint-disable-next-line nodejs/no-process-exit
process.on('disconnect', () => process.exit());
