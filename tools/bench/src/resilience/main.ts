import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, flag, print, putContent, readArguments, root, run, sum, wholeNumber } from '@tessera-tools/house';
import type { Given, Tally } from '@tessera-tools/house';
import { draw } from './drawing.js';
import { checksOf, findingsOf } from './findings.js';
import { measure } from './measure.js';
import type { Measured } from './measure.js';
import { onSockets, simulated } from './place.js';
import { textOf } from './table.js';

const usage = `npm run resilience -- [options]      measures retry strategies for an increment under faults
  --counters N   increments per strategy and fault (default 1000)
  --seed N       seed of the faults (default 1)
  --write        writes the table to docs/resilience.md and the chart to docs/resilience.svg
  --short        runs what npm test runs: 10 increments
`;

const options = { counters: wholeNumber(1), seed: wholeNumber(), write: flag, short: flag };

const docs = join(root, 'docs');

const tallyOf = (measured: Measured): Tally => {
  const failed = findingsOf(measured);
  return { passed: checksOf(measured) - failed.length, failed, skipped: [] };
};

const compare = async ({ options: given }: Given<typeof options>): Promise<number> => {
  const { counters = given.short ? 10 : 1000, seed = 1 } = given;
  const inWorld = await measure(simulated(seed), counters, seed);
  process.stdout.write(`${textOf(inWorld)}\n\n`);
  if (given.write) {
    writeFileSync(join(docs, 'resilience.svg'), draw(inWorld));
    putContent(join(docs, 'resilience.md'), 'resilience', `\`\`\`text\n${textOf(inWorld)}\n\`\`\``);
  }
  const real = await measure(onSockets, counters, seed);
  process.stdout.write(`${textOf(real)}\n\n`);
  const tally = sum([inWorld, real].map(tallyOf));
  for (const { title, reason } of tally.failed) print(`${title}: ${reason}`);
  return conclude(tally);
};

await run(usage, given => readArguments({ options }, given), compare);
