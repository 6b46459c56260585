import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, flag, number, print, readArguments, root, run } from '@tessera-tools/house';
import type { Given } from '@tessera-tools/house';
import { draw, heading, line } from './drawing.js';
import { checks, findingsOf } from './findings.js';
import type { Sample } from './findings.js';
import { kinds, openLoad } from './load.js';
import { measureMemory } from './memory.js';
import { startSoakServer } from './server.js';

const usage = `npm run soak -- [options]      runs a mixed load on a replica set in another process, and fails if the driver's memory grows
  --minutes N    the duration (default 10)
  --write        writes the chart to docs/soak.svg
  --short        runs what npm test runs: 12 seconds
`;

const options = { minutes: number(), write: flag, short: flag };

/** The number of samples. The load pauses for each. */
const times = 30;
const workers = 8;

const soak = async ({ options: { minutes = 10, write, short } }: Given<typeof options>): Promise<number> => {
  const interval = (short ? 12_000 : minutes * 60_000) / times;
  const server = await startSoakServer();
  const load = await openLoad(server.uri, workers);
  const samples: Sample[] = [];
  const began = performance.now();
  let operations = 0;
  print(heading);
  while (samples.length < times) {
    operations += await load.run(interval);
    const at = (performance.now() - began) / 1000;
    const sample = { at, operations, driver: measureMemory(), server: await server.memory() };
    samples.push(sample);
    print(line(sample));
  }
  await load.close();
  await server.close();
  if (write) writeFileSync(join(root, 'docs', 'soak.svg'), draw(samples, kinds));
  const failed = findingsOf(samples);
  for (const { title, reason } of failed) print(`${title}: ${reason}`);
  return conclude({ passed: checks - failed.length, failed, skipped: [] });
};

await run(usage, given => readArguments({ options }, given), soak);
