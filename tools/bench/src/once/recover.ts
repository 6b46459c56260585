/** A process that runs a replica set and measures how soon operations succeed after faults. */
import { setTimeout } from 'node:timers/promises';
import { startCluster } from 'tessera-server';
import { median } from '../ratio.js';
import type { Recovery } from '../report.js';
import { programs } from '../side.js';
import type { SideName } from '../side.js';

const [name, resets, manyResets] = process.argv.slice(2) as [SideName, string, string];

const cluster = await startCluster({ testCommands: true });
const newClient = await programs[name].clients();
const client = newClient(cluster.uri);
const films = client.db('bench').collection('films');
const admin = newClient(`mongodb://${cluster.primary!.address}/?directConnection=true`).db('admin');

const timeOf = async (run: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await run();
  return performance.now() - began;
};

/** Breaks the connection of the next find, and returns the time of that find with its retry. */
const reset = async (): Promise<number> => {
  const data = { failCommands: ['find'], closeConnection: true };
  await admin.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  return timeOf(() => films.findOne({}, {}));
};

const resetTimes = async (count: number, pause: number): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) {
    await setTimeout(pause);
    times.push(await reset());
  }
  return times;
};

/** Steps the primary down, inserts, and returns the time until the insert is acknowledged. */
const stepDown = async (): Promise<number> => {
  const elected = cluster.stepDown();
  const time = await timeOf(() => films.insertOne({ title: 'M' }));
  await elected;
  return time;
};

await films.insertOne({ title: 'Metropolis' });
for (let number = 0; number < 200; number += 1) await films.findOne({}, {});
// Monitors stream after their first check.
await setTimeout(1000);
process.send!({
  reset: median(await resetTimes(Number(resets), 100)),
  manyResets: (await resetTimes(Number(manyResets), 0)).reduce((sum, time) => sum + time, 0),
  stepDown: await stepDown(),
} satisfies Recovery);
process.disconnect();
// oxlint-disable-next-line nodejs/no-process-exit -- exiting closes the connections
process.exit();
